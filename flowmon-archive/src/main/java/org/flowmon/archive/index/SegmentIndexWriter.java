package org.flowmon.archive.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.flowmon.archive.region.ByteSink;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.rollup.RollupWriter;
import org.flowmon.flow.FlowColumn;

/**
 * Collects the postings of a segment's indexed columns and its rollups, and writes its sidecar.
 * Keeps its arrays for the next segment. Not thread-safe.
 */
public final class SegmentIndexWriter {
  private final ByteSink blobs = new ByteSink();
  private final ByteSink lists = new ByteSink();
  private final List<PuffinFooter.Blob> written = new ArrayList<>();
  private final RollupWriter rollups = new RollupWriter();
  private int[] starts = {};
  private int[] postings = {};

  /**
   * Begins a segment.
   *
   * @param rows of the segment
   */
  public void begin(int rows) {
    rollups.begin(rows);
    written.clear();
    blobs.clear();
    blobs.write(PuffinFooter.MAGIC, 0, PuffinFooter.MAGIC.length);
    blobs.align8();
  }

  /**
   * What sums the rows by address. {@code end_time} and {@code outgoing} are given to it before an
   * address column is added, the measures after.
   */
  public RollupWriter rollups() {
    return rollups;
  }

  /**
   * Adds a column.
   *
   * @param ids for each value that is not null, in the order of rows, its place in the dictionary
   * @param valid bits of the rows that are not null; null where all are
   * @param high high longs of the dictionary's addresses; null where all are IPv4 or the column is
   *     numeric
   * @param low the distinct values in order: numbers, or low longs of addresses
   * @param size number of distinct values
   */
  public void add(
      FlowColumn column,
      int rows,
      int[] ids,
      int count,
      long[] valid,
      long[] high,
      long[] low,
      int size) {
    sortPostings(ids, count, valid, size);
    int width = high == null ? 4 : 16;
    int start = blobs.size();
    blobs.reserve(16 + (long) size * (width + 4));
    blobs.putInt(size);
    blobs.putInt(width);
    blobs.putInt(16 + size * (width + 4));
    blobs.putInt(0); // bytes of the lists, known below
    for (int i = 0; i < size; i++) {
      if (high != null) {
        blobs.putLongBigEndian(high[i]);
        blobs.putLongBigEndian(low[i]);
      } else {
        blobs.putIntBigEndian((int) low[i]);
      }
    }
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
    finishBlob(PuffinFooter.POSTINGS, column, start);
    if (RollupFormat.DIMENSIONS.contains(column)) {
      rollups.addresses(column, ids, valid, size);
    }
  }

  private void finishBlob(String type, FlowColumn column, int start) {
    CRC32C crc = new CRC32C();
    crc.update(blobs.array(), start, blobs.size() - start);
    written.add(
        new PuffinFooter.Blob(
            type, column.id(), start, blobs.size() - start, (int) crc.getValue()));
    blobs.align8();
  }

  private void addRollups() {
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      int start = blobs.size();
      if (rollups.writeTotals(column, blobs)) {
        finishBlob(RollupFormat.TOTALS, column, start);
      }
      start = blobs.size();
      if (rollups.writeHours(column, blobs)) {
        finishBlob(RollupFormat.HOURS, column, start);
      }
    }
  }

  /** Counting sort: rows by id, ascending within an id. */
  private void sortPostings(int[] ids, int count, long[] valid, int size) {
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

  /**
   * Writes the sidecar.
   *
   * @param segment what the segment's file is
   * @return what the sidecar is
   */
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
