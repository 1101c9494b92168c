package org.flowmon.bench.hostile;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.flowmon.bench.collect.KafkaProcesses;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon bench hostile}: measures good traffic during an attack. */
@Command(
    name = "hostile",
    mixinStandardHelpOptions = true,
    description = {
      "Sends the same good traffic without and with an attack beside it, to a collector or, by"
          + " Kafka, to a job with archive, with the limits and the memory that they have by"
          + " default, and compares what came of it.",
      "Attacks on the collector, over UDP on loopback: exporters, templates, options, garbage. On"
          + " the job, by the topic of flows: hash, keys, hot, clocks, messages, duplicates, late.",
      "The exit code is 1 where good traffic was harmed."
    })
public final class HostileBench implements Callable<Integer> {
  @Option(
      names = "--case",
      split = ",",
      paramLabel = "NAME",
      description = "Only these; default: all of them.")
  private List<String> names = List.of();

  @Option(
      names = "--for",
      defaultValue = "20s",
      converter = DurationConverter.class,
      description = "How much traffic each case has, twice; default ${DEFAULT-VALUE}.")
  private Duration time;

  @Option(
      names = "--rate",
      paramLabel = "FLOWS",
      defaultValue = "20000",
      description = "Good flows a second; default ${DEFAULT-VALUE}.")
  private long rate;

  @Option(
      names = "--known",
      defaultValue = "61s",
      converter = DurationConverter.class,
      description =
          "How long the good exporters send before a collector is attacked; default"
              + " ${DEFAULT-VALUE}. It knows them after 60 s.")
  private Duration known;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of flows and attacks.")
  private long seed;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ServicesLog.quiet();
    if (rate < 1 || time.toMillis() < 1) {
      throw new UsageException("--rate and --for are at least 1");
    }
    List<DatagramAttack> onCollectors = chosen(DatagramAttack.values());
    List<LiveAttack> onJobs = chosen(LiveAttack.values());
    if (onCollectors.size() + onJobs.size() < names.size()) {
      throw new UsageException("--case " + String.join(",", names) + ": not all are cases");
    }
    List<BenchResult> tables = new ArrayList<>();
    boolean unharmed = true;
    try (BenchFolder folder = BenchFolder.of("hostile", null)) {
      if (!onCollectors.isEmpty()) {
        try (KafkaProcesses kafka = KafkaProcesses.start(folder.path(), 1, Map.of())) {
          CollectorCase.Load load = new CollectorCase.Load(rate, time, seed);
          unharmed &=
              run(
                  onCollectors,
                  attack -> new CollectorCase(kafka.bootstrap(), attack, load, known),
                  tables);
        }
      }
      for (LiveAttack attack : onJobs) {
        unharmed &= run(List.of(attack), one -> new LiveCase(one, rate, time, seed), tables);
      }
    }
    show(tables);
    return unharmed ? ExitCodes.DONE : ExitCodes.NO;
  }

  private <A extends Enum<A>> List<A> chosen(A[] attacks) {
    return Stream.of(attacks)
        .filter(one -> one != LiveAttack.NONE)
        .filter(one -> names.isEmpty() || names.contains(one.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  /**
   * Runs cases. The good traffic alone of all cases comes first, because a collector knows an
   * exporter only after a minute.
   *
   * @return whether none was harmed
   */
  private static <A> boolean run(
      List<A> attacks, Function<A, HostileCase> of, List<BenchResult> tables)
      throws IOException, InterruptedException {
    List<HostileCase> cases = attacks.stream().map(of).toList();
    boolean unharmed = true;
    try {
      List<Outcome> before = new ArrayList<>();
      for (HostileCase one : cases) {
        System.err.printf("%s: good traffic alone%n", one.name());
        before.add(one.without());
      }
      for (int i = 0; i < cases.size(); i++) {
        HostileCase one = cases.get(i);
        System.err.printf("%s: with %s%n", one.name(), one.attack());
        Outcome with = one.with();
        System.err.printf("%s: %s%n", one.name(), with.verdict());
        tables.add(table(one, before.get(i), with));
        unharmed &= before.get(i).harms().isEmpty() && with.harms().isEmpty();
        one.close();
      }
    } finally {
      for (HostileCase one : cases) {
        one.close(); // no effect if it was closed
      }
    }
    return unharmed;
  }

  private static BenchResult table(HostileCase one, Outcome without, Outcome with) {
    BenchResult table = new BenchResult("hostile " + one.name() + ": " + one.attack());
    row(table, "good flows sent", without.sent(), with.sent());
    row(table, "good flows stored", without.stored(), with.stored());
    row(table, "sent by the attack", without.attackSent(), with.attackSent());
    row(table, "flows of the attack stored", without.attackStored(), with.attackStored());
    TreeSet<String> counters = new TreeSet<>(without.counted().keySet());
    counters.addAll(with.counted().keySet());
    for (String counter : counters) {
      row(
          table,
          counter,
          without.counted().getOrDefault(counter, 0L),
          with.counted().getOrDefault(counter, 0L));
    }
    if (!with.windows().isEmpty()) {
      long reports = without.windows().size();
      long differing = with.differing(without).size();
      row(table, "reports that are the same", reports, Math.max(0, reports - differing));
    }
    row(table, "unaccounted", without.unaccounted(), with.unaccounted());
    row(
        table,
        "flows a second",
        Math.round(without.flowsPerSecond()),
        Math.round(with.flowsPerSecond()));
    row(table, "peak memory, MiB", without.peakBytes() >> 20, with.peakBytes() >> 20);
    row(table, "verdict", without.verdict(), with.verdict());
    return table;
  }

  private static void row(BenchResult table, String figure, Object without, Object with) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("figure", figure);
    row.put("without", without);
    row.put("with", with);
    table.row(row);
  }

  private void show(List<BenchResult> tables) throws IOException {
    if (json) {
      BenchResult.merged("hostile", tables).print(true);
    } else {
      for (BenchResult table : tables) {
        table.print(false);
      }
    }
  }
}
