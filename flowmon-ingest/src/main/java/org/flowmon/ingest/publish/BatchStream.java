package org.flowmon.ingest.publish;

import java.security.SecureRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.flow.Heartbeat;

/**
 * The numbers in the headers of one producer's batches in one partition: a random id, a sequence
 * without gaps and cumulative counts. Heartbeats and batches share the sequence.
 */
final class BatchStream {
  private static final SecureRandom IDS = new SecureRandom();

  private final long producerId = IDS.nextLong();
  private long sequence;
  private long flows;

  /**
   * Closes the builder's rows into a batch and clears it. If it throws, the rows stay in the
   * builder and the stream is unchanged.
   *
   * @throws IllegalStateException if a row has no arrival
   * @throws FlowFormatException if readers would refuse the batch, for example for a text that is
   *     not UTF-8
   */
  FlowBatch close(FlowBatchBuilder builder, long losses) {
    int rows = builder.rows();
    FlowBatch batch = FlowBatch.open(builder.build(producerId, sequence, flows + rows, losses));
    builder.clear();
    sequence++;
    flows += rows;
    return batch;
  }

  byte[] heartbeat(long arrival, long losses) {
    return Heartbeat.of(producerId, sequence++, flows, losses, arrival);
  }

  /** Returns a heartbeat that ends the input; {@code arrival} is for watermarks only. */
  byte[] endOfInput(long arrival, long losses) {
    return Heartbeat.endOfInput(producerId, sequence++, flows, losses, arrival);
  }

  long producerId() {
    return producerId;
  }
}
