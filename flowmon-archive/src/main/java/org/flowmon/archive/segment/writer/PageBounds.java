package org.flowmon.archive.segment.writer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.BoundaryOrder;
import org.apache.parquet.format.ColumnIndex;
import org.flowmon.flow.ColumnType;
import org.jspecify.annotations.Nullable;

/** Smallest and largest number of each page of a chunk, for other readers' page index. */
final class PageBounds {
  private final ColumnType type;
  private final ColumnValues values;
  private final @Nullable DictionaryBuilder dictionary;
  private final List<Boolean> empty = new ArrayList<>();
  private final List<ByteBuffer> smallest = new ArrayList<>();
  private final List<ByteBuffer> largest = new ArrayList<>();
  private final List<Long> nulls = new ArrayList<>();
  private long previousSmallest = Long.MIN_VALUE;
  private long previousLargest = Long.MIN_VALUE;
  private boolean ascending = true;

  /** The ids' {@code dictionary} is null if values are stored plainly. */
  PageBounds(ColumnType type, ColumnValues values, @Nullable DictionaryBuilder dictionary) {
    this.type = type;
    this.values = values;
    this.dictionary = dictionary;
  }

  void add(int from, int n, int nullCount) {
    if (!type.isLong()) {
      return; // texts are not in the order of their ids
    }
    nulls.add((long) nullCount);
    empty.add(n == 0);
    if (n == 0) {
      smallest.add(ByteBuffer.allocate(0));
      largest.add(ByteBuffer.allocate(0));
      return;
    }
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = from; i < from + n; i++) {
      long value = dictionary == null ? values.low[i] : dictionary.ids[i];
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    if (dictionary != null) { // the order of ids is the order of values
      min = dictionary.low[(int) min];
      max = dictionary.low[(int) max];
    }
    ascending &= min >= previousSmallest && max >= previousLargest;
    previousSmallest = min;
    previousLargest = max;
    smallest.add(ByteBuffer.wrap(ChunkBuilder.plain(type, min)));
    largest.add(ByteBuffer.wrap(ChunkBuilder.plain(type, max)));
  }

  /** The index, null if bounds are unknown: for addresses and texts. */
  @Nullable ColumnIndex toColumnIndex() {
    if (!type.isLong()) {
      return null;
    }
    ColumnIndex index =
        new ColumnIndex(
            empty,
            smallest,
            largest,
            ascending ? BoundaryOrder.ASCENDING : BoundaryOrder.UNORDERED);
    index.setNull_counts(nulls);
    return index;
  }
}
