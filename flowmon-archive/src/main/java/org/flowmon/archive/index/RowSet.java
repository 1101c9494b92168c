package org.flowmon.archive.index;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.BatchIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * Distinct rows of one segment, ascending. Immutable. Small sets are arrays, contiguous ones a
 * range, all others Roaring bitmaps; callers need not know which.
 */
public final class RowSet {
  private static final RowSet NONE = new RowSet(0, 0, null, null);
  // If both sides of a union are at most this large, merging arrays beats building bitmaps.
  private static final int SMALL = 4096;

  // Exactly one form: bitmap, else array (the first `to - from` = size entries), else the range
  // [from, to).
  private final int from;
  private final int to;
  private final int @Nullable [] array;
  private final @Nullable RoaringBitmap bitmap;

  private RowSet(int from, int to, int @Nullable [] array, @Nullable RoaringBitmap bitmap) {
    this.from = from;
    this.to = to;
    this.array = array;
    this.bitmap = bitmap;
  }

  public static RowSet none() {
    return NONE;
  }

  /** The rows in {@code [from, to)}. */
  public static RowSet range(int from, int to) {
    if (from < 0) {
      throw new IllegalArgumentException("rows from " + from + ", expected at least 0");
    }
    return from >= to ? NONE : new RowSet(from, to, null, null);
  }

  /** The first {@code count} of ascending, non-negative rows; the caller gives up the array. */
  public static RowSet of(int[] rows, int count) {
    if (count == 0) {
      return NONE;
    }
    if (rows[count - 1] - rows[0] == count - 1) {
      return range(rows[0], rows[0] + count);
    }
    return new RowSet(0, count, rows, null);
  }

  /** The rows of a bitmap, which the caller gives up. */
  public static RowSet of(RoaringBitmap bitmap) {
    return bitmap.isEmpty() ? NONE : new RowSet(0, 0, null, bitmap);
  }

  public int size() {
    return bitmap != null ? bitmap.getCardinality() : to - from;
  }

  public boolean isEmpty() {
    return this == NONE;
  }

  public boolean isRange() {
    return array == null && bitmap == null;
  }

  /** The first row; not to be called on an empty set. */
  public int first() {
    return bitmap != null ? bitmap.first() : array != null ? array[0] : from;
  }

  /** The last row; not to be called on an empty set. */
  public int last() {
    return bitmap != null ? bitmap.last() : array != null ? array[to - 1] : to - 1;
  }

  public boolean contains(int row) {
    if (bitmap != null) {
      return bitmap.contains(row);
    }
    return array != null ? Arrays.binarySearch(array, 0, to, row) >= 0 : row >= from && row < to;
  }

  /** The rows at the places {@code [begin, end)} in their order. */
  public RowSet slice(int begin, int end) {
    Objects.checkFromToIndex(begin, end, size());
    if (begin == end) {
      return NONE;
    } else if (end - begin == size()) {
      return this;
    }
    if (array != null) {
      return of(Arrays.copyOfRange(array, begin, end), end - begin);
    }
    return bitmap == null
        ? range(from + begin, from + end)
        : within(bitmap.select(begin), bitmap.select(end - 1) + 1);
  }

  public RowSet and(RowSet other) {
    if (isEmpty() || other.isEmpty()) {
      return NONE;
    }
    if (isRange()) {
      return other.within(from, to);
    }
    if (other.isRange()) {
      return within(other.from, other.to);
    }
    if (array != null) {
      return filter(array, to, other);
    }
    return other.array != null
        ? filter(other.array, other.to, this)
        : of(RoaringBitmap.and(bitmap, other.bitmap));
  }

  private RowSet within(int first, int end) {
    if (bitmap != null) {
      RoaringBitmap range = new RoaringBitmap();
      range.add((long) first, end);
      return of(RoaringBitmap.and(bitmap, range));
    }
    if (array == null) {
      return range(Math.max(from, first), Math.min(to, end));
    }
    int low = position(first);
    int high = position(end);
    return low == 0 && high == to
        ? this
        : of(Arrays.copyOfRange(array, low, Math.max(low, high)), Math.max(0, high - low));
  }

  private int position(int row) {
    int at = Arrays.binarySearch(array, 0, to, row);
    return at < 0 ? -at - 1 : at;
  }

  private static RowSet filter(int[] rows, int count, RowSet by) {
    int[] kept = new int[Math.min(count, by.size())];
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (by.contains(rows[i])) {
        kept[n++] = rows[i];
      }
    }
    return of(kept, n);
  }

  public RowSet or(RowSet other) {
    if (isEmpty()) {
      return other;
    }
    if (other.isEmpty()) {
      return this;
    }
    if (isRange() && other.isRange() && from <= other.to && other.from <= to) {
      return range(Math.min(from, other.from), Math.max(to, other.to));
    }
    if (array != null && other.array != null && to <= SMALL && other.to <= SMALL) {
      return merge(array, to, other.array, other.to);
    }
    RoaringBitmap union = toBitmap();
    if (other.bitmap != null) {
      union.or(other.bitmap);
    } else if (other.array != null) {
      union.addN(other.array, 0, other.to);
    } else {
      union.add((long) other.from, other.to);
    }
    return of(union);
  }

  private static RowSet merge(int[] some, int someEnd, int[] others, int othersEnd) {
    int[] merged = new int[someEnd + othersEnd];
    int n = 0;
    int i = 0;
    int j = 0;
    while (i < someEnd && j < othersEnd) {
      int a = some[i];
      int b = others[j];
      merged[n++] = Math.min(a, b);
      i += a <= b ? 1 : 0;
      j += b <= a ? 1 : 0;
    }
    while (i < someEnd) {
      merged[n++] = some[i++];
    }
    while (j < othersEnd) {
      merged[n++] = others[j++];
    }
    return of(merged, n);
  }

  private RoaringBitmap toBitmap() {
    if (bitmap != null) {
      return bitmap.clone();
    }
    RoaringBitmap copy = new RoaringBitmap();
    if (array != null) {
      copy.addN(array, 0, to);
    } else {
      copy.add((long) from, to);
    }
    return copy;
  }

  public int[] toArray() {
    int[] rows = new int[size()];
    Cursor cursor = cursor();
    int n = 0;
    int[] block = new int[Math.max(1, Math.min(rows.length, SMALL))];
    for (int got = cursor.next(block); got > 0; got = cursor.next(block)) {
      System.arraycopy(block, 0, rows, n, got);
      n += got;
    }
    return rows;
  }

  public Cursor cursor() {
    return new Cursor(this);
  }

  @Override
  public String toString() {
    return "RowSet[" + size() + (isEmpty() ? "]" : " rows, " + first() + "…" + last() + "]");
  }

  /** Iterates over a set block by block. Not thread-safe. */
  public static final class Cursor implements RowCursor {
    private final RowSet set;
    private final @Nullable BatchIterator batches;
    private int position;

    private Cursor(RowSet set) {
      this.set = set;
      this.batches = set.bitmap == null ? null : set.bitmap.getBatchIterator();
      this.position = set.from;
    }

    @Override
    public int next(int[] block) {
      if (batches != null) {
        return batches.hasNext() ? batches.nextBatch(block) : 0;
      }
      int n = Math.min(block.length, set.to - position);
      if (set.array != null) {
        System.arraycopy(set.array, position, block, 0, n);
      } else {
        for (int i = 0; i < n; i++) {
          block[i] = position + i;
        }
      }
      position += n;
      return n;
    }
  }
}
