package org.flowmon.bench.collect;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.flowmon.bench.harness.Row;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;
import org.flowmon.ingest.synthetic.exporter.SentCounts;

/**
 * Routers → UDP → collector → Kafka, with a broker that is killed and restarted. Collector and
 * brokers are separate processes. The sent flows are compared with Kafka's and the collector's
 * counts. The routers do not wait.
 *
 * @param brokers their number; one is killed
 * @param rate flows a second
 * @param before the time before the outage
 * @param outage how long the broker is away; zero: it stays
 * @param after how long flows are sent afterwards
 * @param arguments further ones of the collector
 * @param settings further ones of the brokers
 * @param told whether the collector's log goes to standard error
 */
record BrokerOutage(
    int brokers,
    long rate,
    Duration before,
    Duration outage,
    Duration after,
    long seed,
    List<String> arguments,
    Map<String, String> settings,
    boolean told) {
  private static final int KILLED = 0;
  private static final Duration CATCH_UP = Duration.ofMinutes(5);

  /**
   * The outcome of an outage.
   *
   * @param sent by the routers
   * @param counts of the collector
   * @param topic the flows in Kafka
   * @param cpu of the collector
   * @param caughtUp from the end of sending until nothing waited any more
   */
  record Outcome(
      SentCounts.Count sent,
      Map<String, Long> counts,
      TopicFlows topic,
      Duration cpu,
      Duration caughtUp) {
    long count(String name) {
      return counts.getOrDefault(name, 0L);
    }

    /** Datagrams and flows that are neither in place nor counted. */
    long unaccounted() {
      return Math.abs(
              sent.datagrams()
                  - count("datagrams_received")
                  - count("kernel_drops")
                  - count("datagrams_dropped_at_stop"))
          + Math.abs(count("flows_decoded") - count("flows_published") - count("flows_failed"))
          + Math.abs(count("flows_published") - topic.flows())
          + Math.abs(
              dropped()
                  + count("sequence_lost_flows")
                  + count("flows_dropped_no_template")
                  - topic.losses())
          + topic.missing();
    }

    /** Flows that found no room. */
    long dropped() {
      return count("queue_full") + count("spool_full") + count("spool_failed");
    }

    /** Flows a second in Kafka, from the first one sent until nothing waited any more. */
    double kafkaRate(Duration sending) {
      return topic.flows() * 1e3 / sending.plus(caughtUp).toMillis();
    }

    Row row() {
      return new Row()
          .put("sent", sent.flows())
          .put("decoded", count("flows_decoded"))
          .put("in_kafka", topic.flows())
          .put("dropped", dropped())
          .put("kernel_drops", count("kernel_drops"))
          .put("unaccounted", unaccounted())
          .put("catch_up_s", caughtUp.toMillis() / 1e3)
          .put("bytes_per_flow", topic.bytes() / (double) Math.max(1, topic.flows()))
          .put("cpu_us_per_flow", cpu.toNanos() / 1e3 / Math.max(1, count("flows_decoded")));
    }
  }

  Outcome run(Path folder) throws IOException, InterruptedException {
    try (KafkaProcesses kafka = KafkaProcesses.start(folder, brokers, settings);
        CollectorProcess collector = CollectorProcess.start(told, arguments(kafka))) {
      InetSocketAddress target = UdpCollector.loopback(collector.port());
      TrafficModel model = new TrafficModel(seed, TrafficOptions.defaults());
      try (ExporterSimulator routers =
          new ExporterSimulator(model, target, ExporterSimulator.defaultExporters())) {
        Duration all = before.plus(outage).plus(after);
        FutureTask<SentCounts> sending =
            new FutureTask<>(() -> routers.run(ExporterSimulator.Pace.of(rate, all)));
        Thread sender = new Thread(sending, "bench-routers");
        sender.start();
        Thread.sleep(before.toMillis());
        if (!outage.isZero()) {
          kafka.kill(KILLED);
          Thread.sleep(outage.toMillis());
          kafka.restart(KILLED);
        }
        SentCounts sent = sending.get();
        Duration caughtUp = catchUp(collector);
        Duration cpu = collector.cpu();
        Map<String, Long> counts = collector.stop();
        TopicFlows topic = TopicFlows.read(kafka.bootstrap(), "flows");
        return new Outcome(sent.total(), counts, topic, cpu, caughtUp);
      } catch (ExecutionException e) {
        throw new CommandException("sending failed: " + e.getCause());
      }
    }
  }

  private List<String> arguments(KafkaProcesses kafka) {
    List<String> all = new ArrayList<>(List.of("--bootstrap", kafka.bootstrap()));
    all.addAll(arguments);
    return all;
  }

  /** Waits until nothing waits for Kafka, by counts that are a second old. */
  private static Duration catchUp(CollectorProcess collector) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      Thread.sleep(1100);
      Map<String, Long> counts = collector.counts();
      long underWay =
          counts.getOrDefault("flows_decoded", 0L)
              - counts.getOrDefault("flows_published", 0L)
              - counts.getOrDefault("flows_failed", 0L);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      if (underWay <= 0) {
        return took;
      }
      if (took.compareTo(CATCH_UP) > 0) {
        throw new CommandException("flows still wait for Kafka: " + counts);
      }
    }
  }
}
