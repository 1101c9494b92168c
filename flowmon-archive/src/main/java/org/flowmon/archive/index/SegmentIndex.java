package org.flowmon.archive.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * The sidecar of a segment: for each indexed column the sorted dictionary of its values and the
 * rows of each value. Ids count the dictionary's entries from 0 and equal the ids of the segment's
 * dictionary of that column. Null values are in no list.
 *
 * <p>Counted by reference as the segment is: {@link #acquire} before handing it on, {@link
 * #release} when done. Safe to share between threads.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentIndex implements AutoCloseable {
  /** The columns that a sidecar indexes where the segment has them. */
  public static final List<FlowColumn> INDEXED =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.SRC_AS,
          FlowColumn.EXPORTER);

  private SegmentIndex() {}

  /**
   * Opens a sidecar; {@code SealedSegment.openIndex} is the usual way.
   *
   * @param identity what the sidecar must be
   * @param segmentId the segment that it must belong to
   * @param segment identity of that segment's file
   * @param rows rows of that segment
   * @param verifyChecksums whether a column's blob is checked when it is first used
   */
  public static SegmentIndex open(
      Path path,
      FileIdentity identity,
      String segmentId,
      FileIdentity segment,
      int rows,
      boolean verifyChecksums)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Whether lookups by this column are answered; where not, the segment has no value of it or it is
   * not indexed.
   */
  public boolean isIndexed(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Number of distinct values of an indexed column. */
  public int dictionarySize(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Id of the first value of a numeric column that is at least {@code value}; {@link
   * #dictionarySize} where none is.
   */
  public int lowerBound(FlowColumn column, long value) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Id of the first address that is at least the given one; {@link #dictionarySize} where none is.
   */
  public int lowerBound(FlowColumn column, long hi, long lo) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The number of this id. */
  public long value(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The address of this id. */
  public IpAddress address(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows that hold the value of this id. */
  public RowSet rows(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** How many rows hold the value of this id, without reading their list. */
  public int count(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows whose number is {@code value}. */
  public RowSet lookup(FlowColumn column, long value) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows whose address is this one. */
  public RowSet lookup(FlowColumn column, IpAddress address) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows whose number is within [low, high], both included. */
  public RowSet lookupRange(FlowColumn column, long low, long high) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows whose address is within [low, high], both included, in the order of the 16 bytes. */
  public RowSet lookupRange(FlowColumn column, IpAddress low, IpAddress high) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Takes a reference; each needs its {@link #release}. */
  public SegmentIndex acquire() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Gives a reference back; the last one unmaps the file. */
  public void release() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The same as {@link #release}. */
  @Override
  public void close() {
    release();
  }
}
