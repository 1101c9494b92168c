package org.flowmon.bench.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/** The reports of jobs in Kafka, read like any consumer ({@code docs/format/reports.md}). */
public final class ReportLog implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<TopicPartition, Long> read = new HashMap<>();

  /**
   * The facts about one window of one analysis.
   *
   * @param end microseconds
   * @param history status of its lookup
   * @param rows sent rows
   * @param flows kept by the filter, by arrival
   * @param missing late, ahead of time, lost
   * @param bytes the sum of its rows' {@code bytes}; for anomaly that of its summary
   * @param pairs for anomaly the groups of its window; else 0
   * @param sentMillis when the last of its rows was given to Kafka
   */
  public record Window(
      String analysis,
      long end,
      String history,
      int rows,
      long flows,
      long missing,
      BigInteger bytes,
      long pairs,
      long sentMillis) {}

  public ReportLog(String bootstrap) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000);
    this.consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** The windows of the messages since the last call, up to now. */
  List<Window> next() throws IOException {
    return next(row -> {});
  }

  /**
   * The windows of the messages since the last call, up to now.
   *
   * @param rows takes each row
   */
  public List<Window> next(Consumer<JsonNode> rows) throws IOException {
    List<TopicPartition> partitions = new ArrayList<>();
    for (Map.Entry<String, List<PartitionInfo>> topic : consumer.listTopics().entrySet()) {
      if (topic.getKey().startsWith(KafkaReports.TOPIC_PREFIX)) {
        topic
            .getValue()
            .forEach(one -> partitions.add(new TopicPartition(topic.getKey(), one.partition())));
      }
    }
    consumer.assign(partitions);
    partitions.forEach(partition -> consumer.seek(partition, read.getOrDefault(partition, 0L)));
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    Map<String, Window> windows = new HashMap<>();
    while (isBehind(ends)) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        JsonNode row = json.readTree(record.value());
        if (row.path("rows").asInt() > 0) {
          rows.accept(row);
        }
        add(windows, row, record.timestamp());
        read.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
      }
      partitions.forEach(partition -> read.put(partition, consumer.position(partition)));
    }
    return List.copyOf(windows.values());
  }

  private boolean isBehind(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .anyMatch(end -> read.getOrDefault(end.getKey(), 0L) < end.getValue());
  }

  private static void add(Map<String, Window> windows, JsonNode row, long sentMillis) {
    String analysis = row.path("analysis").asText();
    String end = row.path("window_end").asText();
    JsonNode confidence = row.path("confidence");
    JsonNode columns = row.path("columns");
    boolean counts = !columns.has("part") || columns.path("part").asText().equals("summary");
    BigInteger bytes = counts ? columns.path("bytes").bigIntegerValue() : BigInteger.ZERO;
    Instant time = Instant.parse(end);
    Window one =
        new Window(
            analysis,
            time.getEpochSecond() * 1_000_000 + time.getNano() / 1000,
            confidence.path("history").asText(),
            row.path("rows").asInt() == 0 ? 0 : 1,
            confidence.path("flows").asLong(),
            confidence.path("late_flows").asLong()
                + confidence.path("ahead_flows").asLong()
                + confidence.path("lost_flows").asLong(),
            bytes,
            counts ? columns.path("pairs_both").asLong() + columns.path("pairs_now").asLong() : 0,
            sentMillis);
    windows.merge(analysis + ' ' + end, one, ReportLog::plus);
  }

  private static Window plus(Window a, Window b) {
    return new Window(
        a.analysis,
        a.end,
        a.history,
        a.rows + b.rows,
        a.flows,
        a.missing,
        a.bytes.add(b.bytes),
        a.pairs + b.pairs,
        Math.max(a.sentMillis, b.sentMillis));
  }

  /** The windows with rows: a window without rows sends a report of its counts alone. */
  static List<Window> withRows(Collection<Window> windows) {
    return windows.stream().filter(window -> window.rows() > 0).toList();
  }

  /** The number of windows with complete history. */
  static long exact(Collection<Window> windows) {
    return windows.stream().filter(window -> window.history().equals("exact")).count();
  }

  /** The windows of one analysis. */
  public static List<Window> of(Collection<Window> windows, String analysis) {
    return windows.stream().filter(window -> window.analysis().equals(analysis)).toList();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
