package org.flowmon.archive.segment;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;

/**
 * All rows of a sealed segment, in mapped memory. Any value of any row is read in constant time.
 *
 * <p>Counted by reference: {@link #open} gives the first reference, {@link #acquire} takes a
 * further one, {@link #release} gives one back; the last unmaps the file, and nobody may read
 * afterwards. Safe to share between threads.
 *
 * <p>Every read can throw {@link org.flowmon.archive.region.SegmentCorruptException}.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentReader implements FlowRows, AutoCloseable {
  private SegmentReader() {}

  /** As {@link #open(Path, SealedSegment, boolean)} with checksums verified. */
  public static SegmentReader open(Path directory, SealedSegment segment) throws IOException {
    return open(directory, segment, true);
  }

  /**
   * Opens a segment: checks length and footer against what was sealed.
   *
   * @param directory the folder of segments
   * @param verifyChecksums whether a column's bytes are checked when the column is first read
   * @throws org.flowmon.archive.region.SegmentCorruptException where the file is not the one that
   *     was sealed
   * @throws IOException where it cannot be read, {@link java.nio.file.NoSuchFileException} where it
   *     is missing
   */
  public static SegmentReader open(Path directory, SealedSegment segment, boolean verifyChecksums)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** What this was opened as. */
  public SealedSegment sealed() {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public int rows() {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public Presence presence(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public String text(FlowColumn column, int row) {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link #readLongs} for the first {@code count} of {@code rows}, in any order. */
  public void gatherLongs(FlowColumn column, int[] rows, int count, long[] out) {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link #readAddresses} for the first {@code count} of {@code rows}, in any order. */
  public void gatherAddresses(FlowColumn column, int[] rows, int count, long[] hi, long[] lo) {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link #readValidity} for the first {@code count} of {@code rows}, in any order. */
  public void gatherValidity(FlowColumn column, int[] rows, int count, long[] words) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Whether the column's values are stored as ids into a sorted dictionary: addresses and texts
   * always, indexed columns always, other numbers where that is smaller. False for an absent
   * column.
   */
  public boolean hasDictionary(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Number of distinct values of a column with a dictionary. */
  public int dictionarySize(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Ids of {@code count} rows from row {@code from}, −1 for null. The order of ids is the order of
   * the values.
   */
  public void readIds(FlowColumn column, int from, int count, int[] out) {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link #readIds} for the first {@code count} of {@code rows}, in any order. */
  public void gatherIds(FlowColumn column, int[] rows, int count, int[] out) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The number of a dictionary's id. */
  public long dictionaryLong(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** High long of the address of a dictionary's id. */
  public long dictionaryHigh(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Low long of the address of a dictionary's id. */
  public long dictionaryLow(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The text of a dictionary's id. */
  public String dictionaryText(FlowColumn column, int id) {
    throw new UnsupportedOperationException("not yet");
  }

  /** How many rows are null in this column. */
  public int nullCount(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The smallest number of a column; {@link Long#MAX_VALUE} where every row is null. */
  public long minLong(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The largest number of a column; {@link Long#MIN_VALUE} where every row is null. */
  public long maxLong(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The smallest address of a column, null where every row is null. */
  public IpAddress minAddress(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The largest address of a column, null where every row is null. */
  public IpAddress maxAddress(FlowColumn column) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Takes a reference; each needs its {@link #release}. */
  public SegmentReader acquire() {
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
