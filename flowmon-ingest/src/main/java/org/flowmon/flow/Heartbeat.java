package org.flowmon.flow;

import org.flowmon.flow.bytes.LittleEndian;

/** Batches without rows that tell a producer's clock, so that windows close when no flows come. */
public final class Heartbeat {
  private Heartbeat() {}

  /** {@code arrival} (µs) is the time up to which everything has been sent. */
  public static byte[] of(
      long producerId, long sequence, long cumulativeFlows, long cumulativeLosses, long arrival) {
    byte[] bytes = new byte[FlowBatchLayout.HEADER_BYTES];
    FlowBatchLayout.writeHeader(
        bytes, 0, 0, producerId, sequence, cumulativeFlows, cumulativeLosses);
    LittleEndian.putLong(bytes, FlowBatchLayout.MIN_END_AT, Long.MAX_VALUE);
    LittleEndian.putLong(bytes, FlowBatchLayout.MAX_END_AT, Long.MIN_VALUE);
    LittleEndian.putLong(bytes, FlowBatchLayout.MIN_ARRIVAL_AT, arrival);
    LittleEndian.putLong(bytes, FlowBatchLayout.MAX_ARRIVAL_AT, arrival);
    return bytes;
  }

  /** The input has ended; watermarks take {@code arrival} (µs), so late that all windows close. */
  public static byte[] endOfInput(
      long producerId, long sequence, long cumulativeFlows, long cumulativeLosses, long arrival) {
    byte[] bytes = of(producerId, sequence, cumulativeFlows, cumulativeLosses, arrival);
    LittleEndian.putU16(bytes, FlowBatchLayout.FLAGS_AT, FlowBatchLayout.END_OF_INPUT);
    return bytes;
  }
}
