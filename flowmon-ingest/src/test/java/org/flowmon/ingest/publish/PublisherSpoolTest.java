package org.flowmon.ingest.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.publish.PublisherOptions.WhenFull;
import org.flowmon.ingest.spool.Spool;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publisher with a spool: every flow is in the topic once, or counted. */
class PublisherSpoolTest {
  private static final int PARTITIONS = 3;
  private static final int ROWS = 10;
  private static final Duration NEVER = Duration.ofHours(1);
  private static final long LARGE = 1L << 30;

  @TempDir private Path folder;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Message(int partition, byte[] bytes) {}

  /**
   * A producer that, while the broker is away, holds some messages and refuses others, and whose
   * process can be killed.
   */
  private static final class Broker extends MockProducer<byte[], byte[]> {
    private static final int HELD = 40;

    private record Held(Message message, Callback callback) {}

    private final List<Message> topic = new ArrayList<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private boolean there;
    private boolean dead;

    Broker(boolean there) {
      super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
      this.there = there;
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

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      Held one = new Held(new Message(record.partition(), record.value()), callback);
      if (there) {
        deliver(one);
        return CompletableFuture.completedFuture(metadata(one));
      }
      if (held.size() < HELD && !dead) {
        held.add(one);
        return new CompletableFuture<>();
      }
      TimeoutException failure = new TimeoutException("the buffer is full");
      callback.onCompletion(metadata(one), failure);
      return CompletableFuture.failedFuture(failure);
    }

    private void deliver(Held one) {
      topic.add(one.message);
      one.callback.onCompletion(metadata(one), null);
    }

    /** The process does not learn of it. */
    synchronized void deliverSilently() {
      held.forEach(one -> topic.add(one.message));
    }

    synchronized int held() {
      return held.size();
    }

    private static RecordMetadata metadata(Held one) {
      TopicPartition partition = new TopicPartition("flows", one.message.partition);
      return new RecordMetadata(partition, 0, 0, 0, 0, 0);
    }

    synchronized void goAway() {
      there = false;
    }

    synchronized void comeBack() {
      there = true;
      held.forEach(this::deliver);
      held.clear();
    }

    /** Of what is held, the broker has some, but the process does not learn of it. */
    synchronized int kill(Random random) {
      int arrived = held.isEmpty() ? 0 : random.nextInt(held.size() + 1);
      int lost = 0;
      for (Held one : held) {
        if (arrived-- > 0) {
          topic.add(one.message);
        } else {
          lost += FlowBatch.open(one.message.bytes).rows();
        }
      }
      held.clear();
      there = false;
      dead = true;
      return lost;
    }

    synchronized List<Message> topic() {
      return List.copyOf(topic);
    }

    @Override
    public synchronized void close(Duration timeout) {
      held.forEach(
          one -> one.callback.onCompletion(metadata(one), new KafkaException("it is closed")));
      held.clear();
      super.close(timeout);
    }
  }

  /** What a job makes of the messages. */
  private static final class Job {
    private record Position(long flows, long losses, long last, Set<Long> seen) {}

    private final Map<String, Position> streams = new HashMap<>();
    private final Set<Long> flows = new HashSet<>();
    private long repeats;
    private long gaps;

    void read(List<Message> topic, String told) {
      for (Message message : topic) {
        FlowBatch batch = FlowBatch.open(message.bytes);
        String key = message.partition + " " + batch.producerId();
        Position before = streams.getOrDefault(key, new Position(0, 0, -1, new HashSet<>()));
        if (!before.seen.add(batch.sequence())) {
          repeats++;
          continue;
        }
        assertTrue(batch.sequence() > before.last, told + ": no batch overtakes another");
        gaps += batch.cumulativeFlows() - batch.rows() - before.flows;
        streams.put(
            key,
            new Position(
                batch.cumulativeFlows(), batch.cumulativeLosses(), batch.sequence(), before.seen));
        for (int row = 0; row < batch.rows(); row++) {
          assertTrue(flows.add(batch.getLong(FlowColumn.BYTES, row)), told + ": a flow twice");
        }
      }
    }

