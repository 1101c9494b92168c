package org.flowmon.jobs.sink.kafka;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Writes to Kafka at least once, flushed before a checkpoint. {@link KafkaSink} also has a
 * committer, for transactions; idle without, it makes Flink warn at each start that its metric
 * {@code pendingCommittables} is there twice (FLINK-35321).
 */
final class AtLeastOnceSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;

  private final KafkaSink<T> kafka;

  private AtLeastOnceSink(KafkaSink<T> kafka) {
    this.kafka = kafka;
  }

  /** Of records that a serializer makes messages of, with the properties of Kafka's client. */
  static <T> AtLeastOnceSink<T> of(
      String bootstrap,
      Map<String, String> properties,
      KafkaRecordSerializationSchema<T> serializer) {
    Properties all = new Properties();
    all.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    all.putAll(properties);
    return new AtLeastOnceSink<>(
        KafkaSink.<T>builder()
            .setBootstrapServers(bootstrap)
            .setKafkaProducerConfig(all)
            .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
            .setRecordSerializer(serializer)
            .build());
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) throws IOException {
    return kafka.createWriter(context);
  }
}
