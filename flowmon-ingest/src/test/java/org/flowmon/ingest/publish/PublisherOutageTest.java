package org.flowmon.ingest.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
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
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.ingest.publish.PublisherOptions.WhenFull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publisher while Kafka is away, with a producer that takes nothing until it is told. */
class PublisherOutageTest {
  private static final int PARTITIONS = 3;
  private static final Duration NEVER = Duration.ofHours(1);

  /** A producer that waits within {@code send}, like Kafka's without a broker. */
  private static final class AwayProducer extends MockProducer<byte[], byte[]> {
    private volatile CountDownLatch back = new CountDownLatch(1);
    private volatile CountDownLatch asked = new CountDownLatch(1);

    AwayProducer() {
      super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    // Not synchronized, so that the test's queries do not wait.
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
      asked.countDown();
      try {
        back.await();
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
      return super.send(record, callback);
    }
  }

  /** A producer that refuses some batches within the call. */
  private static final class RefusingProducer extends MockProducer<byte[], byte[]> {
    private final Random random;
    private int refused;

    RefusingProducer(long seed) {
      super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
      random = new Random(seed);
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (random.nextInt(10) > 0) {
        return super.send(record, callback);
      }
      refused++;
      TimeoutException failure = new TimeoutException("the buffer is full");
      callback.onCompletion(null, failure);
      return CompletableFuture.failedFuture(failure);
    }
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

  private static PublisherOptions collector(int rows) {
    return PublisherOptions.ofCollector("unused")
        .withBatchRows(rows)
        .withMaxDelay(NEVER)
        .withHeartbeat(NEVER);
  }

