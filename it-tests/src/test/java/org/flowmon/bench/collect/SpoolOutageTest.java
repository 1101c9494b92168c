package org.flowmon.bench.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon collect --spool} while a broker is killed, and the collector, too. */
class SpoolOutageTest {
  private static final long RATE = 2_000;

  @TempDir private Path directory;

  /** The topic as the job takes it: repeats are dropped, gaps count as lost. */
  private static final class Taken {
    private record Stream(long next, long flows, long losses) {}

    private final Map<String, Stream> streams = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private long flows;
    private long gaps;

    static Taken of(KafkaProcesses kafka) {
      Taken taken = new Taken();
      TopicFlows.records(kafka.bootstrap(), "flows", taken::take);
      return taken;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
      FlowBatch batch = FlowBatch.open(record.value());
      String key = record.partition() + " " + batch.producerId();
      if (!seen.add(key + " " + batch.sequence())) {
        return;
      }
      Stream before = streams.getOrDefault(key, new Stream(0, 0, 0));
      assertTrue(batch.sequence() >= before.next, "a batch was overtaken: " + key);
      gaps += batch.cumulativeFlows() - batch.rows() - before.flows;
      streams.put(
          key, new Stream(batch.sequence() + 1, batch.cumulativeFlows(), batch.cumulativeLosses()));
      flows += batch.rows();
    }

    long losses() {
      return streams.values().stream().mapToLong(Stream::losses).sum();
    }
  }

  /** Memory for a second of flows, and an outage of ten. */
  @Test
  void anOutageBeyondTheMemoryLosesNothing() throws Exception {
    BrokerOutage outage =
        new BrokerOutage(
            1,
            RATE,
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            1,
            List.of("--spool", directory.resolve("spool").toString(), "--queue-bytes", "300000"),
            Map.of(),
            false);
    BrokerOutage.Outcome outcome = outage.run(directory);
    assertEquals(0, outcome.unaccounted(), outcome.toString());
    assertEquals(0, outcome.count("kernel_drops"), outcome.toString());
    assertTrue(outcome.sent().flows() > 0, outcome.toString());
    assertEquals(outcome.sent().flows(), outcome.topic().flows(), outcome.toString());
    assertEquals(0, outcome.count("spool_flows"), outcome.toString());
  }

  /** The broker is killed, then the collector; both start again, the collector first. */
  @Test
  void afterAKillEveryFlowIsInTheTopicOnceOrInAGapOfItsStream() throws Exception {
    List<String> spool = List.of("--spool", directory.resolve("spool").toString());
    try (KafkaProcesses kafka = KafkaProcesses.start(directory, 1, Map.of())) {
      List<String> arguments = new ArrayList<>(List.of("--bootstrap", kafka.bootstrap()));
      arguments.addAll(spool);
      long first;
      long second;
      try (CollectorProcess killed = CollectorProcess.start(false, arguments)) {
        first = send(killed, 1, Duration.ofSeconds(2));
        await(killed, counts -> counts.getOrDefault("flows_published", 0L) > 0);
        kafka.kill(0);
        first += send(killed, 2, Duration.ofSeconds(9));
        long sent = first;
        await(killed, counts -> counts.getOrDefault("flows_decoded", 0L) == sent);
        await(killed, counts -> counts.getOrDefault("spool_flows", 0L) > 0);
        await(killed, counts -> counts.getOrDefault("queue_used", 1L) == 0);
        killed.kill();
      }
      Map<String, Long> end;
      try (CollectorProcess next = CollectorProcess.start(false, arguments)) {
        second = send(next, 3, Duration.ofSeconds(2)); // while Kafka is still away
        kafka.restart(0);
        second += send(next, 4, Duration.ofSeconds(2));
        long sent = second;
        await(next, counts -> counts.getOrDefault("flows_decoded", 0L) == sent);
        await(
            next,
            counts ->
                counts.getOrDefault("flows_under_way", 1L) == 0
                    && counts.getOrDefault("spool_flows", 1L) == 0);
        end = next.stop();
      }
      Taken taken = Taken.of(kafka);
      String told = end + ": " + taken.flows + " in the topic, in gaps " + taken.gaps;
      assertTrue(end.get("flows_recovered") > 0, told);
      assertEquals(0, end.get("flows_failed"), told);
      assertEquals(0, taken.losses(), told);
      assertEquals(first + second, taken.flows + taken.gaps, told);
      // What Kafka's client had when Kafka went away: some five seconds, until the disk was used.
      assertTrue(taken.gaps < 8 * RATE, told);
    }
  }

  private static long send(CollectorProcess to, long seed, Duration time) throws Exception {
    InetSocketAddress target = UdpCollector.loopback(to.port());
    TrafficModel model = new TrafficModel(seed, TrafficOptions.defaults());
    try (ExporterSimulator routers =
        new ExporterSimulator(model, target, ExporterSimulator.defaultExporters())) {
      return routers.run(ExporterSimulator.Pace.of(RATE, time)).total().flows();
    }
  }

  private static void await(CollectorProcess collector, Predicate<Map<String, Long>> condition)
      throws InterruptedException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!condition.test(collector.counts())) {
      assertTrue(System.nanoTime() < end, collector.counts().toString());
      Thread.sleep(100);
    }
  }
}