    long losses() {
      return streams.values().stream().mapToLong(stream -> stream.losses).sum();
    }

    /** In the topic, or lost as it says. */
    long accounted() {
      return flows.size() + gaps + losses();
    }
  }

  private static PublisherOptions options(long queueBytes) {
    return PublisherOptions.ofCollector("unused")
        .withBatchRows(ROWS)
        .withMaxDelay(NEVER)
        .withHeartbeat(NEVER)
        .withStopTimeout(Duration.ofMillis(300))
        .withQueue(queueBytes, WhenFull.DROP);
  }

  private static FlowPublisher open(Path place, Broker kafka, long queueBytes, long spoolBytes)
      throws IOException {
    return new FlowPublisher(
        options(queueBytes), kafka, Optional.of(Spool.open(place, spoolBytes, "flows")));
  }

  private static void row(FlowPublisher publisher, long number) {
    FlowBatchBuilder builder = publisher.builder();
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, number);
    builder.set(FlowColumn.BYTES, number);
    builder.endRow();
    publisher.rowsEnded(1);
  }

  /** Waits for room; returns the number of the next flow. */
  private static int rows(FlowPublisher publisher, int from, int flows)
      throws IOException, InterruptedException {
    for (int i = 0; i < flows; i++) {
      if (i % 100 == 0) {
        awaitRoom(publisher, "flow " + (from + i));
      }
      row(publisher, from + i);
    }
    return from + flows;
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(Condition condition, String told)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < end, told + ": did not happen within 30 s");
      Thread.sleep(2);
    }
  }

  private static void awaitRoom(FlowPublisher publisher, String told)
      throws IOException, InterruptedException {
    await(
        () -> publisher.stats().queue().bytes() < publisher.stats().queue().capacityBytes() * 3 / 4,
        told);
  }

  private static long spooled(FlowPublisher publisher) {
    return publisher.stats().disk().load().flows();
  }

  private static List<Path> files(Path place) throws IOException {
    try (Stream<Path> all = Files.list(place)) {
      return all.filter(file -> file.toString().endsWith(".spool")).toList();
    }
  }

  @Test
  void anOutageLongerThanMemoryLosesNothingAndKeepsTheOrder() throws Exception {
    Broker kafka = new Broker(false);
    int flows = 20_000;
    FlowPublisher publisher = open(folder, kafka, 40_000, LARGE);
    for (int i = 0; i < flows; i++) {
      row(publisher, i);
      if (i % 100 == 0) {
        awaitRoom(publisher, "away");
      }
    }
    assertTrue(spooled(publisher) > flows / 2, publisher.stats().toString());
    assertEquals(flows, publisher.stats().flowsUnderWay());
    kafka.comeBack();
    await(() -> publisher.stats().flowsProduced() == flows, "back");
    for (int i = flows; i < flows + ROWS; i++) {
      row(publisher, i);
    }
    await(() -> !publisher.stats().disk().active(), "back"); // and from now on without the disk
    publisher.close();
    assertEquals(Map.of(), publisher.stats().failedByReason());
    assertEquals(List.of(), files(folder));
    Job job = new Job();
    job.read(kafka.topic(), "");
    assertEquals(flows + ROWS, job.flows.size());
    assertEquals(0, job.gaps + job.repeats + job.losses());
    assertAscending(kafka.topic());
  }

  /** The first flows are with Kafka's producer when the stop comes, the rest in memory. */
  @ParameterizedTest
  @ValueSource(ints = {100, 1000})
  void aStopWithoutKafkaLeavesAllFlowsToTheNextStart(int flows) throws Exception {
    Broker away = new Broker(false);
    FlowPublisher first = open(folder, away, LARGE, LARGE);
    for (int i = 0; i < flows; i++) {
      row(first, i); // far from any bound: it goes to the disk because of the stop
    }
    first.close();
    assertEquals(Map.of(), first.stats().failedByReason());
    assertEquals(flows, first.stats().flowsUnderWay());
    assertEquals(flows, spooled(first));
    Broker back = new Broker(true);
    FlowPublisher second = open(folder, back, LARGE, LARGE);
    for (int i = flows; i < flows + 100; i++) {
      row(second, i);
    }
    await(() -> second.stats().flowsUnderWay() == 0, "second");
    second.close();
    assertEquals(flows, second.stats().flowsRecovered());
    Job job = new Job();
    job.read(back.topic(), "");
    assertEquals(flows + 100, job.flows.size());
    assertEquals(0, job.repeats + job.gaps + job.losses());
    assertAscending(back.topic());
  }

  private static void assertAscending(List<Message> topic) {
    long[] last = new long[PARTITIONS];
    for (Message message : topic) {
      FlowBatch batch = FlowBatch.open(message.bytes);
      assertTrue(batch.minArrival() >= last[message.partition], "arrivals ascend");
      last[message.partition] = batch.maxArrival();
    }
  }

  /** Kafka has what the producer had, but the process ends before it learns of that. */
  @Test
  void whatKafkaHadAllTheSameAfterAStopComesTwiceAndIsKnown() throws Exception {
    Broker kafka = new Broker(false);
    FlowPublisher first = open(folder, kafka, LARGE, LARGE);
    for (int i = 0; i < 1000; i++) {
      row(first, i);
    }
    await(() -> kafka.held() == Broker.HELD, "held");
    kafka.deliverSilently();
    first.close();
    Broker back = copyOf(kafka);
    FlowPublisher second = open(folder, back, LARGE, LARGE);
    await(() -> second.stats().flowsUnderWay() == 0, "second");
    second.close();
    Job job = new Job();
    job.read(back.topic(), "");
    assertEquals(1000, job.flows.size());
    assertEquals(Broker.HELD, job.repeats);
    assertEquals(0, job.gaps);
  }

  /** The folder of the spool is away for a while, as without its mount. */
  @Test
  void aBacklogThatCannotBeReadForNowWaits() throws Exception {
    Path place = folder.resolve("spool");
    Broker kafka = new Broker(false);
    FlowPublisher publisher = open(place, kafka, 40_000, 200_000); // files of 12,500 bytes
    int flows = rows(publisher, 0, 5000);
    await(() -> files(place).size() > 5 && publisher.stats().queue().bytes() == 0, "spooled");
    Path away = folder.resolve("away");
    Files.move(place, away);
    kafka.comeBack();
    await(() -> publisher.stats().disk().readErrors() >= 3, "told");
    assertTrue(publisher.stats().disk().trouble().contains("cannot be read"));
    assertEquals(0, publisher.stats().flowsFailed());
    Files.move(away, place);
    await(() -> publisher.stats().flowsUnderWay() == 0, "read again");
    assertEquals("", publisher.stats().disk().trouble());
    assertEquals(flows, publisher.stats().flowsProduced());
    publisher.close();
    Job job = new Job();
    job.read(kafka.topic(), "");
    assertEquals(flows, job.flows.size());
    assertAscending(kafka.topic());
  }

  /** While the last of the backlog is refused, the disk goes on taking what comes. */
  @Test
  void anOutageAtTheEndOfABacklogGoesToTheDisk() throws Exception {
    Broker kafka = new Broker(false);
    FlowPublisher publisher = open(folder, kafka, 40_000, LARGE);
    int flows = 0;
    for (int round = 0; round < 20; round++) {
      flows = rows(publisher, flows, 400);
      kafka.comeBack();
      flows = rows(publisher, flows, 30 + 10 * round);
      kafka.goAway();
    }
    flows = rows(publisher, flows, 10_000);
    assertEquals(Map.of(), publisher.stats().failedByReason());
    kafka.comeBack();
    int all = flows;
    await(() -> publisher.stats().flowsProduced() == all, "back");
    publisher.close();
    Job job = new Job();
    job.read(kafka.topic(), "");
    assertEquals(all, job.flows.size());
    assertEquals(0, job.gaps + job.repeats);
    assertAscending(kafka.topic());
  }

  /** Until Kafka has acknowledged the last of its batches. */
  @Test
  void theSpoolIsActiveUntilKafkaHasAllOfIt() throws Exception {
    Broker away = new Broker(false);
    FlowPublisher first = open(folder, away, LARGE, LARGE);
    for (int i = 0; i < 100; i++) {
      row(first, i);
    }
    first.close();
    Broker slow = new Broker(false); // takes all, and acknowledges nothing for now
    FlowPublisher second = open(folder, slow, LARGE, LARGE);
    await(() -> slow.held() == 10, "sent");
    assertTrue(second.stats().disk().active());
    slow.comeBack();
    await(() -> !second.stats().disk().active(), "acknowledged, and nothing more comes");
    assertEquals(100, second.stats().flowsProduced());
    second.close();
  }

  /** Outages, stops and kills at random; the spool never fills. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void afterKillsOnlyWhatWasInMemoryIsMissing(long seed) throws Exception {
    Random random = new Random(seed);
    String told = "seed " + seed;
    List<Message> topic = new ArrayList<>();
    Path place = folder.resolve("0");
    Broker kafka = new Broker(true);
    FlowPublisher publisher = open(place, kafka, 20_000, LARGE);
    long atRisk = 0;
    int sent = 0;
    int kills = 0;
    for (int step = 1; step <= 300; step++) {
      int what = random.nextInt(100);
      if (what < 80) {
        awaitRoom(publisher, told);
        for (int rows = random.nextInt(60); rows > 0; rows--) {
          row(publisher, sent++);
        }
      } else if (what < 87) {
        kafka.goAway();
      } else if (what < 93) {
        kafka.comeBack();
      } else if (what < 97) {
        Thread.sleep(random.nextInt(400));
      } else {
        atRisk += publisher.stats().queue().flows() + ROWS;
        Path killed = copy(place, folder.resolve(Integer.toString(step)));
        atRisk += kafka.kill(random);
        kills++;
        publisher.close();
        topic.addAll(kafka.topic());
        place = killed;
        kafka = new Broker(random.nextBoolean());
        publisher = open(place, kafka, 20_000, LARGE);
      }
    }
    kafka.comeBack();
    publisher.close();
    topic.addAll(kafka.topic());
    kafka = new Broker(true);
    FlowPublisher last = open(place, kafka, 20_000, LARGE);
    await(() -> last.stats().flowsUnderWay() == 0, told);
    last.close();
    topic.addAll(kafka.topic());
    Job job = new Job();
    job.read(topic, told);
    long missing = sent - job.accounted();
    assertTrue(kills > 0, told);
    assertTrue(missing >= 0 && missing <= atRisk, told + ": " + missing + " of " + atRisk);
    // Also what gaps report as lost was in memory at a kill, or it would have been on disk.
    long lost = sent - (long) job.flows.size();
    assertTrue(lost <= atRisk, told + ": " + lost + " lost of " + atRisk + " at risk");
    assertTrue(atRisk < sent, told + ": all is at risk, so this shows nothing");
  }

  /** What a kill leaves; files that were sent may be deleted meanwhile. */
  private static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.list(from)) {
      for (Path file : all.toList()) {
        try {
          Files.copy(file, to.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          assertFalse(Files.exists(file));
        }
      }
    }
    return to;
  }

  /** Outages and stops at random, with a spool that is too small. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatFindsNoRoomIsCountedAndToldInTheStreams(long seed) throws Exception {
    Random random = new Random(seed);
    String told = "seed " + seed;
    List<Message> topic = new ArrayList<>();
    Map<String, Long> failed = new HashMap<>();
    Broker kafka = new Broker(false);
    FlowPublisher publisher = open(folder, kafka, 20_000, 15_000);
    int sent = 0;
    for (int step = 1; step <= 200; step++) {
      int what = random.nextInt(100);
      if (what < 80) {
        for (int rows = random.nextInt(200); rows > 0; rows--) {
          row(publisher, sent++);
        }
        Thread.sleep(10);
        assertTrue(publisher.stats().disk().load().bytes() <= 15_000, told);
      } else if (what < 88) {
        kafka.goAway();
      } else if (what < 90) {
        kafka.comeBack();
        Thread.sleep(random.nextInt(300));
      } else if (what < 92) {
        publisher.close();
        publisher.stats().failedByReason().forEach((why, n) -> failed.merge(why, n, Long::sum));
        topic.addAll(kafka.topic());
        kafka = new Broker(random.nextBoolean());
        publisher = open(folder, kafka, 20_000, 15_000);
      }
    }
    kafka.comeBack();
    FlowPublisher last = publisher;
    for (int i = 0; i < PARTITIONS * ROWS; i++) {
      awaitRoom(last, told);
      row(last, sent++);
    }
    await(() -> last.stats().disk().load().batches() == 0, told);
    last.close();
    last.stats().failedByReason().forEach((why, n) -> failed.merge(why, n, Long::sum));
    assertEquals(0, last.stats().flowsUnderWay(), told);
    topic.addAll(kafka.topic());
    Job job = new Job();
    job.read(topic, told);
    long lost = failed.values().stream().mapToLong(Long::longValue).sum();
    assertTrue(failed.getOrDefault(PublisherStats.SPOOL_FULL, 0L) > 0, told + ": " + failed);
    assertEquals(sent, job.flows.size() + lost, told + ": " + failed);
    // A batch that a stop gave up may be the last of its stream, so that no gap shows it.
    long atStop = failed.getOrDefault(PublisherStats.NOT_DELIVERED_AT_STOP, 0L);
    long unseen = sent - job.accounted();
    assertTrue(unseen >= 0 && unseen <= atStop, told + ": " + unseen + " of " + failed);
  }

  @Test
  void aFullDiskStopsNothingAndTakesAgainWhenThereIsRoom() throws Exception {
    Path disk = folder.resolve("disk");
    mountSmallDisk(disk);
    try {
      Path place = disk.resolve("spool");
      Broker kafka = new Broker(false);
      FlowPublisher publisher = open(place, kafka, 100_000, LARGE);
      int sent = 0;
      while (!publisher.stats().failedByReason().containsKey(PublisherStats.SPOOL_FAILED)) {
        for (int i = 0; i < 100; i++) {
          row(publisher, sent++);
        }
        Thread.sleep(1);
        assertTrue(sent < 1_000_000, publisher.stats().toString());
      }
      assertTrue(disk.toFile().getUsableSpace() < 64 << 10, "the disk is full");
      kafka.comeBack();
      await(() -> publisher.stats().disk().load().batches() == 0, "sent");
      long lost = publisher.stats().flowsFailed();
      kafka.goAway();
      long spooled = spooled(publisher);
      for (int i = 0; i < 10_000; i++) {
        awaitRoom(publisher, "there is room again");
        row(publisher, sent++);
      }
      assertTrue(spooled(publisher) > spooled, publisher.stats().toString());
      assertEquals(lost, publisher.stats().flowsFailed(), "nothing more is lost");
      kafka.comeBack();
      publisher.close();
      kafka = copyOf(kafka);
      FlowPublisher rest = open(place, kafka, 100_000, LARGE);
      await(() -> rest.stats().flowsUnderWay() == 0, "rest");
      rest.close();
      Job job = new Job();
      job.read(kafka.topic(), "");
      assertEquals(sent, job.flows.size() + lost);
      assertEquals(lost, job.losses());
      assertEquals(0, job.gaps);
    } finally {
      run("umount", "-l", disk.toString());
    }
  }

  /** The same topic, for the next process. */
  private static Broker copyOf(Broker before) {
    Broker next = new Broker(true);
    next.topic.addAll(before.topic());
    return next;
  }

  /** The test is skipped if this user may not. */
  private static void mountSmallDisk(Path disk) throws IOException, InterruptedException {
    Files.createDirectories(disk);
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "flowmon-test", disk.toString());
    Assumptions.assumeTrue(mounted, "no small file system can be mounted here: needs root");
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return false; // no such program
    }
    process.getInputStream().transferTo(OutputStream.nullOutputStream());
    return process.waitFor() == 0;
  }
}