  private static void row(FlowPublisher publisher, long arrival) {
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, arrival);
    builder.set(FlowColumn.BYTES, arrival);
    builder.endRow();
    publisher.rowsEnded(1);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "did not happen within 30 s");
      Thread.sleep(2);
    }
  }

  private static List<FlowBatch> batches(MockProducer<byte[], byte[]> kafka, int partition) {
    return kafka.history().stream()
        .filter(record -> record.partition() == partition)
        .map(record -> FlowBatch.open(record.value()))
        .toList();
  }

  /**
   * Checks numbers and arrivals of all streams, and the losses in them; returns the arrivals of all
   * flows.
   */
  private static List<Long> arrivals(MockProducer<byte[], byte[]> kafka, long losses) {
    List<Long> arrivals = new ArrayList<>();
    long told = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long flows = 0;
      long clock = Long.MIN_VALUE;
      long toldHere = 0;
      List<FlowBatch> batches = batches(kafka, partition);
      for (int i = 0; i < batches.size(); i++) {
        FlowBatch batch = batches.get(i);
        flows += batch.rows();
        String where = "partition " + partition + ", batch " + i;
        assertEquals(i, batch.sequence(), where);
        assertEquals(flows, batch.cumulativeFlows(), where);
        assertTrue(batch.minArrival() >= clock, where + ": arrival goes back");
        clock = batch.maxArrival();
        toldHere = batch.cumulativeLosses();
        for (int row = 0; row < batch.rows(); row++) {
          arrivals.add(batch.getLong(FlowColumn.BYTES, row));
        }
      }
      told += toldHere;
    }
    assertEquals(losses, told, "losses told in the streams");
    return arrivals.stream().sorted().toList();
  }

  @Test
  void whoReceivesNeverWaitsForKafkaAndNothingIsLostThatFindsRoom() throws Exception {
    AwayProducer kafka = new AwayProducer();
    int flows = 100_000;
    FlowPublisher publisher = new FlowPublisher(collector(100), kafka);
    for (int i = 0; i < flows; i++) {
      row(publisher, i); // returns although the producer waits
      if (i % 1000 == 0) {
        publisher.tick(i);
      }
    }
    PublisherStats away = publisher.stats();
    assertEquals(0, away.flowsProduced());
    assertEquals(flows, away.queue().flows());
    assertEquals(flows, away.flowsUnderWay());
    kafka.back.countDown();
    publisher.close();
    assertEquals(flows, publisher.stats().flowsProduced());
    assertEquals(Map.of(), publisher.stats().failedByReason());
    List<Long> arrivals = arrivals(kafka, 0);
    assertEquals(flows, arrivals.size());
    assertEquals(flows - 1, arrivals.get(flows - 1));
  }

  /** The outage is longer than the queue: three minutes' flows for half a minute's room. */
  @Test
  void whatFindsNoRoomIsTheNewestAndIsCountedAndToldInTheStreams() throws Exception {
    AwayProducer kafka = new AwayProducer();
    int flows = 150_000;
    long capacity = new HeapBudget(1L << 30).of(HeapBudget.Part.COLLECTOR_QUEUE) / 1000;
    FlowPublisher publisher =
        new FlowPublisher(collector(1000).withQueue(capacity, WhenFull.DROP), kafka);
    for (int i = 0; i < flows; i++) {
      row(publisher, i);
    }
    PublisherStats away = publisher.stats();
    long fitted = away.queue().flows();
    long dropped = away.failedByReason().get(PublisherStats.QUEUE_FULL);
    assertEquals(flows, fitted + dropped);
    assertTrue(fitted > 0 && dropped > 0, away.toString());
    long batchBytes = away.queue().bytes() / (fitted / 1000);
    assertTrue(away.queue().bytes() < capacity + batchBytes + 1, away.toString());
    kafka.back.countDown();
    await(() -> publisher.stats().queue().flows() == 0);
    for (int i = 0; i < PARTITIONS * 1000; i++) {
      row(publisher, flows + i);
    }
    publisher.close();
    assertEquals(fitted + PARTITIONS * 1000, publisher.stats().flowsProduced());
    assertEquals(0, publisher.stats().flowsUnderWay());
    List<Long> arrivals = arrivals(kafka, dropped);
    assertEquals(fitted - 1, arrivals.get((int) fitted - 1), "the oldest are kept");
    assertEquals(flows, arrivals.get((int) fitted), "the newest were dropped");
  }

  @Test
  void aMinuteOf50000FlowsASecondFindsRoomInTheLaunchersHeap() {
    long bytesOfAFlow = 143; // of the simulated routers
    long queue = new HeapBudget(1L << 30).of(HeapBudget.Part.COLLECTOR_QUEUE);
    assertTrue(queue >= 60 * 50_000 * bytesOfAFlow, queue + " bytes");
    assertEquals(
        0.45,
        new HeapBudget(100 << 20).of(HeapBudget.Part.COLLECTOR_QUEUE) / (double) (100 << 20),
        0.01);
  }

  @Test
  void heartbeatsDoNotPileUpWhileKafkaIsAwayAndAreRightAfterwards() throws Exception {
    AwayProducer kafka = new AwayProducer();
    PublisherOptions options = collector(10).withHeartbeat(Duration.ofMillis(1));
    try (FlowPublisher publisher = new FlowPublisher(options, kafka)) {
      for (int i = 0; i < 25; i++) {
        row(publisher, i);
      }
      for (int tick = 25; tick < 100; tick++) {
        publisher.tick(tick);
        Thread.sleep(2);
      }
      kafka.back.countDown();
      long clock = 99;
      await(
          () ->
              IntStream.range(0, PARTITIONS)
                  .mapToObj(partition -> batches(kafka, partition))
                  .allMatch(all -> !all.isEmpty() && maxArrival(all) == clock));
      publisher.tick(clock);
    }
    // Batches from the outage are sent once: two or three, one of them through the timer.
    List<FlowBatch> all = new ArrayList<>();
    kafka.history().forEach(record -> all.add(FlowBatch.open(record.value())));
    long early = all.stream().filter(b -> b.rows() == 0 && b.maxArrival() < 99).count();
    assertTrue(early <= PARTITIONS, early + " heartbeats of the time when Kafka was away");
    assertEquals(25, arrivals(kafka, 0).size());
  }

  private static long maxArrival(List<FlowBatch> batches) {
    return batches.get(batches.size() - 1).maxArrival();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aBatchThatIsRefusedKeepsItsNumberAndNoneOvertakesIt(long seed) {
    RefusingProducer kafka = new RefusingProducer(seed);
    FlowPublisher publisher = new FlowPublisher(collector(5), kafka);
    for (int i = 0; i < 500; i++) {
      row(publisher, i);
    }
    publisher.close();
    assertTrue(kafka.refused > 0, "seed " + seed);
    assertEquals(500, publisher.stats().flowsProduced(), "seed " + seed);
    assertEquals(500, arrivals(kafka, 0).size(), "seed " + seed);
  }

  @Test
  void aStopWithoutKafkaTakesItsTimeAndCountsWhatIsLost() throws Exception {
    AwayProducer kafka = new AwayProducer();
    PublisherOptions options = collector(10).withStopTimeout(Duration.ofMillis(50));
    FlowPublisher publisher = new FlowPublisher(options, kafka);
    for (int i = 0; i < 25; i++) {
      row(publisher, i);
    }
    assertTrue(kafka.asked.await(30, TimeUnit.SECONDS));
    publisher.close();
    assertEquals(
        Map.of(PublisherStats.NOT_DELIVERED_AT_STOP, 25L), publisher.stats().failedByReason());
    assertEquals(0, publisher.stats().flowsUnderWay());
    assertEquals(0, publisher.stats().queue().bytes());
  }

  @Test
  void aReaderOfFilesWaitsForRoomAndLosesNothing() throws Exception {
    AwayProducer kafka = new AwayProducer();
    PublisherOptions options = collector(10).withQueue(1000, WhenFull.WAIT);
    FlowPublisher publisher = new FlowPublisher(options, kafka);
    Thread reader =
        new Thread(
            () -> {
              for (int i = 0; i < 1000; i++) {
                row(publisher, i);
              }
              publisher.close();
            });
    reader.start();
    await(() -> reader.getState() == Thread.State.WAITING);
    assertTrue(publisher.stats().flowsTaken() < 1000);
    kafka.back.countDown();
    reader.join();
    assertEquals(1000, arrivals(kafka, 0).size());
    assertEquals(0, publisher.stats().flowsFailed());
  }

  @Test
  void kafkaIsAwayWhenNothingOfAPartitionHasArrivedForAWhile() {
    Deliveries deliveries = new Deliveries(2);
    assertEquals(0, deliveries.waitedNanos(100));
    deliveries.begun(0, 100);
    deliveries.begun(0, 150);
    deliveries.begun(1, 170);
    assertFalse(deliveries.isQuiet(0));
    assertEquals(100, deliveries.waitedNanos(200));
    deliveries.ended(0, true, 210);
    assertEquals(40, deliveries.waitedNanos(210));
    assertEquals("{1}", deliveries.waiting(250, 50).toString());
    deliveries.ended(1, false, 260);
    assertTrue(deliveries.isQuiet(1));
    assertEquals(50, deliveries.waitedNanos(260));
    deliveries.ended(0, true, 270);
    assertEquals(0, deliveries.waitedNanos(10_000));
  }
}
