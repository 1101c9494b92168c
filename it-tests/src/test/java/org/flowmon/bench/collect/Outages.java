package org.flowmon.bench.collect;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;

/** A collector's losses while a broker is away. */
public final class Outages implements Experiment {
  /** A broker's default timeouts, not the short ones of tests. */
  private static final Map<String, String> SESSIONS =
      Map.of("broker.session.timeout.ms", "9000", "broker.heartbeat.interval.ms", "2000");

  @Override
  public void run(Run run) throws Exception {
    for (int brokers : run.integers("brokers")) {
      for (Duration outage : run.durations("outage")) {
        run.progress("%d brokers, one away for %d s", brokers, outage.toSeconds());
        BrokerOutage.Outcome outcome;
        try (BenchFolder folder = BenchFolder.of("collect")) {
          outcome =
              new BrokerOutage(
                      brokers,
                      run.number("rate"),
                      run.duration("before"),
                      outage,
                      run.duration("after"),
                      run.number("seed"),
                      arguments(run, folder.path()),
                      SESSIONS,
                      true)
                  .run(folder.path());
        }
        Duration all = run.duration("before").plus(outage).plus(run.duration("after"));
        run.add(
            new Row()
                .put("brokers", brokers)
                .put("outage_s", outage.toSeconds())
                .putAll(outcome.row())
                .put("kafka_flows_per_s", outcome.kafkaRate(all)));
        run.expect(
            outcome.unaccounted() == 0,
            "%d are neither in Kafka nor counted",
            outcome.unaccounted());
      }
    }
  }

  private static List<String> arguments(Run run, Path folder) {
    List<String> arguments = new ArrayList<>(List.of("--sockets", run.text("sockets")));
    if (run.has("queue-bytes")) {
      arguments.addAll(List.of("--queue-bytes", run.text("queue-bytes")));
    }
    if (run.has("spool-bytes")) {
      String spool = folder.resolve("spool").toString();
      arguments.addAll(List.of("--spool", spool, "--spool-bytes", run.text("spool-bytes")));
    }
    return arguments;
  }
}
