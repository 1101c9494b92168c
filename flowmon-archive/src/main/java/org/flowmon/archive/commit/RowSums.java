package org.flowmon.archive.commit;

import java.math.BigInteger;
import java.util.List;
import org.flowmon.archive.segment.SealedSegment;

/** Exact sums of some rows, NULL as 0: they stay the same when segments are replaced. */
public record RowSums(long rows, BigInteger bytes, BigInteger packets) {
  public static final RowSums NONE = new RowSums(0, BigInteger.ZERO, BigInteger.ZERO);

  public static RowSums of(List<SealedSegment> segments) {
    RowSums sums = NONE;
    for (SealedSegment segment : segments) {
      sums = sums.plus(new RowSums(segment.rows(), segment.totalBytes(), segment.totalPackets()));
    }
    return sums;
  }

  public RowSums plus(RowSums other) {
    return new RowSums(rows + other.rows, bytes.add(other.bytes), packets.add(other.packets));
  }

  @Override
  public String toString() {
    return rows + " rows, " + bytes + " bytes, " + packets + " packets";
  }
}
