package org.flowmon.flow;

import org.flowmon.flow.bytes.LittleEndian;

/**
 * Batches without rows. They say how far a producer's clock is, so that windows close when no flows
 * come.
 */
public final class Heartbeat {
  private Heartbeat() {}

  /**
   * A heartbeat of a producer.
   *
   * @param arrival the time in microseconds up to which everything has been sent
   */
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

  /**
   * A heartbeat that says that the producer's input has ended.
   *
   * @param arrival the time in microseconds that watermarks take: so late that all windows close
   */
  public static byte[] endOfInput(
      long producerId, long sequence, long cumulativeFlows, long cumulativeLosses, long arrival) {
    byte[] bytes = of(producerId, sequence, cumulativeFlows, cumulativeLosses, arrival);
    LittleEndian.putU16(bytes, FlowBatchLayout.FLAGS_AT, FlowBatchLayout.END_OF_INPUT);
    return bytes;
  }
}
