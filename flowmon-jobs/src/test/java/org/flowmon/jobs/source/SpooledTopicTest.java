package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.ingest.publish.PublisherOptions.WhenFull;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.jobs.TestKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the job makes of a collector that was killed while it had flows on disk. */
class SpooledTopicTest extends SequenceCheckFixture {
  private static final int PARTITIONS = 2;
  private static final int ROWS = 100;

  @TempDir private Path directory;

  private static FlowPublisher open(TestKafka kafka, Path spool) throws IOException {
    PublisherOptions options =
        PublisherOptions.of(kafka.bootstrap())
            .withBatchRows(ROWS)
            .withMaxDelay(Duration.ofHours(1))
            .withHeartbeat(Duration.ofHours(1))
            .withQueue(1, WhenFull.WAIT) // so everything goes through the disk
            .withStopTimeout(Duration.ofSeconds(1));
    return FlowPublisher.open(options, Optional.of(Spool.open(spool, 1L << 30, "flows")));
  }

  private static void rows(FlowPublisher publisher, int from, int to) {
    for (int i = from; i < to; i++) {
      FlowBatchBuilder builder = publisher.builder();
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      builder.set(FlowColumn.BYTES, i);
      builder.endRow();
      publisher.rowsEnded(1);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "did not happen within 60 s");
      Thread.sleep(10);
    }
  }

  /** What a kill leaves if the mark was never written. */
  private static void copyFiles(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.list(from)) {
      for (Path file : all.filter(one -> one.toString().endsWith(".spool")).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /** A byte of the last batch but two: one more of its partition follows. */
  private static void damage(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      Path file = all.findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 5 * (36 + batchLength(bytes)) / 2] ^= 1;
      Files.write(file, bytes);
    }
  }

  /** All batches are of nearly the same length: that of the first one. */
  private static int batchLength(byte[] bytes) {
    int first = 22 + "flows".length();
    return ByteBuffer.wrap(bytes).getInt(first + 8);
  }

  @Test
  void whatIsSentAgainCountsOnceAndWhatTheDiskLostIsReported() throws Exception {
    Path data = directory.resolve("kafka");
    Path killed = directory.resolve("killed");
    int arrived = 20_000;
    int sent = 50_000;
    PublisherStats end;
    TestKafka before = new TestKafka(data);
    try {
      FlowTopics.ensure(before.bootstrap(), "flows", PARTITIONS);
      FlowPublisher first = open(before, directory.resolve("spool"));
      rows(first, 0, arrived);
      await(() -> first.stats().flowsProduced() == arrived);
      before.close();
      rows(first, arrived, sent);
      await(() -> first.stats().queue().flows() == 0);
      copyFiles(directory.resolve("spool"), killed);
      first.close();
    } finally {
      before.close(); // no effect if it is
    }
    damage(killed);
    try (TestKafka kafka = new TestKafka(data)) {
      FlowPublisher next = open(kafka, killed);
      await(() -> next.stats().flowsUnderWay() == 0);
      next.close();
      end = next.stats();
      assertEquals(sent, end.flowsRecovered());
      assertEquals(ROWS, end.failedByReason().get(PublisherStats.SPOOL_DAMAGED), end.toString());
      Set<Long> flows = new HashSet<>();
      long lost = 0;
      long repeats = 0;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
            open(1, 0, null)) {
          for (ConsumerRecord<byte[], byte[]> record : kafka.records("flows", partition)) {
            FlowBatch batch = FlowBatch.open(record.value());
            check.processElement(
                new StreamRecord<>(
                    new PositionedBatch("flows:" + partition, record.offset(), batch, 0)));
          }
          for (PositionedBatch taken : check.extractOutputValues()) {
            lost += taken.lostBefore();
            repeats += taken.repeat() ? 1 : 0;
            for (int row = 0; row < taken.batch().rows(); row++) {
              assertTrue(flows.add(taken.batch().getLong(FlowColumn.BYTES, row)));
            }
          }
        }
      }
      assertEquals(ROWS, lost);
      assertEquals(sent - ROWS, flows.size());
      assertEquals(arrived / ROWS, repeats);
    }
  }
}
