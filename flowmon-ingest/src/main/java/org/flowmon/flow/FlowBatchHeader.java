package org.flowmon.flow;

import java.util.Optional;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * The unchecked header of a batch, to count the flows in refused messages: rows 0 … {@link
 * FlowBatch#MAX_ROWS}, sequence and flows 0 … {@link FlowBatch#MAX_COUNT}.
 */
public record FlowBatchHeader(long producerId, long sequence, int rows, long cumulativeFlows) {
  /** Empty if the bytes do not begin as a batch of a known version, or a value is out of range. */
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
