package org.flowmon.jobs.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.topic.JsonMessage;
import org.flowmon.jobs.topic.KafkaTopics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outcome of each change of the {@link ControlTopic}, and the running analyses, in the topic
 * {@code <name>.status} ({@code docs/format/kafka.md}) for people and the command line; the job
 * does not read it.
 */
public final class ControlStatus implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlStatus.class);
  private static final JsonFactory JSON = new JsonFactory();
  static final int VERSION = 1;
  private static final int MAX_MESSAGE = 4000;

  /** The key of the running analyses: not a valid analysis name. */
  private static final byte[] RUNNING = "#running".getBytes(StandardCharsets.UTF_8);

  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;

  ControlStatus(JobConfig.Kafka kafka) {
    this.topic = topic(ControlTopic.name(kafka));
    this.producer =
        new KafkaProducer<>(
            kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** The outcome of a change; {@code message} says why it was refused; null if it was accepted. */
  public record Outcome(String analysis, long version, @Nullable String message) {
    public boolean isRefused() {
      return message != null;
    }
  }

  static String topic(String controlTopic) {
    return controlTopic + ".status";
  }

  void taken(AnalysisChange change) {
    send(change, null);
  }

  void refused(AnalysisChange change, String error) {
    send(change, error.substring(0, Math.min(error.length(), MAX_MESSAGE)));
  }

  void running(RunningAnalyses running) {
    send(RUNNING, json(running::write));
  }

  private void send(AnalysisChange change, @Nullable String error) {
    send(change.name().getBytes(StandardCharsets.UTF_8), json(change, error));
  }

  private void send(byte[] key, byte[] value) {
    var unused =
        producer.send(
            new ProducerRecord<>(topic, ControlTopic.PARTITION, key, value),
            (metadata, failure) -> {
              if (failure != null) {
                LOG.warn("topic {}: a message was not written: {}", topic, failure.toString());
              }
            });
  }

  private static byte[] json(AnalysisChange change, @Nullable String error) {
    return json(
        json -> {
          json.writeStringField("analysis", change.name());
          json.writeNumberField("change", change.version());
          json.writeStringField(
              "state", error != null ? "refused" : change.text() == null ? "removed" : "running");
          json.writeStringField("message", error);
        });
  }

  /** Writes the members of a message. */
  private interface Members {
    void write(JsonGenerator json) throws IOException;
  }

  private static byte[] json(Members members) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("version", VERSION);
      members.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Waits for the outcome of a change; empty if no job writes one within the time. */
  public static Optional<Outcome> await(
      JobConfig.Kafka kafka, String analysis, long version, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    String topic = topic(ControlTopic.name(kafka));
    TopicPartition partition = new TopicPartition(topic, ControlTopic.PARTITION);
    try (KafkaConsumer<byte[], byte[]> consumer = KafkaTopics.consumer(kafka.clientProperties())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (System.nanoTime() < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          Optional<Outcome> outcome =
              parse(record.value())
                  .filter(one -> one.analysis().equals(analysis) && one.version() == version);
          if (outcome.isPresent()) {
            return outcome;
          }
        }
      }
      return Optional.empty();
    }
  }

  /** The topic's last outcomes by analysis, and what the last job runs; null: none wrote. */
  public record Said(Map<String, Outcome> outcomes, @Nullable RunningAnalyses running) {
    public Said {
      outcomes = Map.copyOf(outcomes);
    }
  }

  public static Said read(JobConfig.Kafka kafka) {
    Map<String, Outcome> last = new HashMap<>();
    RunningAnalyses[] running = new RunningAnalyses[1];
    KafkaTopics.read(
        kafka.clientProperties(),
        topic(ControlTopic.name(kafka)),
        message -> {
          if (Arrays.equals(message.key(), RUNNING)) {
            RunningAnalyses.parse(message.value()).ifPresent(said -> running[0] = said);
          } else {
            parse(message.value()).ifPresent(outcome -> last.put(outcome.analysis(), outcome));
          }
        });
    return new Said(last, running[0]);
  }

  /** Parses an outcome; empty if it is another message. */
  static Optional<Outcome> parse(byte[] message) {
    try {
      JsonMessage json = JsonMessage.parse(message);
      long change = json.number("change");
      Object error = json.scalars().get("message");
      return change < 1
          ? Optional.empty()
          : Optional.of(
              new Outcome(json.text("analysis"), change, error == null ? null : error.toString()));
    } catch (IOException e) {
      return Optional.empty(); // a message of another program
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
