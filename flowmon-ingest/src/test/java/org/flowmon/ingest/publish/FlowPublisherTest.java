package org.flowmon.ingest.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages that the publisher hands to Kafka's producer. */
class FlowPublisherTest {
  private static final int PARTITIONS = 3;
  private static final Duration NEVER = Duration.ofHours(1);

  private final MockProducer<byte[], byte[]> kafka = producer(true);

  private static MockProducer<byte[], byte[]> producer(boolean autoComplete) {
    return new MockProducer<>(
        cluster(), autoComplete, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static Cluster cluster() {
    Node node = new Node(1, "127.0.0.1", 1);
    List<PartitionInfo> partitions =
        IntStream.range(0, PARTITIONS)
            .mapToObj(
                p -> new PartitionInfo("flows", p, node, new Node[] {node}, new Node[] {node}))
            .toList();
    return new Cluster("c", List.of(node), partitions, Set.of(), Set.of());
  }

  private static PublisherOptions options(int rows) {
    return PublisherOptions.of("unused")
        .withBatchRows(rows)
        .withMaxDelay(NEVER)
        .withHeartbeat(NEVER);
  }

  private static void row(FlowPublisher publisher, long arrival, long bytes) {
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, arrival);
    builder.set(FlowColumn.BYTES, bytes);
    builder.endRow();
    publisher.rowsEnded(1);
  }

  private static List<FlowBatch> batches(MockProducer<byte[], byte[]> producer, int partition) {
    return producer.history().stream()
        .filter(record -> record.partition() == partition)
        .map(record -> FlowBatch.open(record.value()))
        .toList();
  }

  /** Waits for another thread; a machine may be slow. */
  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "did not happen within 30 s");
      Thread.sleep(2);
    }
  }

  @Test
  void whatWaitsIsSentThoughABuilderWasAskedForInVain() throws InterruptedException {
    PublisherOptions options =
        options(10).withMaxDelay(Duration.ofMillis(2)).withHeartbeat(Duration.ofMillis(2));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      row(publisher, 7, 1);
      // Like a decoder that finds a set's records cut off.
      FlowBatchBuilder unused = publisher.builder();
      assertNotNull(unused);
      publisher.tick(8);
      await(() -> publisher.stats().flowsProduced() == 1);
      await(() -> publisher.stats().heartbeatsProduced() > 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyFlowIsInOneBatchAndStreamsAreNumberedWithoutAGap(long seed) {
    Random random = new Random(seed);
    int flows = 5000 + random.nextInt(5000);
    long arrival = 0;
    FlowPublisher publisher = new FlowPublisher(options(1 + random.nextInt(200)), kafka);
    for (int i = 0; i < flows; i++) {
      arrival += random.nextInt(3);
      row(publisher, arrival, i);
      if (random.nextInt(500) == 0) {
        publisher.flush();
      }
    }
    publisher.close();
    Set<Long> seen = new TreeSet<>();
    Set<Long> ids = new TreeSet<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertStream(batches(kafka, partition), "seed " + seed + ", partition " + partition);
      for (FlowBatch batch : batches(kafka, partition)) {
        ids.add(batch.producerId());
        for (int i = 0; i < batch.rows(); i++) {
          assertTrue(seen.add(batch.getLong(FlowColumn.BYTES, i)), "seed " + seed + ": twice");
        }
      }
    }
    assertEquals(flows, seen.size(), "seed " + seed);
    assertEquals(PARTITIONS, ids.size());
    assertEquals(flows, publisher.stats().flowsTaken());
    assertEquals(flows, publisher.stats().flowsProduced());
    assertEquals(kafka.history().size(), publisher.stats().batchesProduced());
    assertEquals(
        kafka.history().stream().mapToLong(record -> record.value().length).sum(),
        publisher.stats().bytesProduced());
    assertEquals(0, publisher.stats().arrivalsBack());
    assertTrue(kafka.history().stream().allMatch(record -> record.key() == null));
  }

  private static void assertStream(List<FlowBatch> batches, String where) {
    long flows = 0;
    long arrival = Long.MIN_VALUE;
    for (int i = 0; i < batches.size(); i++) {
      FlowBatch batch = batches.get(i);
      flows += batch.rows();
      assertEquals(i, batch.sequence(), where);
      assertEquals(flows, batch.cumulativeFlows(), where);
      assertEquals(batches.get(0).producerId(), batch.producerId(), where);
      assertTrue(batch.minArrival() >= arrival, where + ": arrival goes back");
      arrival = batch.maxArrival();
    }
  }

  @Test
  void aRowThatWaitsIsSentWithoutAnotherCall() throws InterruptedException {
    PublisherOptions options = options(1000).withMaxDelay(Duration.ofMillis(20));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      row(publisher, 5, 1);
      await(() -> kafka.history().size() == 1);
      assertEquals(1, batches(kafka, 0).get(0).rows());
    }
  }

  @Test
  void silentPartitionsGetHeartbeatsWithTheLargestArrival() throws InterruptedException {
    PublisherOptions options = options(2).withHeartbeat(Duration.ofMillis(10));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      Thread.sleep(50);
      assertEquals(0, kafka.history().size(), "no clock is known yet");
      row(publisher, 70, 1);
      row(publisher, 80, 2);
      await(() -> publisher.stats().heartbeatsProduced() >= 6);
      publisher.tick(500);
      await(() -> lastOfAll().allMatch(arrival -> arrival == 500));
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertStream(batches(kafka, partition), "partition " + partition);
      assertEquals(80, firstHeartbeat(partition).maxArrival());
    }
    assertEquals(2, kafka.history().stream().mapToInt(r -> FlowBatch.open(r.value()).rows()).sum());
  }

  private FlowBatch firstHeartbeat(int partition) {
    return batches(kafka, partition).stream().filter(b -> b.rows() == 0).findFirst().get();
  }

  private LongStream lastOfAll() {
    return IntStream.range(0, PARTITIONS)
        .mapToObj(partition -> batches(kafka, partition))
        .mapToLong(all -> all.get(all.size() - 1).maxArrival());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void heartbeatsNeverOvertakeFlowsThatWait(long seed) throws InterruptedException {
    Random random = new Random(seed);
    PublisherOptions options =
        options(50).withHeartbeat(Duration.ofMillis(1)).withMaxDelay(Duration.ofMillis(3));
    FlowPublisher publisher = new FlowPublisher(options, kafka);
    int flows = 20_000;
    for (int i = 0; i < flows; i++) {
      row(publisher, i, i);
      if (random.nextInt(4) == 0) {
        publisher.tick(i);
      }
      if (random.nextInt(200) == 0) {
        Thread.sleep(1);
      }
    }
    publisher.close();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertStream(batches(kafka, partition), "seed " + seed + ", partition " + partition);
    }
    assertEquals(flows, publisher.stats().flowsProduced());
    assertTrue(publisher.stats().heartbeatsProduced() > 0);
  }

  @Test
  void aBuilderThatWasHandedOutIsLeftAlone() throws InterruptedException {
    PublisherOptions options =
        options(10).withHeartbeat(Duration.ofMillis(1)).withMaxDelay(Duration.ofMillis(1));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      publisher.tick(5);
      FlowBatchBuilder builder = publisher.builder();
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 7);
      int before = kafka.history().size();
      Thread.sleep(50);
      assertEquals(before, kafka.history().size());
      builder.endRow();
      publisher.rowsEnded(1);
      await(() -> publisher.stats().flowsProduced() == 1);
    }
  }

  @Test
  void theEndOfFilesTellsEveryPartitionAnHourLater() {
    FlowPublisher publisher = new FlowPublisher(options(100), kafka);
    row(publisher, 1_000_000, 1);
    publisher.endOfFile(1_000_000);
    assertEquals(
        List.of(3_601_000_000L, 3_601_000_000L, 3_601_000_000L), lastOfAll().boxed().toList());
    assertEquals(1, publisher.stats().flowsProduced());
    assertEquals(3, publisher.stats().heartbeatsProduced());
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<FlowBatch> all = batches(kafka, partition);
      assertTrue(all.get(all.size() - 1).isEndOfInput());
    }
    publisher.close();
  }

  @Test
  void theEndOfFilesIsNotThePublishersClock() throws InterruptedException {
    PublisherOptions options = options(1).withHeartbeat(Duration.ofMillis(1));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      row(publisher, 1_000_000, 1);
      publisher.endOfFile(1_000_000);
      row(publisher, 2_000_000, 1);
      long before = publisher.stats().heartbeatsProduced();
      await(() -> publisher.stats().heartbeatsProduced() > before + 3);
    }
    for (var record : List.copyOf(kafka.history())) {
      FlowBatch batch = FlowBatch.open(record.value());
      assertTrue(
          batch.isEndOfInput() ? batch.rows() == 0 : batch.maxArrival() <= 2_000_000,
          "a heartbeat at " + batch.maxArrival());
    }
  }

  @Test
  void rowsThatMakeNoBatchAreCountedAndTheNextOnesAreSent() {
    FlowPublisher publisher = new FlowPublisher(options(2), kafka);
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.BYTES, 1);
    builder.endRow(); // a flow without an arrival
    publisher.rowsEnded(1);
    row(publisher, 5, 1);
    for (int i = 0; i < 6; i++) {
      row(publisher, 6, 1);
    }
    publisher.close();
    PublisherStats stats = publisher.stats();
    assertEquals(8, stats.flowsTaken());
    assertEquals(6, stats.flowsProduced());
    assertEquals(Map.of("illegal_state", 2L), stats.failedByReason());
    assertEquals(0, stats.flowsUnderWay());
  }

  @Test
  void aTextThatIsNotUtf8CostsItsBatchAloneAndIsCounted() {
    FlowPublisher publisher = new FlowPublisher(options(2), kafka);
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 5);
    builder.setText(FlowColumn.SERVICE, new byte[] {(byte) 0xc3, 'x'});
    builder.endRow();
    publisher.rowsEnded(1);
    for (int i = 0; i < 2 * PARTITIONS + 1; i++) {
      row(publisher, 6, 1);
    }
    publisher.close();
    PublisherStats stats = publisher.stats();
    assertEquals(2 * PARTITIONS + 2, stats.flowsTaken());
    assertEquals(2 * PARTITIONS, stats.flowsProduced());
    assertEquals(2, stats.failedByReason().values().stream().mapToLong(n -> n).sum());
    assertEquals(0, stats.flowsUnderWay());
    FlowBatch first = batches(kafka, 0).get(0);
    assertEquals(0, first.sequence());
    assertEquals(2, first.cumulativeFlows());
    assertEquals(2, first.cumulativeLosses());
  }

  @Test
  void aStreamTellsOfRowsThatMadeNoBatch() {
    FlowPublisher publisher = new FlowPublisher(options(1), kafka);
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.BYTES, 1);
    builder.endRow();
    publisher.rowsEnded(1);
    for (int i = 0; i < PARTITIONS; i++) {
      row(publisher, 7, 1);
    }
    publisher.close();
    FlowBatch first = batches(kafka, 0).get(0);
    assertEquals(0, first.sequence());
    assertEquals(1, first.cumulativeLosses());
  }

  @Test
  void aCloseThatIsInterruptedStillWaitsForKafkasLastWord() {
    List<Duration> closes = new ArrayList<>();
    MockProducer<byte[], byte[]> interrupted =
        new MockProducer<>(
            cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public void close(Duration timeout) {
            closes.add(timeout);
            if (closes.size() == 1) {
              throw new InterruptException(new InterruptedException("as Kafka's producer does"));
            }
            assertFalse(Thread.currentThread().isInterrupted());
            while (errorNext(new TimeoutException("closed"))) {
              // like a forced close
            }
            super.close(timeout);
          }
        };
    FlowPublisher publisher = new FlowPublisher(options(10), interrupted);
    row(publisher, 1, 1);
    publisher.close();
    assertTrue(Thread.interrupted(), "the flag is the caller's to see");
    assertEquals(Duration.ZERO, closes.get(1));
    assertEquals(1, publisher.stats().flowsFailed());
    assertEquals(0, publisher.stats().flowsUnderWay());
  }

  @Test
  void rowsThatNobodyToldOfAreCountedWhenTheyAreSent() {
    FlowPublisher publisher = new FlowPublisher(options(10), kafka);
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 1);
    builder.endRow();
    publisher.close();
    assertEquals(1, publisher.stats().flowsProduced());
    assertEquals(0, publisher.stats().flowsUnderWay());
  }

  @Test
  void whatIsNotDeliveredIsCountedByReasonAndShowsAsAGap() throws InterruptedException {
    MockProducer<byte[], byte[]> failing = producer(false);
    FlowPublisher publisher = new FlowPublisher(options(10), failing);
    for (int i = 0; i < 60; i++) {
      row(publisher, i, i);
    }
    // Six batches, two for each partition: the first of partition 1 is lost.
    assertEquals(60, publisher.stats().flowsUnderWay());
    await(() -> failing.history().size() == 6);
    assertTrue(failing.completeNext());
    assertTrue(failing.errorNext(new TimeoutException("too slow")));
    while (failing.completeNext()) {
      // all others arrive
    }
    PublisherStats stats = publisher.stats();
    assertEquals(60, stats.flowsTaken());
    assertEquals(50, stats.flowsProduced());
    assertEquals(10, stats.flowsFailed());
    assertEquals(1, stats.batchesFailed());
    assertEquals(Map.of("timeout", 10L), stats.failedByReason());
    assertEquals(0, stats.flowsUnderWay());
    FlowBatch next = batches(failing, 1).get(1);
    assertEquals(1, next.sequence());
    assertEquals(20, next.cumulativeFlows());
    assertEquals(0, next.cumulativeLosses());
    publisher.close();
  }

  @Test
  void memoryThatIsShortForAMomentDoesNotEndTheSender() throws InterruptedException {
    AtomicInteger left = new AtomicInteger(2);
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(
            cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> message, Callback callback) {
            switch (left.getAndDecrement()) {
              case 2 -> throw new OutOfMemoryError("of a test");
              case 1 -> throw new IndexOutOfBoundsException("of a test");
              default -> {
                return super.send(message, callback);
              }
            }
          }
        };
    try (FlowPublisher publisher = new FlowPublisher(options(1), producer)) {
      row(publisher, 1, 1);
      row(publisher, 2, 1);
      await(() -> publisher.stats().flowsProduced() == 2);
      assertEquals(0, publisher.stats().flowsFailed());
    }
  }

  @Test
  void lossesBeforeTheTopicStandInTheHeadersThatFollow() {
    FlowPublisher publisher = new FlowPublisher(options(1), kafka);
    row(publisher, 1, 1);
    publisher.lost(5);
    row(publisher, 2, 2);
    row(publisher, 3, 3);
    publisher.lost(2);
    row(publisher, 4, 4);
    row(publisher, 5, 5);
    publisher.close();
    List<Long> losses = new ArrayList<>();
    kafka.history().forEach(r -> losses.add(FlowBatch.open(r.value()).cumulativeLosses()));
    // Partitions 0, 1, 2, 0, 1: each loss is in one stream, so that sums are right.
    assertEquals(List.of(0L, 5L, 0L, 2L, 5L), losses);
    assertEquals(7, publisher.stats().flowsLostBefore());
  }

  @Test
  void lossesToldLastAreSentByTheCloseWhereNoBatchFollows() {
    FlowPublisher publisher = new FlowPublisher(options(1), kafka);
    row(publisher, 1, 1);
    publisher.lost(5); // for partition 1, which has no messages
    publisher.tick(9);
    publisher.close();
    assertEquals(2, kafka.history().size(), "only a stream with losses to tell has a heartbeat");
    FlowBatch last = batches(kafka, 1).get(0);
    assertEquals(0, last.rows());
    assertEquals(5, last.cumulativeLosses());
    assertEquals(9, last.maxArrival());
    assertEquals(0, last.sequence());
  }

  @Test
  void lossesOfRowsThatMadeNoBatchAtTheCloseAreTold() {
    FlowPublisher publisher = new FlowPublisher(options(2), kafka);
    publisher.tick(9);
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.BYTES, 1);
    builder.endRow(); // a flow without an arrival
    publisher.rowsEnded(1);
    publisher.close();
    assertEquals(1, kafka.history().size());
    assertEquals(1, batches(kafka, 0).get(0).cumulativeLosses());
  }

  @Test
  void lossesToldAfterTheEndOfFilesDoNotTakeTheEndBack() {
    FlowPublisher publisher = new FlowPublisher(options(1), kafka);
    row(publisher, 1_000_000, 1);
    publisher.lost(2);
    publisher.endOfFile(1_000_000);
    assertEquals(2, batches(kafka, 1).get(0).cumulativeLosses());
    publisher.lost(3);
    publisher.close();
    List<FlowBatch> all = batches(kafka, 1);
    assertEquals(2, all.size());
    assertEquals(5, all.get(1).cumulativeLosses());
    assertTrue(all.get(1).isEndOfInput());
    assertEquals(3_601_000_000L, all.get(1).maxArrival());
    assertEquals(5, kafka.history().size());
  }

  @Test
  void arrivalsThatGoBackAreCounted() {
    FlowPublisher publisher = new FlowPublisher(options(1), kafka);
    for (long arrival : new long[] {10, 10, 10, 9, 10, 11}) {
      row(publisher, arrival, 1);
    }
    publisher.close();
    assertEquals(1, publisher.stats().arrivalsBack());
  }

  @Test
  void closingSendsTheRestAndEndsThePublisher() {
    FlowPublisher publisher = new FlowPublisher(options(100), kafka);
    row(publisher, 1, 1);
    publisher.builder().beginRow(); // and not ended
    publisher.close();
    publisher.close();
    assertEquals(1, batches(kafka, 0).get(0).rows());
    assertTrue(kafka.closed());
    assertThrows(IllegalStateException.class, publisher::builder);
    assertThrows(IllegalStateException.class, publisher::flush);
  }

  @Test
  void optionsThatCannotBeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> options(0));
    assertThrows(IllegalArgumentException.class, () -> options(FlowBatch.MAX_ROWS + 1));
    assertThrows(IllegalArgumentException.class, () -> options(1).withMaxDelay(Duration.ZERO));
    Map<String, Object> config =
        options(1).withProperties(Map.of("acks", "0", "linger.ms", "7")).producerConfig();
    assertEquals("all", config.get("acks"));
    assertEquals("7", config.get("linger.ms"));
  }
}
