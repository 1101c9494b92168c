package org.flowmon.jobs.alert;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.source.FlowSource;
import org.flowmon.jobs.topic.JsonMessage;
import org.flowmon.jobs.topic.KafkaTopics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic of manually resolved alerts ({@code docs/format/alerts.md}), read from the checkpoint's
 * offset, else from the beginning. A message takes effect at least once; a repeat changes nothing.
 */
public final class AlertResolves {
  public static final String TOPIC = "flowmon.alerts.resolve";

  private static final Logger LOG = LoggerFactory.getLogger(AlertResolves.class);
  private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
  private static final int VERSION = 1;
  private static final int MAX_BYTES = 4096;

  private AlertResolves() {}

  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  static KafkaSource<String> source(JobConfig config) {
    return FlowSource.ofFewMessages(
        config,
        TOPIC,
        config.kafka().group() + ".alerts",
        OffsetsInitializer.earliest(),
        new Ids());
  }

  /** Drops invalid messages, counts them ({@code flowmon.bad_values}) and logs them. */
  private static final class Ids implements KafkaRecordDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    private transient Counter badValues;

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      badValues = context.getMetricGroup().addGroup("flowmon").counter("bad_values");
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
      Optional<String> id = parse(record.value());
      if (id.isPresent()) {
        out.collect(id.get());
        return;
      }
      badValues.inc();
      long count = badValues.getCount();
      if (Long.bitCount(count) == 1) { // 1, 2, 4, 8 …: bad messages do not fill the log
        LOG.warn(
            "topic {}: the message at offset {} is left out ({} so far): it does not resolve an"
                + " alert",
            record.topic(),
            record.offset(),
            count);
      }
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }

  /** The id in a message; empty if the message is invalid or of another version. */
  static Optional<String> parse(byte[] message) {
    if (message == null || message.length > MAX_BYTES) {
      return Optional.empty();
    }
    try {
      JsonMessage json = JsonMessage.parse(message);
      return json.integer("version") == VERSION
          ? Optional.of(json.text("id")).filter(AlertResolves::isId)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static String message(String id) {
    return "{\"version\":" + VERSION + ",\"id\":\"" + id + "\"}";
  }

  /** Resolves these alerts by messages; {@code ConfigException} if Kafka refuses one. */
  public static void send(Map<String, Object> properties, Collection<String> ids) {
    List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>();
    for (String id : ids) {
      if (!isId(id)) {
        throw new IllegalArgumentException("not the id of an alert: " + id);
      }
      byte[] key = id.getBytes(StandardCharsets.UTF_8);
      byte[] value = message(id).getBytes(StandardCharsets.UTF_8);
      messages.add(new ProducerRecord<>(TOPIC, key, value));
    }
    KafkaTopics.send(properties, messages);
  }
}
