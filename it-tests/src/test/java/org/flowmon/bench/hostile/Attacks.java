package org.flowmon.bench.hostile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.flowmon.bench.collect.KafkaProcesses;
import org.flowmon.bench.harness.BenchResult;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;

/** Good traffic during an attack. */
public final class Attacks implements Experiment {
  @Override
  public void run(Run run) throws Exception {
    List<String> names = run.has("case") ? run.texts("case") : List.of();
    List<DatagramAttack> onCollectors = chosen(names, DatagramAttack.values());
    List<LiveAttack> onJobs = chosen(names, LiveAttack.values());
    if (onCollectors.size() + onJobs.size() < names.size()) {
      throw new UsageException("--case " + String.join(",", names) + ": not all are cases");
    }
    long rate = run.number("rate");
    long seed = run.number("seed");
    if (!onCollectors.isEmpty()) {
      try (KafkaProcesses kafka = KafkaProcesses.start(run.folder(), 1, Map.of())) {
        CollectorCase.Load load = new CollectorCase.Load(rate, run.duration("for"), seed);
        run(
            run,
            onCollectors,
            one -> new CollectorCase(kafka.bootstrap(), one, load, run.duration("known")));
      }
    }
    for (LiveAttack attack : onJobs) {
      run(run, List.of(attack), one -> new LiveCase(one, rate, run.duration("for"), seed));
    }
  }

  private static <A extends Enum<A>> List<A> chosen(List<String> names, A[] attacks) {
    return Stream.of(attacks)
        .filter(one -> one != LiveAttack.NONE)
        .filter(one -> names.isEmpty() || names.contains(one.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  /**
   * Runs cases. The good traffic alone of all cases comes first, because a collector knows an
   * exporter only after a minute.
   */
  private static <A> void run(Run run, List<A> attacks, Function<A, HostileCase> of)
      throws IOException, InterruptedException {
    List<HostileCase> cases = attacks.stream().map(of).toList();
    try {
      List<Outcome> before = new ArrayList<>();
      for (HostileCase one : cases) {
        run.progress("%s: good traffic alone", one.name());
        before.add(one.without());
      }
      for (int i = 0; i < cases.size(); i++) {
        HostileCase one = cases.get(i);
        run.progress("%s: with %s", one.name(), one.attack());
        Outcome without = before.get(i);
        Outcome with = one.with();
        run.add(table(one, without, with));
        run.progress("%s: %s", one.name(), with.verdict());
        run.expect(without.harms().isEmpty(), "%s, alone: %s", one.name(), without.verdict());
        run.expect(with.harms().isEmpty(), "%s: harmed", one.name());
        one.close();
      }
    } finally {
      for (HostileCase one : cases) {
        one.close(); // no effect if it was closed
      }
    }
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
    table.row(new Row().put("figure", figure).put("without", without).put("with", with));
  }
}
