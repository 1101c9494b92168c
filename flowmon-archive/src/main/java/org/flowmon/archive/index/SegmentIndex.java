package org.flowmon.archive.index;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The sidecar of a segment: for each indexed column the sorted dictionary of its values and the
 * rows of each. Ids count the entries from 0 and equal the ids of the segment's dictionary of that
 * column. Null values are in no list.
 *
 * <p>{@link #release} unmaps the file. Safe to share between threads. Row sets stay valid after it.
 * Every lookup may throw {@link org.flowmon.archive.region.SegmentCorruptException}.
 */
public final class SegmentIndex implements AutoCloseable {
  /** The columns indexed by default, if a segment has them. */
  public static final List<FlowColumn> DEFAULT_INDEXED =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.TCP_FLAGS,
          FlowColumn.OUTGOING,
          FlowColumn.STATE,
          FlowColumn.SRC_AS,
          FlowColumn.DST_AS,
          FlowColumn.EXPORTER);

  private final MappedRegion file;
  private final int rows;
  private final boolean verifyChecksums;
  private final Postings[] columns = new Postings[FlowColumn.count()];
  private final RollupBlobs rollups = new RollupBlobs();

  private SegmentIndex(MappedRegion file, int rows, boolean verifyChecksums) {
    this.file = file;
    this.rows = rows;
    this.verifyChecksums = verifyChecksums;
  }

  /**
   * Opens the sidecar of a segment, given its identity and the segment's; {@code
   * SealedSegment.openIndex} is the usual way.
   *
   * @param verifyChecksums whether a column's blob is checked at its first use
   * @throws org.flowmon.archive.region.SegmentCorruptException if it is not that sidecar
   */
  public static SegmentIndex open(
      Path path,
      FileIdentity identity,
      String segmentId,
      FileIdentity segment,
      int rows,
      boolean verifyChecksums)
      throws IOException {
    MappedRegion file = MappedRegion.open(path, identity);
    try {
      SegmentIndex index = new SegmentIndex(file, rows, verifyChecksums);
      index.openFooter(identity, segmentId, segment);
      return index;
    } catch (RuntimeException e) {
      file.release();
      throw e;
    }
  }

  private void openFooter(FileIdentity identity, String segmentId, FileIdentity segment) {
    byte[] bytes = new byte[identity.footerLength()];
    file.buffer().get((int) identity.length() - bytes.length, bytes);
    PuffinFooter footer;
    try {
      footer = PuffinFooter.parse(bytes);
    } catch (IllegalArgumentException e) {
      throw file.corrupt("footer", String.valueOf(e.getMessage()));
    }
    if (!footer.segmentId().equals(segmentId)
        || footer.segmentLength() != segment.length()
        || footer.segmentCrc32c() != segment.crc32c()
        || footer.rows() != rows) {
      throw file.corrupt(
          "footer",
          String.format(
              "belongs to segment %s of %s bytes, expected %s of %s",
              footer.segmentId(), footer.segmentLength(), segmentId, segment.length()));
    }
    for (PuffinFooter.Blob blob : footer.blobs()) {
      FlowColumn column = FlowColumn.byId(blob.columnId());
      boolean second = blob.type().equals(PuffinFooter.POSTINGS_2);
      if (!second && !blob.type().equals(PuffinFooter.POSTINGS)) {
        rollups.add(blob);
      } else if (column != null
          && column.ordinal() < columns.length
          && second == SegmentIndexWriter.isSecond(column)) {
        columns[column.ordinal()] = new Postings(file, rows, verifyChecksums, column, blob);
      }
    }
  }

  /** Null if it is not indexed. */
  private @Nullable Postings find(FlowColumn column) {
    int c = column.ordinal();
    return c < columns.length ? columns[c] : null; // a column defined since is not in the segment
  }

  private Postings postings(FlowColumn column) {
    Postings postings = find(column);
    if (postings == null) {
      throw new IllegalArgumentException(column.sqlName() + " is not indexed in " + file.path());
    }
    postings.verify();
    return postings;
  }

  private Postings numbers(FlowColumn column) {
    return postings(column, column.type().isLong(), "a number");
  }

  private Postings addresses(FlowColumn column) {
    return postings(column, column.type() == ColumnType.ADDRESS, "ADDRESS");
  }

  private Postings texts(FlowColumn column) {
    return postings(column, column.type() == ColumnType.TEXT, "TEXT");
  }

  private Postings postings(FlowColumn column, boolean fits, String wanted) {
    if (!fits) {
      throw new IllegalArgumentException(
          column.sqlName() + " is " + column.type() + ", not " + wanted);
    }
    return postings(column);
  }

  public int rows() {
    return rows;
  }

  /** Whether lookups by this column are answered: it is indexed and has a value in the segment. */
  public boolean isIndexed(FlowColumn column) {
    return find(column) != null;
  }

  /** Bytes of a column's dictionary and lists; 0 if it is not indexed. */
  public long postingBytes(FlowColumn column) {
    Postings postings = find(column);
    return postings == null ? 0 : postings.blob.length();
  }

  /** Bytes of the rollups, by the type of their blobs. */
  public Map<String, Long> rollupBytes() {
    return rollups.bytes();
  }

  public int dictionarySize(FlowColumn column) {
    return postings(column).size;
  }

  /** Id of the first value that is at least {@code value}; {@link #dictionarySize} if none is. */
  public int lowerBound(FlowColumn column, long value) {
    return numbers(column).lowerBound(value);
  }

  /** Id of the first address that is at least the given one; {@link #dictionarySize} if none is. */
  public int lowerBound(FlowColumn column, long hi, long lo) {
    return addresses(column).lowerBound(hi, lo);
  }

  public long value(FlowColumn column, int id) {
    Postings postings = numbers(column);
    postings.checkId(id);
    return postings.low(id) ^ postings.sign;
  }

  public String text(FlowColumn column, int id) {
    Postings postings = texts(column);
    postings.checkId(id);
    return new String(postings.text(id), StandardCharsets.UTF_8);
  }

  public RowSet lookup(FlowColumn column, String text) {
    Postings postings = texts(column);
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int id = postings.lowerBound(utf8);
    boolean found = id < postings.size && Arrays.equals(postings.text(id), utf8);
    return found ? postings.rowsOf(id) : RowSet.none();
  }

  public IpAddress address(FlowColumn column, int id) {
    Postings postings = addresses(column);
    postings.checkId(id);
    return new IpAddress(postings.high(id), postings.low(id));
  }

  /** Reads the addresses of {@code n} ids in any order, below {@link #dictionarySize}. */
  public void readAddresses(FlowColumn column, int[] ids, int n, long[] hi, long[] lo) {
    Postings postings = addresses(column);
    for (int i = 0; i < n; i++) {
      postings.checkId(ids[i]);
      hi[i] = postings.high(ids[i]);
      lo[i] = postings.low(ids[i]);
    }
  }

  public void readAddresses(FlowColumn column, int from, int n, long[] hi, long[] lo) {
    Postings postings = addresses(column);
    Objects.checkFromIndexSize(from, n, postings.size);
    postings.readAddresses(from, n, hi, lo);
  }

  /** The rollup by this column over all hours, checked; null if the sidecar has none. */
  public @Nullable Rollup totals(FlowColumn column) {
    return rollup(RollupFormat.TOTALS, column);
  }

  /** The rollup by this column and hour, checked; null if the sidecar has none. */
  public @Nullable Rollup hours(FlowColumn column) {
    return rollup(RollupFormat.HOURS, column);
  }

  private @Nullable Rollup rollup(String type, FlowColumn column) {
    return isIndexed(column)
        ? rollups.open(type, column, file, verifyChecksums, dictionarySize(column), rows)
        : null;
  }

  public RowSet rows(FlowColumn column, int id) {
    Postings postings = postings(column);
    postings.checkId(id);
    return postings.rowsOf(id);
  }

  /**
   * Rows in {@code [from, to)} with the value of this id, read from their list as the cursor
   * advances. The cursor may throw like every lookup, and is void after the last release.
   */
  public RowCursor cursor(FlowColumn column, int id, int from, int to) {
    Postings postings = postings(column);
    postings.checkId(id);
    return postings.cursorOf(id, from, to);
  }

  /** The number of rows with the value of this id; does not read their list. */
  public int count(FlowColumn column, int id) {
    Postings postings = postings(column);
    postings.checkId(id);
    return postings.countOf(id);
  }

  public RowSet lookup(FlowColumn column, long value) {
    Postings postings = numbers(column);
    int id = postings.lowerBound(value);
    boolean found = id < postings.size && (postings.low(id) ^ postings.sign) == value;
    return found ? postings.rowsOf(id) : RowSet.none();
  }

  public RowSet lookup(FlowColumn column, IpAddress address) {
    Postings postings = addresses(column);
    int id = postings.lowerBound(address.hi(), address.lo());
    boolean found =
        id < postings.size && postings.high(id) == address.hi() && postings.low(id) == address.lo();
    return found ? postings.rowsOf(id) : RowSet.none();
  }

  public void requireWhole() {
    file.requireWhole();
  }

  public void release() {
    file.release();
  }

  @Override
  public void close() {
    release();
  }
}
