package org.flowmon.bench.collect;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon bench collect}: measures a collector's losses while a broker is away. */
@Command(
    name = "collect",
    mixinStandardHelpOptions = true,
    description = {
      "Sends exports to a collector, kills a broker, starts it again, and compares what was sent"
          + " with what Kafka holds and what the collector counted.",
      "The exit code is 1 where a flow is neither there nor counted."
    })
public final class CollectBench implements Callable<Integer> {
  /** A broker's default timeouts, not the short ones of tests. */
  private static final Map<String, String> SESSIONS =
      Map.of("broker.session.timeout.ms", "9000", "broker.heartbeat.interval.ms", "2000");

  @Option(
      names = "--brokers",
      split = ",",
      defaultValue = "1,3",
      description = "Numbers of brokers, of which one is killed; default ${DEFAULT-VALUE}.")
  private List<Integer> brokers;

  @Option(
      names = "--outage",
      split = ",",
      defaultValue = "10s,60s",
      converter = DurationConverter.class,
      description = "How long it is away; 0s: it stays. Default ${DEFAULT-VALUE}.")
  private List<Duration> outages;

  @Option(
      names = "--rate",
      defaultValue = "50000",
      description = "Flows a second, 0: as fast as the routers can. Default ${DEFAULT-VALUE}.")
  private long rate;

  @Option(
      names = "--before",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "How long flows are sent before the outage; default ${DEFAULT-VALUE}.")
  private Duration before;

  @Option(
      names = "--after",
      defaultValue = "20s",
      converter = DurationConverter.class,
      description = "And after it; default ${DEFAULT-VALUE}.")
  private Duration after;

  @Option(
      names = "--queue-bytes",
      description = "As of flowmon collect; default: what the collector has by itself.")
  private Long queueBytes;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of the flows.")
  private long seed;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ServicesLog.quiet();
    if (rate < 0 || brokers.stream().anyMatch(n -> n < 1)) {
      throw new UsageException("--rate is at least 0, --brokers at least 1");
    }
    List<String> arguments = new ArrayList<>();
    if (queueBytes != null) {
      arguments.addAll(List.of("--queue-bytes", queueBytes.toString()));
    }
    BenchResult result =
        new BenchResult("collect")
            .explain("queue_full", "flows dropped and counted, as the queue in memory was full")
            .explain("kernel_drops", "datagrams that the socket's buffer had no room for")
            .explain(
                "unaccounted", "datagrams, flows and numbers of streams neither there nor counted")
            .explain("catch_up_s", "from the last flow sent until Kafka had all");
    long unaccounted = 0;
    for (int count : brokers) {
      for (Duration outage : outages) {
        System.err.println(count + " brokers, one away for " + outage.toSeconds() + " s");
        BrokerOutage.Outcome outcome = run(count, outage, arguments);
        unaccounted += outcome.unaccounted();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("brokers", (long) count);
        row.put("outage_s", outage.toSeconds());
        row.putAll(outcome.row());
        result.row(row);
        System.err.println(BenchResult.sentence(row));
      }
    }
    result.print(json);
    return unaccounted == 0 ? ExitCodes.DONE : ExitCodes.NO;
  }

  private BrokerOutage.Outcome run(int count, Duration outage, List<String> arguments)
      throws IOException, InterruptedException {
    try (BenchFolder folder = BenchFolder.of("collect", null)) {
      return new BrokerOutage(count, rate, before, outage, after, seed, arguments, SESSIONS, true)
          .run(folder.path());
    }
  }
}
