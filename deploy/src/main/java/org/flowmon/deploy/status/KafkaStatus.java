package org.flowmon.deploy.status;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.deploy.command.InterruptedCommandException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/** What is in Kafka: how far behind the job is, and what it reported last. */
final class KafkaStatus implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Analyses on the screen; JSON has all. */
  private static final int SHOWN = 6;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final Instant now;

  /** {@code properties} include the bootstrap servers, which answer. */
  KafkaStatus(Map<String, Object> properties, Instant now) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("isolation.level", "read_committed");
    all.put("enable.auto.commit", "false");
    all.put("allow.auto.create.topics", "false");
    all.put("auto.offset.reset", "earliest");
    this.consumer =
        new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.admin = Admin.create(properties);
    this.now = now;
  }

  /** How far the job's commits are behind the topic's end; it commits with each checkpoint. */
  Part lag(String topic, String group, Duration maxLag) {
    Facts facts = new Facts();
    facts.value("topic", topic);
    facts.value("group", group);
    List<TopicPartition> partitions = partitions(topic);
    if (partitions.isEmpty()) {
      return wrong("there is no topic " + topic + "; --topic or --config names the job's", facts);
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, PATIENCE);
    Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
    Map<TopicPartition, Long> next = new HashMap<>(); // to be read by the job, if there is more
    Facts.Table table = facts.table("partitions", "partition", "committed", "end", "behind");
    long behind = 0;
    boolean isCommitted = false;
    for (TopicPartition one : partitions) {
      OffsetAndMetadata at = committed.get(one);
      isCommitted |= at != null;
      long from = Math.max(begins.getOrDefault(one, 0L), at == null ? 0 : at.offset());
      long end = ends.getOrDefault(one, 0L);
      long left = Math.max(0, end - from);
      behind += left;
      table.row(one.partition(), at == null ? null : (Long) at.offset(), end, left);
      if (left > 0) {
        next.put(one, from);
      }
    }
    facts.value("messages_behind", behind);
    String where = topic + ", " + count(partitions.size(), "partition") + ": ";
    if (!isCommitted) {
      return wrong(
          where
              + "group "
              + group
              + " has committed nothing: no job has made a checkpoint, or --group is another",
          facts);
    }
    Instant oldest = first(next).values().stream().min(Comparator.naturalOrder()).orElse(now);
    Duration late = Duration.between(oldest, now);
    facts.value("seconds_behind", Math.max(0, late.toMillis()) / 1000.0);
    String line =
        where
            + (behind == 0
                ? "the job has read all"
                : "the job is "
                    + count(behind, "message")
                    + " behind, the oldest of "
                    + Part.ago(oldest, now)
                    + " ago");
    boolean isLate = late.compareTo(maxLag) > 0;
    return new Part("kafka", isLate ? Part.State.WRONG : Part.State.OK, List.of(line), facts);
  }

  private static Part wrong(String line, Facts facts) {
    return new Part("kafka", Part.State.WRONG, List.of(line), facts);
  }

  private static String count(long count, String of) {
    return String.format("%,d %s%s", count, of, count == 1 ? "" : "s");
  }

  private List<TopicPartition> partitions(String topic) {
    return consumer.listTopics(PATIENCE).getOrDefault(topic, List.of()).stream()
        .map(one -> new TopicPartition(topic, one.partition()))
        .sorted(Comparator.comparingInt(TopicPartition::partition))
        .toList();
  }

  private Map<TopicPartition, OffsetAndMetadata> committed(String group) {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    }
  }

  /** The time of the first message from an offset on, by partition; those in which one comes. */
  private Map<TopicPartition, Instant> first(Map<TopicPartition, Long> from) {
    Map<TopicPartition, Instant> times = new HashMap<>();
    read(
        from,
        record ->
            times.putIfAbsent(
                new TopicPartition(record.topic(), record.partition()),
                Instant.ofEpochMilli(record.timestamp())),
        times);
    return times;
  }

  /** Takes a message. */
  private interface Taker {
    void take(ConsumerRecord<byte[], byte[]> record);
  }

  /** Reads until each partition is known, or for as long as patience lasts. */
  private void read(Map<TopicPartition, Long> from, Taker taker, Map<TopicPartition, ?> known) {
    if (from.isEmpty()) {
      return;
    }
    consumer.assign(from.keySet());
    from.forEach(consumer::seek);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!known.keySet().containsAll(from.keySet()) && System.nanoTime() < end) {
      consumer.poll(Duration.ofMillis(200)).forEach(taker::take);
      Set<TopicPartition> done = new HashSet<>(known.keySet());
      done.retainAll(consumer.assignment());
      consumer.pause(done);
    }
  }

  /** The last report of each analysis, the newest first. */
  Part reports() {
    Map<TopicPartition, Long> last = new HashMap<>();
    List<TopicPartition> all = new ArrayList<>();
    consumer.listTopics(PATIENCE).keySet().stream()
        .filter(name -> name.startsWith(KafkaReports.TOPIC_PREFIX))
        .forEach(name -> all.addAll(partitions(name)));
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(all, PATIENCE);
    consumer
        .endOffsets(all, PATIENCE)
        .forEach(
            (one, end) -> {
              if (end > begins.getOrDefault(one, 0L)) {
                last.put(one, end - 1);
              }
            });
    Map<TopicPartition, ConsumerRecord<byte[], byte[]>> read = new HashMap<>();
    read(
        last,
        record -> read.put(new TopicPartition(record.topic(), record.partition()), record),
        read);
    Map<String, ConsumerRecord<byte[], byte[]>> newest = new TreeMap<>();
    read.values()
        .forEach(
            record ->
                newest.merge(
                    record.topic(), record, (a, b) -> a.timestamp() >= b.timestamp() ? a : b));
    return part(newest.values().stream().toList());
  }

  private Part part(List<ConsumerRecord<byte[], byte[]>> newest) {
    Facts facts = new Facts();
    Facts.Table table =
        facts.table("analyses", "analysis", "window_end", "revision", "rows", "written");
    List<String> lines = new ArrayList<>();
    newest.stream()
        .sorted(Comparator.comparingLong(record -> -record.timestamp()))
        .forEach(
            record -> {
              Instant written = Instant.ofEpochMilli(record.timestamp());
              try {
                ReportRow row = ReportRow.parse(record.value());
                table.row(
                    row.analysis(),
                    FlowTime.text(row.windowEnd()),
                    row.revision(),
                    row.rows(),
                    written.toString());
                lines.add(
                    "%-20s %s  %s, %s ago"
                        .formatted(
                            row.analysis(),
                            FlowTime.text(row.windowEnd()),
                            count(row.rows(), "row"),
                            Part.ago(written, now)));
              } catch (IOException e) {
                lines.add(record.topic() + ": the last message is no report");
              }
            });
    facts.value(
        "last",
        newest.stream()
            .map(ConsumerRecord::timestamp)
            .max(Comparator.naturalOrder())
            .map(time -> Instant.ofEpochMilli(time).toString())
            .orElse(null));
    if (lines.isEmpty()) {
      lines.add("none in topics " + KafkaReports.TOPIC_PREFIX + "*");
    }
    int more = lines.size() - SHOWN;
    List<String> shown = new ArrayList<>(lines.subList(0, Math.min(SHOWN, lines.size())));
    if (more > 0) {
      shown.add("and of " + more + " more analyses, which --json has");
    }
    return new Part("reports", Part.State.OK, shown, facts);
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
    consumer.close();
  }
}
