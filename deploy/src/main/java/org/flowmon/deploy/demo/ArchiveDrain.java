package org.flowmon.deploy.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.archive.Archive;

/** Waits until the committed positions reach a topic's end: the archive holds it whole. */
final class ArchiveDrain {
  private static final long POLL_MILLIS = 250;
  private static final int TIMEOUT_SECONDS = 30;

  private final String bootstrap;
  private final String topic;
  private final Archive archive;

  ArchiveDrain(String bootstrap, String topic, Archive archive) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.archive = archive;
  }

  /**
   * Waits for {@code ends} of {@link #ends}; {@code progress} takes the batches still to come.
   *
   * @throws TimeoutException naming the missing partitions when the limit is over
   */
  void await(Map<String, Long> ends, Duration limit, LongConsumer progress)
      throws IOException, InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Map<String, Long> missing = missing(ends);
      if (missing.isEmpty()) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(
            "after " + limit + " the archive still lacks batches of " + topic + ": " + missing);
      }
      progress.accept(missing.values().stream().mapToLong(n -> n).sum());
      Thread.sleep(POLL_MILLIS);
    }
  }

  private Map<String, Long> missing(Map<String, Long> ends) throws IOException {
    Map<String, Long> missing = new TreeMap<>();
    for (Map.Entry<String, Long> end : ends.entrySet()) {
      long committed = Math.max(0, archive.committedEnd(end.getKey()));
      if (committed < end.getValue()) {
        missing.put(end.getKey(), end.getValue() - committed);
      }
    }
    return missing;
  }

  Map<String, Long> committed() throws IOException, InterruptedException, TimeoutException {
    Map<String, Long> committed = new TreeMap<>();
    for (String key : ends().keySet()) {
      committed.put(key, Math.max(0, archive.committedEnd(key)));
    }
    return committed;
  }

  /** The topic's ends by the job's source key, {@code <topic id>:<partition>}. */
  Map<String, Long> ends() throws InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      TopicDescription description =
          admin
              .describeTopics(List.of(topic))
              .topicNameValues()
              .values()
              .iterator()
              .next()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      Map<TopicPartition, OffsetSpec> latest =
          IntStream.range(0, description.partitions().size())
              .boxed()
              .collect(
                  Collectors.toMap(p -> new TopicPartition(topic, p), p -> OffsetSpec.latest()));
      Map<TopicPartition, ListOffsetsResultInfo> offsets =
          admin.listOffsets(latest).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      Map<String, Long> ends = new TreeMap<>();
      offsets.forEach((p, o) -> ends.put(description.topicId() + ":" + p.partition(), o.offset()));
      return ends;
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "Kafka does not tell the end of topic " + topic + ": " + e.getCause(), e);
    }
  }
}
