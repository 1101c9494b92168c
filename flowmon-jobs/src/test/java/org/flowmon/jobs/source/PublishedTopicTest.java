package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.jobs.RealData;
import org.flowmon.jobs.TestKafka;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What FlowPublisher sends is in the topic of a real broker, in order and whole. */
class PublishedTopicTest {
  @TempDir static Path directory;
  private static TestKafka broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = new TestKafka(directory.resolve("kafka"));
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  private static PublisherOptions options(String topic) {
    return PublisherOptions.of(broker.bootstrap()).withTopic(topic);
  }

  private static void row(FlowPublisher publisher, long arrival, long bytes) {
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, arrival);
    builder.set(FlowColumn.BYTES, bytes);
    builder.endRow();
    publisher.rowsEnded(1);
  }

  /** Checks numbers and order of a partition with a single producer, and sums its bytes. */
  private static long assertStream(String topic, int partition, Map<String, Long> flowsAndBytes) {
    long flows = 0;
    long sequence = 0;
    long arrival = Long.MIN_VALUE;
    for (ConsumerRecord<byte[], byte[]> record : broker.records(topic, partition)) {
      FlowBatch batch = FlowBatch.open(record.value());
      assertEquals(sequence++, batch.sequence());
      flows += batch.rows();
      assertEquals(flows, batch.cumulativeFlows());
      assertEquals(0, batch.cumulativeLosses());
      assertTrue(batch.minArrival() >= arrival, "arrival goes back at " + record.offset());
      arrival = batch.maxArrival();
      for (int i = 0; i < batch.rows(); i++) {
        flowsAndBytes.merge("bytes", batch.getLong(FlowColumn.BYTES, i), Long::sum);
      }
    }
    flowsAndBytes.merge("flows", flows, Long::sum);
    return arrival;
  }

  @Test
  void aLogComesOutOfTheTopicWithItsExactSumsInOrderAndWithItsEnd() throws IOException {
    assertEquals(3, FlowTopics.ensure(broker.bootstrap(), "log", 3));
    FileSummary summary;
    PublisherStats stats;
    try (FlowPublisher publisher = FlowPublisher.open(options("log"))) {
      assertEquals(3, publisher.partitions());
      summary =
          FlowFiles.open(RealData.path("zeek/m57/conn.log.gz"), FileReadOptions.defaults())
              .read(publisher);
      publisher.endOfFile(summary.lastArrival());
      stats = publisher.stats();
    }
    Map<String, Long> sums = new HashMap<>();
    for (int partition = 0; partition < 3; partition++) {
      long last = assertStream("log", partition, sums);
      assertEquals(summary.lastArrival() + 3_600_000_000L, last);
    }
    assertTrue(isLz4("log", 0), "the batches are not compressed by lz4");
    // From exact.tsv.gz: connections and orig_ip_bytes.
    assertEquals(Map.of("flows", 8462L, "bytes", 16_260_310L), sums);
    assertEquals(8462, stats.flowsProduced());
    assertEquals(0, stats.flowsFailed());
    assertEquals(0, stats.arrivalsBack());
    assertTrue(stats.maxLatencyMicros() > 0);
  }

  /**
   * Reads the codec from the log file: the low three bits of a record batch's attributes, 3 is lz4.
   */
  private static boolean isLz4(String topic, int partition) throws IOException {
    Path folder = directory.resolve("kafka").resolve(topic + "-" + partition);
    byte[] log = Files.readAllBytes(folder.resolve("00000000000000000000.log"));
    return (log[22] & 7) == 3;
  }

  @Test
  void aSlowBrokerMakesTheOwnerWaitAndNothingIsLost() throws IOException {
    FlowTopics.ensure(broker.bootstrap(), "slow", 2);
    // Room for only a few batches: the owner must wait repeatedly.
    PublisherOptions options =
        options("slow").withBufferBytes(1 << 16).withProperties(Map.of("batch.size", "16384"));
    int flows = 200_000;
    try (FlowPublisher publisher = FlowPublisher.open(options)) {
      for (int i = 0; i < flows; i++) {
        row(publisher, i, i);
      }
      publisher.flush();
      assertEquals(flows, publisher.stats().flowsProduced());
    }
    Map<String, Long> sums = new HashMap<>();
    assertStream("slow", 0, sums);
    assertStream("slow", 1, sums);
    assertEquals(flows, sums.get("flows"));
    assertEquals((long) flows * (flows - 1) / 2, sums.get("bytes"));
  }

  @Test
  void aBatchThatTheBrokerRefusesIsCountedAndTheNextOnesTellOfTheGap() throws IOException {
    FlowTopics.ensure(
        broker.bootstrap(),
        Map.of(),
        "small",
        1,
        Optional.of((short) 1),
        Map.of("max.message.bytes", "2000"));
    PublisherOptions options =
        options("small").withBatchRows(2000).withProperties(Map.of("compression.type", "none"));
    try (FlowPublisher publisher = FlowPublisher.open(options)) {
      row(publisher, 1, 1);
      publisher.flush();
      for (int i = 0; i < 2000; i++) {
        row(publisher, 2 + i, i);
      }
      publisher.flush();
      row(publisher, 5000, 1);
      publisher.flush();
      PublisherStats stats = publisher.stats();
      assertEquals(Map.of("record_too_large", 2000L), stats.failedByReason());
      assertEquals(2, stats.flowsProduced());
      assertEquals(2002, stats.flowsTaken());
      assertEquals(0, stats.flowsUnderWay());
    }
    List<FlowBatch> batches =
        broker.records("small", 0).stream()
            .map(record -> FlowBatch.open(record.value()))
            .filter(batch -> batch.rows() > 0)
            .toList();
    assertEquals(2, batches.size());
    assertTrue(batches.get(1).sequence() >= 2, "a gap: " + batches.get(1).sequence());
    assertEquals(2002, batches.get(1).cumulativeFlows());
  }

  @Test
  void partitionsThatAreSilentGetHeartbeats() throws Exception {
    FlowTopics.ensure(broker.bootstrap(), "silent", 2);
    PublisherOptions options =
        options("silent").withHeartbeat(Duration.ofMillis(20)).withMaxDelay(Duration.ofMillis(5));
    try (FlowPublisher publisher = FlowPublisher.open(options)) {
      publisher.tick(77);
      long end = System.nanoTime() + 30_000_000_000L;
      while (publisher.stats().heartbeatsProduced() < 6 && System.nanoTime() < end) {
        Thread.sleep(5);
      }
    }
    Map<String, Long> sums = new HashMap<>();
    assertEquals(77, assertStream("silent", 0, sums));
    assertEquals(77, assertStream("silent", 1, sums));
    assertEquals(0, sums.get("flows"));
  }

  @Test
  void aTopicTakesWhatPublishersSendOrItIsSaid() throws Exception {
    String small = Integer.toString(1 << 20);
    Map<String, String> smaller = Map.of("max.message.bytes", small);
    Map<String, String> other = Map.of("retention.ms", "3600000");
    FlowTopics.ensure(broker.bootstrap(), Map.of(), "tight", 1, Optional.empty(), smaller);
    FlowTopics.ensure(broker.bootstrap(), Map.of(), "fits", 1, Optional.empty(), other);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      String warning = FlowTopics.tooSmall(admin, "tight").orElseThrow();
      assertTrue(
          warning.contains("'tight'") && warning.contains(small) && warning.contains("8388608"),
          warning);
      assertEquals(Optional.empty(), FlowTopics.tooSmall(admin, "fits"));
    }
  }

  @Test
  void aTopicThatIsThereStaysAsItIs() throws IOException {
    assertEquals(2, FlowTopics.ensure(broker.bootstrap(), "there", 2));
    assertEquals(2, FlowTopics.ensure(broker.bootstrap(), "there", 5));
  }

  @Test
  void aTopicOrBrokerThatIsNotThereIsNamed() {
    IOException topic =
        assertThrows(
            IOException.class,
            () ->
                FlowPublisher.open(options("missing").withDeliveryTimeout(Duration.ofMillis(500))));
    assertTrue(topic.getMessage().contains("'missing'"), topic.getMessage());
    assertTrue(topic.getMessage().contains(broker.bootstrap()), topic.getMessage());
  }
}
