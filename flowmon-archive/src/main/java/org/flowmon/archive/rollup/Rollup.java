package org.flowmon.archive.rollup;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Predicate;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.FlowColumn;

/**
 * A rollup blob in mapped memory: slices of cells, each cell the rows of one address. The file is
 * the sidecar's and stays mapped as long as it has references. Safe to share between threads; a
 * {@link CellReader} is not. {@link #check} and every reader may throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}.
 */
public final class Rollup {
  private final MappedRegion file;
  private final String place;
  private final int at;
  private final int length;
  private final int crc32c;
  private final boolean verifyChecksums;
  private final int size;
  private final int slices;
  private final int streams;
  // By Measure.index: its streams; of its values that of the rows by default, else −1.
  private final int[] valueStream = new int[2 * FlowColumn.count()];
  private final int[] lowStream = new int[2 * FlowColumn.count()];
  private final int[] highStream = new int[2 * FlowColumn.count()];
  private final int directoryAt;
  private volatile boolean checked;

  /**
   * Reads a blob's header; {@code place} names the blob in errors. Throws {@link
   * org.flowmon.archive.region.SegmentCorruptException} if it cannot be such a blob.
   */
  public Rollup(
      MappedRegion file,
      String place,
      int offset,
      int length,
      int crc32c,
      boolean verifyChecksums,
      int dictionarySize,
      int rows) {
    this.file = file;
    this.place = place;
    this.at = offset;
    this.length = length;
    this.crc32c = crc32c;
    this.verifyChecksums = verifyChecksums;
    file.checkRange(place, offset, length);
    expect(length >= RollupFormat.HEADER_BYTES, "a header in a blob of " + length + " bytes");
    ByteBuffer bytes = file.buffer();
    size = bytes.getInt(offset);
    slices = bytes.getInt(offset + 4);
    int measures = bytes.getInt(offset + 8);
    expect(size == dictionarySize, dictionarySize + " addresses, found " + size);
    expect(
        measures >= 0 && measures <= 2 * RollupFormat.MEASURES.size(),
        "at most " + 2 * RollupFormat.MEASURES.size() + " measures, found " + measures);
    long head = RollupFormat.HEADER_BYTES + (long) measures * RollupFormat.MEASURE_BYTES;
    expect(
        slices >= 1 && slices <= rows && head + (long) slices * RollupFormat.SLICE_BYTES <= length,
        "slices in " + length + " bytes, found " + slices);
    directoryAt = offset + (int) head;
    streams = readMeasures(bytes, measures);
  }

  private int readMeasures(ByteBuffer bytes, int measures) {
    Arrays.fill(valueStream, rowsStream());
    Arrays.fill(lowStream, -1);
    Arrays.fill(highStream, -1);
    int next = RollupFormat.FIRST_MEASURE_STREAM;
    for (int m = 0; m < measures; m++) {
      int entry = at + RollupFormat.HEADER_BYTES + m * RollupFormat.MEASURE_BYTES;
      int id = bytes.getShort(entry) & 0xFFFF;
      FlowColumn column = id < 256 ? FlowColumn.byId(id) : null;
      int flags = bytes.getShort(entry + 2) & 0xFFFF;
      if (column == null || !RollupFormat.MEASURES.contains(column) || !isKnown(column, flags)) {
        throw corrupt("a measure once, found column " + id + " with flags " + flags);
      }
      boolean isEstimate = (flags & RollupFormat.FLAG_ESTIMATE) != 0;
      int measure = new Measure(column, isEstimate).index();
      if (isEstimate) {
        valueStream[measure] = valueStream[Measure.of(column).index()];
      } else if ((flags & RollupFormat.FLAG_NULLS) != 0) {
        valueStream[measure] = next++;
      }
      lowStream[measure] = next++;
      if ((flags & RollupFormat.FLAG_WIDE) != 0) {
        highStream[measure] = next++;
      }
    }
    return next;
  }

  /** Whether flags of the next measure can be: a column comes once, then its estimate once. */
  private boolean isKnown(FlowColumn column, int flags) {
    int estimate = RollupFormat.FLAG_ESTIMATE;
    return (flags & estimate) == 0
        ? (flags & ~(RollupFormat.FLAG_NULLS | RollupFormat.FLAG_WIDE)) == 0
            && !has(Measure.of(column))
        : (flags & ~(estimate | RollupFormat.FLAG_WIDE)) == 0
            && has(Measure.of(column))
            && !has(Measure.estimateOf(column));
  }

