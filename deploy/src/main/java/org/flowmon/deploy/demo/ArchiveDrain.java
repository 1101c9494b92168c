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

/**
 * Waits until the archive holds a whole topic: compares the committed positions with the topic's
 * end.
 */
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
   * Waits for the archive.
   *
   * @param ends the positions to reach, by partition, from {@link #ends}
   * @param progress is told regularly how many batches are still to come
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

  /** The number of uncommitted positions by source key, without zeros. */
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

  /** The committed position of each partition, by source key. */
  Map<String, Long> committed() throws IOException, InterruptedException, TimeoutException {
    Map<String, Long> committed = new TreeMap<>();
    for (String key : ends().keySet()) {
      committed.put(key, Math.max(0, archive.committedEnd(key)));
    }
    return committed;
  }

  /**
   * The topic's ends by source key: {@code <topic id>:<partition>}, the job's names of its sources.
   */
  Map<String, Long> ends() throws InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      TopicDescription description =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .get(topic);
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
