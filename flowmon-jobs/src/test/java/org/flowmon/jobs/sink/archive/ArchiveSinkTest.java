package org.flowmon.jobs.sink.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.FlowPipeline;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.store.S3Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From Kafka into an archive while everything fails; each flow's {@code bytes} is its number. */
class ArchiveSinkTest {
  private static final int PARTITIONS = 3;
  private static final int ROWS = 40;

  private static TestKafka kafka;
  @TempDir private static Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = new TestKafka(directory.resolve("kafka"));
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @Test
  void flowsAreArchivedOnceWhateverFailsAndWhicheverSavepointIsRestored() throws Exception {
    archivedOnce(new Run("failing", 42, ArchiveLocation.of(directory.resolve("archive"))));
  }

  @Test
  void flowsAreArchivedOnceInABucketWhateverFails() throws Exception {
    try (S3Server server = new S3Server(directory.resolve("s3"))) {
      archivedOnce(new Run("failing-s3", 41, server.archive("failing", "cache")));
    }
  }

  private static void archivedOnce(Run run) throws Exception {
    long seed = run.seed;
    Thread sender = run.sendInBackground(900);
    Saboteur.arm(seed);
    JobClient first = run.start(1, false, null);
    Thread.sleep(1200);
    String old = run.savepoint(first);
    Thread.sleep(1500);
    first.cancel().get();
    JobClient second = run.start(2, false, old);
    Thread.sleep(1000);
    String newer = run.savepoint(second);
    Thread.sleep(700);
    second.cancel().get();
    // back to the older one, once more
    JobClient third = run.start(1, false, old);
    Thread.sleep(1000);
    Saboteur.awaitFailures(4); // the number by now depends on the load of the machine
    third.cancel().get();
    int failures = Saboteur.disarm();
    sender.join();
    // A partition restored from an unbounded run has no end: wait for the archive instead.
    JobClient last = run.start(2, false, newer);
    run.awaitCommitted(900);
    last.cancel().get();
    run.assertComplete(900, "seed " + seed + ", after " + failures + " failures");
    assertTrue(failures > 3, "seed " + seed + ": only " + failures + " failures");
    // from the beginning, without any state
    run.start(1, true, null).getJobExecutionResult().get();
    run.assertComplete(900, "seed " + seed + ", repeated from the beginning");
  }

  @Test
  void aBoundedRunCommitsEverythingAtItsEnd() throws Exception {
    Run run = new Run("bounded", 51, ArchiveLocation.of(directory.resolve("archive-bounded")));
    run.interval = "1h";
    run.sendInBackground(100).join();
    run.start(2, true, null).getJobExecutionResult().get();
    run.assertComplete(100, "no checkpoint before the end");
  }

  /** A topic, an archive, and jobs between them. */
  private static final class Run {
    private final String topic;
    private final long seed;
    private final ArchiveLocation archive;
    private String interval = "150ms";

    Run(String topic, long seed, ArchiveLocation archive) throws Exception {
      this.topic = topic;
      this.seed = seed;
      this.archive = archive;
      kafka.createTopic(topic, PARTITIONS);
    }

    JobClient start(int parallelism, boolean bounded, String savepoint) throws Exception {
      Configuration options = LocalFlink.restarts(1000);
      // Of the two runs with failures the local one has aligned checkpoints, as users have.
      options.set(CheckpointingOptions.ENABLE_UNALIGNED, seed % 2 == 1);
      if (savepoint != null) {
        options.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
      }
      StreamExecutionEnvironment env = LocalFlink.environment(parallelism, options);
      JobConfig config = config(parallelism, bounded);
      FlowmonJob.configure(env, config);
      DataStream<PositionedBatch> flows =
          FlowPipeline.flows(env, config)
              .map(new Saboteur())
              .returns(PositionedBatch.TYPE)
              .uid("saboteur")
              .setParallelism(parallelism);
      assertEquals(archive, config.archive());
      DataStream<ArchiveCommittable> sealed =
          ArchiveSink.seal(flows, archive, 700, null).uid("writer");
      // Merging follows every commit: it must change nothing, whatever fails.
      ArchiveSink.commit(sealed, archive, 5000, null).uid("committer");
      return env.executeAsync(topic);
    }

    private JobConfig config(int parallelism, boolean bounded) {
      return JobConfig.parse(
          "test.yaml",
          """
          kafka: {bootstrap: '%s', topic: %s}
          archive: {directory: '%s', store: %s}
          job:
            role: archive
            parallelism: %d
            max_parallelism: 16
            checkpoint_interval: %s
            checkpoint_directory: %s
            bounded: %b
          """
              .formatted(
                  kafka.bootstrap(),
                  topic,
                  archive,
                  yaml(archive.settings()),
                  parallelism,
                  interval,
                  directory.resolve("checkpoints-" + topic).toUri(),
                  bounded));
    }

    private static String yaml(Map<String, String> settings) {
      return settings.entrySet().stream()
          .map(e -> e.getKey() + ": '" + e.getValue() + "'")
          .collect(Collectors.joining(", ", "{", "}"));
    }