  private void expect(boolean holds, String what) {
    if (!holds) {
      throw corrupt(what);
    }
  }

  private SegmentCorruptException corrupt(String expected) {
    return file.corrupt(place, "expected " + expected);
  }

  /** Checks checksum, slices and first ids of blocks once. Two threads may both do it: no harm. */
  public void check() {
    if (checked) {
      file.requireOpen();
      return;
    }
    if (verifyChecksums) {
      file.verify(place, at, length, crc32c);
    }
    long end = directoryAt - at + (long) slices * RollupFormat.SLICE_BYTES;
    for (int s = 0; s < slices; s++) {
      int outgoing = outgoing(s);
      boolean ascends =
          s == 0 || hour(s) > hour(s - 1) || (hour(s) == hour(s - 1) && outgoing > outgoing(s - 1));
      expect(
          outgoing >= 0 && outgoing <= RollupFormat.OUTGOING_NULL && ascends,
          "ascending slices, found outgoing " + outgoing + " of hour " + hour(s));
      int cells = cells(s);
      long blocks = ((long) cells + RollupFormat.BLOCK - 1) / RollupFormat.BLOCK;
      int bytes = sliceEntry(s, 20);
      expect(
          cells >= 1 && cells <= size + 1 && 4 * (blocks * (streams + 1) + 1) <= bytes,
          "1…" + (size + 1L) + " cells in " + bytes + " bytes, found " + cells);
      expect(
          sliceEntry(s, 16) == end && end + bytes <= length,
          "slice " + s + " at " + end + " within " + length);
      checkFirstIds(s, (int) blocks);
      end += bytes;
    }
    expect(end == length, "slices of " + length + " bytes, found " + end);
    checked = true;
  }

  /** Lookups use them; {@link CellReader} checks the ids between them. */
  private void checkFirstIds(int slice, int blocks) {
    ByteBuffer bytes = file.buffer();
    int before = -1;
    for (int b = 0; b < blocks; b++) {
      int id = bytes.getInt(sliceOffset(slice) + 4 * b);
      expect(
          id > before && id <= size,
          "blocks of ids ascending to " + size + ", found " + id + " after " + before);
      before = id;
    }
  }

  private int sliceEntry(int slice, int field) {
    return file.buffer().getInt(directoryAt + slice * RollupFormat.SLICE_BYTES + field);
  }

  public int bytes() {
    return length;
  }

  public int slices() {
    return slices;
  }

  /** The hour of a slice, {@link RollupFormat#NO_HOUR} for NULL; 0 in totals. */
  public long hour(int slice) {
    return file.buffer().getLong(directoryAt + slice * RollupFormat.SLICE_BYTES);
  }

  /** {@code outgoing} of a slice: 0, 1 or {@link RollupFormat#OUTGOING_NULL}. */
  public int outgoing(int slice) {
    return sliceEntry(slice, 8);
  }

  public int cells(int slice) {
    return sliceEntry(slice, 12);
  }

  /** The id that stands for NULL: the size of the dictionary. */
  public int nullId() {
    return size;
  }

  public int rowsStream() {
    return 1;
  }

  public boolean has(Measure measure) {
    return lowStream[measure.index()] >= 0;
  }

  /** Whether its columns are those that have a value in the segment. */
  public boolean hasColumns(Predicate<FlowColumn> hasValue) {
    return RollupFormat.MEASURES.stream()
        .allMatch(column -> has(Measure.of(column)) == hasValue.test(column));
  }

  /** Whether it has the estimates of these columns, or they are NULL in all rows. */
  public boolean hasEstimates(Collection<FlowColumn> columns) {
    return columns.stream()
        .allMatch(column -> has(Measure.estimateOf(column)) || !has(Measure.of(column)));
  }

  /** The stream that counts a measure's values that are not NULL. */
  public int valuesStream(Measure measure) {
    return valueStream[measure.index()];
  }

  /** The stream of a measure's sums, lowest 64 bits. */
  public int sumStream(Measure measure) {
    return lowStream[measure.index()];
  }

  /** The stream of a measure's sums from bit 64 on; −1 if sums are below 2^63. */
  public int highStream(Measure measure) {
    return highStream[measure.index()];
  }

  public int streams() {
    return streams;
  }

  public int sliceOffset(int slice) {
    return at + sliceEntry(slice, 16);
  }

  public int sliceLength(int slice) {
    return sliceEntry(slice, 20);
  }

  MappedRegion file() {
    return file;
  }

  String place() {
    return place;
  }
}
