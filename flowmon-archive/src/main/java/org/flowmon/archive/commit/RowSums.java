package org.flowmon.archive.commit;

import java.math.BigInteger;
import java.util.List;
import org.flowmon.archive.segment.SealedSegment;

/**
 * The sums of some rows: they must stay the same when segments are replaced.
 *
 * @param rows number of rows
 * @param bytes exact sum of {@code bytes}, NULL as 0
 * @param packets exact sum of {@code packets}, NULL as 0
 */
public record RowSums(long rows, BigInteger bytes, BigInteger packets) {
  /** The sums of no rows. */
  public static final RowSums NONE = new RowSums(0, BigInteger.ZERO, BigInteger.ZERO);

  /** Adds up all rows of segments. */
  public static RowSums of(List<SealedSegment> segments) {
    RowSums sums = NONE;
    for (SealedSegment segment : segments) {
      sums = sums.plus(new RowSums(segment.rows(), segment.totalBytes(), segment.totalPackets()));
    }
    return sums;
  }

  /** Adds the sums of other rows. */
  public RowSums plus(RowSums other) {
    return new RowSums(rows + other.rows, bytes.add(other.bytes), packets.add(other.packets));
  }

  @Override
  public String toString() {
    return rows + " rows, " + bytes + " bytes, " + packets + " packets";
  }
}