    /**
     * Takes a savepoint: a job that always fails may need many attempts, on a busy machine for a
     * while.
     */
    String savepoint(JobClient job) throws Exception {
      String target = directory.resolve("savepoints-" + topic).toUri().toString();
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (true) {
        try {
          return job.triggerSavepoint(target, SavepointFormatType.CANONICAL).get();
        } catch (ExecutionException e) {
          if (System.nanoTime() > end) {
            throw e;
          }
          Thread.sleep(20);
        }
      }
    }

    Thread sendInBackground(int batches) {
      Thread thread =
          new Thread(
              () -> {
                try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
                  for (int batch = 0; batch < batches; batch++) {
                    send(producer, batch, batches);
                    if (batches > 100) {
                      Thread.sleep(6);
                    }
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      thread.start();
      return thread;
    }

    // Sends batches of each partition's producer, a heartbeat after every fifth, and repeats some.
    private void send(KafkaProducer<byte[], byte[]> producer, int batch, int batches)
        throws Exception {
      int partition = batch % PARTITIONS;
      long number = batch / PARTITIONS;
      long beats = number / 5;
      long arrival = TestFlow.START + batch * 1000L;
      FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
      for (int row = 0; row < ROWS; row++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, arrival);
        builder.set(FlowColumn.END_TIME, arrival - row);
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + row);
        builder.set(FlowColumn.BYTES, (long) batch * ROWS + row);
        builder.endRow();
      }
      byte[] bytes = builder.build(partition + 1, number + beats, (number + 1) * ROWS, 0);
      producer.send(new ProducerRecord<>(topic, partition, null, bytes)).get();
      if (number % 5 == 4) {
        byte[] beat =
            Heartbeat.of(partition + 1, number + beats + 1, (number + 1) * ROWS, 0, arrival + 1);
        producer.send(new ProducerRecord<>(topic, partition, null, beat)).get();
      }
      if (isRepeated(number)) {
        producer.send(new ProducerRecord<>(topic, partition, null, bytes)).get();
      }
      assertTrue(batch < batches);
    }

    /** Returns the arrival that every partition has reached. */
    private static long lastArrival(int batches) {
      return TestFlow.START + (batches - PARTITIONS) * 1000L;
    }

    private static boolean isRepeated(long number) {
      return number % 7 == 4;
    }

    private static long messages(int batches) {
      int each = batches / PARTITIONS; // except some that have no heartbeat and no repeat
      long repeats = LongStream.range(0, each).filter(Run::isRepeated).count();
      return batches + PARTITIONS * (each / 5 + repeats);
    }

    private static long committed(ArchiveSnapshot snapshot) {
      return snapshot.committedEnds().values().stream().mapToLong(Long::longValue).sum();
    }

    void awaitCommitted(int batches) throws Exception {
      try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS)) {
        while (true) {
          try (ArchiveSnapshot snapshot = opened.snapshot()) {
            if (committed(snapshot) >= messages(batches)) {
              return;
            }
          }
          Thread.sleep(50);
        }
      }
    }

    void assertComplete(int batches, String when) throws Exception {
      List<Long> found = new ArrayList<>();
      try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS);
          ArchiveSnapshot snapshot = opened.snapshot()) {
        for (SealedSegment segment : snapshot.segments()) {
          try (SegmentLease lease = snapshot.open(segment, true)) {
            SegmentReader reader = lease.rows();
            long[] numbers = new long[reader.rows()];
            reader.readLongs(FlowColumn.BYTES, 0, numbers.length, numbers);
            LongStream.of(numbers).forEach(found::add);
          }
        }
        assertEquals(PARTITIONS, snapshot.committedEnds().size(), when);
        assertEquals(messages(batches), committed(snapshot), when);
        assertEquals(List.of(), snapshot.gaps(), when);
        assertTrue(
            snapshot.reaches(snapshot.committedEnds().keySet(), lastArrival(batches) - 1), when);
      }
      Collections.sort(found);
      assertEquals(LongStream.range(0, (long) batches * ROWS).boxed().toList(), found, when);
    }
  }

  /**
   * Fails at random: between batches, after the barrier has passed on and the committer may have
   * committed, and when a checkpoint is complete.
   */
  private static final class Saboteur
      implements MapFunction<PositionedBatch, PositionedBatch>,
          CheckpointedFunction,
          CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger failures = new AtomicInteger();
    private static Random random;

    static synchronized void arm(long seed) {
      failures.set(0);
      random = new Random(seed);
    }

    /**
     * Waits for failures: there are checkpoints, some of them followed by one, with flows or
     * without.
     */
    static void awaitFailures(int number) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (failures.get() < number && System.nanoTime() < end) {
        Thread.sleep(20);
      }
    }

    static synchronized int disarm() {
      random = null;
      return failures.get();
    }

    private static synchronized void perhapsFail(int oneIn, String where) {
      if (random != null && random.nextInt(oneIn) == 0) {
        failures.incrementAndGet();
        throw new IllegalStateException("a failure on purpose, " + where);
      }
    }

    @Override
    public PositionedBatch map(PositionedBatch batch) {
      perhapsFail(300, "between batches");
      return batch;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
      perhapsFail(8, "after a barrier");
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {}

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      perhapsFail(8, "after a checkpoint");
    }
  }
}
