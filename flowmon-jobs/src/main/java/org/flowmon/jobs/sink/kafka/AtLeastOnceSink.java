package org.flowmon.jobs.sink.kafka;

import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaSink;

/**
 * A Kafka sink that writes at least once, with a writer alone that flushes before a checkpoint.
 * {@link KafkaSink} has a committer for transactions. Without them that operator is idle, and at
 * each start Flink warns that its metric {@code pendingCommittables} is there twice (FLINK-35321).
 */
final class AtLeastOnceSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;

  private final KafkaSink<T> kafka;

  /**
   * @param kafka with the guarantee at least once
   */
  AtLeastOnceSink(KafkaSink<T> kafka) {
    this.kafka = kafka;
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) throws IOException {
    return kafka.createWriter(context);
  }
}
