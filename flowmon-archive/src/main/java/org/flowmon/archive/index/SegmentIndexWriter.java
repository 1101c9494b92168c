package org.flowmon.archive.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.rollup.RollupWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/** Collects a segment's postings and rollups, writes its sidecar. Reused. Not thread-safe. */
public final class SegmentIndexWriter {
  private final ByteSink blobs = new ByteSink();
  private final ByteSink lists = new ByteSink();
  private final List<PuffinFooter.Blob> written = new ArrayList<>();
  private final RollupWriter rollups = new RollupWriter();
  private int[] starts = {};
  private int[] postings = {};

  public void begin(int rows) {
    rollups.begin(rows);
    written.clear();
    blobs.clear();
    blobs.write(PuffinFooter.MAGIC, 0, PuffinFooter.MAGIC.length);
    blobs.align8();
  }

  /** Needs times, {@code outgoing} and rates before any address column, measures after. */
  public RollupWriter rollups() {
    return rollups;
  }

  /**
   * Adds a column: {@code ids} in the order of rows are places in the sorted, distinct {@code
   * values}; {@code valid} has bits of the rows that are not null, null if all are.
   */
  public void add(
      FlowColumn column,
      int rows,
      int[] ids,
      int count,
      long @Nullable [] valid,
      DictionaryValues values) {
    int size = values.size();
    sortPostings(ids, count, valid, size);
    int start = blobs.size();
    boolean second = isSecond(column);
    blobs.putInt(size);
    blobs.putInt(0); // bytes of an entry, where the lists begin, bytes of the lists: known below
    blobs.putInt(0);
    blobs.putInt(0);
    blobs.setInt(start + 4, putDictionary(column, values));
    blobs.setInt(start + 8, blobs.size() - start + 4 * size);
    blobs.reserve(4L * size);
    lists.clear();
    int from = 0;
    for (int id = 0; id < size; id++) {
      int to = starts[id]; // sortPostings left the ends here
      if (to - from == 1) {
        blobs.putInt(PostingLists.SINGLE | postings[from]);
      } else {
        blobs.putInt(lists.size());
        PostingLists.write(postings, from, to, rows, lists);
      }
      from = to;
    }
    blobs.setInt(start + 12, lists.size());
    blobs.write(lists.array(), 0, lists.size());
    finishBlob(second ? PuffinFooter.POSTINGS_2 : PuffinFooter.POSTINGS, column, start);
    if (RollupFormat.DIMENSIONS.contains(column)) {
      rollups.addresses(column, ids, valid, size);
    }
  }

  /** Whether a column needs the second kind of blob: texts, numbers of 64 bits. */
  static boolean isSecond(FlowColumn column) {
    return switch (column.type()) {
      case TEXT, COUNT, NUMBER, TIMESTAMP, DURATION -> true;
      default -> false;
    };
  }

  /** Appends the dictionary; returns the bytes of an entry, 0 for texts. */
  private int putDictionary(FlowColumn column, DictionaryValues values) {
    int size = values.size();
    if (column.type() == ColumnType.TEXT) {
      int offset = 0;
      for (int i = 0; i < size; i++) {
        blobs.putInt(offset);
        offset += values.texts().length(i);
      }
      blobs.putInt(offset);
      for (int i = 0; i < size; i++) {
        values.texts().write(i, blobs);
      }
      return 0;
    }
    int width = values.isWide() ? 16 : isSecond(column) ? 8 : 4;
    long sign = column.type().minValue() < 0 ? Long.MIN_VALUE : 0;
    blobs.reserve((long) size * width);
    for (int i = 0; i < size; i++) {
      switch (width) {
        case 16 -> {
          blobs.putLongBigEndian(values.high()[i]);
          blobs.putLongBigEndian(values.low()[i]);
        }
        case 8 -> blobs.putLongBigEndian(values.low()[i] ^ sign);
        default -> blobs.putIntBigEndian((int) values.low()[i]);
      }
    }
    return width;
  }

  private void finishBlob(String type, FlowColumn column, int start) {
    int length = blobs.size() - start;
    int crc32c = Crc32c.of(blobs.array(), start, length);
    written.add(new PuffinFooter.Blob(type, column.id(), start, length, crc32c));
    blobs.align8();
  }

  private void addRollups() {
    boolean second = rollups.hasEstimates();
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      int start = blobs.size();
      if (rollups.writeTotals(column, blobs)) {
        finishBlob(second ? RollupFormat.TOTALS_2 : RollupFormat.TOTALS, column, start);
      }
      start = blobs.size();
      if (rollups.writeHours(column, blobs)) {
        finishBlob(second ? RollupFormat.HOURS_2 : RollupFormat.HOURS, column, start);
      }
    }
  }

  /** Counting sort: rows by id, ascending within an id. */
  private void sortPostings(int[] ids, int count, long @Nullable [] valid, int size) {
    if (starts.length < size) {
      starts = new int[Math.max(size, 2 * starts.length)];
    }
    if (postings.length < count) {
      postings = new int[count];
    }
    Arrays.fill(starts, 0, size, 0);
    for (int i = 0; i < count; i++) {
      starts[ids[i]]++;
    }
    int at = 0;
    for (int id = 0; id < size; id++) {
      int n = starts[id];
      starts[id] = at;
      at += n;
    }
    if (valid == null) {
      for (int row = 0; row < count; row++) {
        postings[starts[ids[row]]++] = row;
      }
      return;
    }
    int row = -1;
    for (int i = 0; i < count; i++) {
      row++;
      while ((valid[row >>> 6] >>> row & 1) == 0) {
        row++;
      }
      postings[starts[ids[i]]++] = row;
    }
  }

  /** Writes the sidecar of the segment with this identity; returns the sidecar's. */
  public FileIdentity write(Path target, String segmentId, FileIdentity segment, int rows)
      throws IOException {
    addRollups();
    try (SealedFile file = SealedFile.create(target)) {
      file.write(blobs.array(), 0, blobs.size());
      byte[] footer =
          new PuffinFooter(segmentId, segment.length(), segment.crc32c(), rows, written).toBytes();
      file.beginFooter();
      file.write(footer, 0, footer.length);
      return file.seal();
    }
  }
}
