package org.flowmon.flow;

import java.util.Optional;

/**
 * What the header of a batch says that nobody has checked: of messages that are refused, to know
 * how much was in them.
 *
 * @param rows 0 … {@link FlowBatch#MAX_ROWS}
 * @param sequence 0 … {@link FlowBatch#MAX_COUNT}
 * @param cumulativeFlows likewise
 */
public record FlowBatchHeader(long producerId, long sequence, int rows, long cumulativeFlows) {
  /**
   * Reads it.
   *
   * @return empty where the bytes do not begin as a batch of a version that is known, or where they
   *     say what no batch can
   */
  public static Optional<FlowBatchHeader> read(byte[] bytes) {
    if (bytes.length < FlowBatchLayout.HEADER_BYTES
        || LittleEndian.getInt(bytes, 0) != FlowBatchLayout.MAGIC
        || LittleEndian.getU16(bytes, FlowBatchLayout.VERSION_AT) != FlowBatchLayout.VERSION) {
      return Optional.empty();
    }
    FlowBatchHeader header =
        new FlowBatchHeader(
            LittleEndian.getLong(bytes, FlowBatchLayout.PRODUCER_AT),
            LittleEndian.getLong(bytes, FlowBatchLayout.SEQUENCE_AT),
            LittleEndian.getInt(bytes, FlowBatchLayout.ROWS_AT),
            LittleEndian.getLong(bytes, FlowBatchLayout.CUMULATIVE_FLOWS_AT));
    return header.isPossible() ? Optional.of(header) : Optional.empty();
  }

  private boolean isPossible() {
    return rows >= 0
        && rows <= FlowBatch.MAX_ROWS
        && sequence >= 0
        && sequence <= FlowBatch.MAX_COUNT
        && cumulativeFlows >= 0
        && cumulativeFlows <= FlowBatch.MAX_COUNT;
  }
}
