package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.deploy.command.CommandException;

/**
 * Gives several systems the same rows and the same queries. Each is loaded alone. Then all systems
 * answer each query in turn, round by round, so that a noisy machine disturbs all alike. Answers
 * are compared with those of the first system.
 */
public final class SystemComparison {
  private static final int MAX_WARM_RUNS = 500;
  // Shorter queries run again for this time before each timed run.
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Workload workload;
  private final List<WorkloadQuery> queries;
  private final int threads;
  private final Duration warmUp;
  private final int rounds;
  private final Consumer<String> progress;
  private final List<SystemFigures> figures = new ArrayList<>();
  private final Map<String, Answer.Summary> answers = new LinkedHashMap<>();
  private final Map<SystemFigures, Long> lastWarmNanos = new HashMap<>();
  private final List<String> differences = new ArrayList<>();

  /**
   * @param warmUp how long, but at least once, a system answers a query before it is timed: code is
   *     compiled then, and pages are in memory. If it is zero, times say nothing, and none waits
   *     for a collection of garbage
   * @param rounds timed runs of each query
   * @param progress takes occasional lines for people
   */
  public SystemComparison(
      Workload workload,
      List<WorkloadQuery> queries,
      int threads,
      Duration warmUp,
      int rounds,
      Consumer<String> progress) {
    this.workload = workload;
    this.queries = List.copyOf(queries);
    this.threads = threads;
    this.warmUp = warmUp;
    this.rounds = rounds;
    this.progress = progress;
  }

  /**
   * Measures.
   *
   * @param folder takes a folder of data for each system
   * @param isColdToo whether all queries are also timed with nothing in memory: for each system
   *     that can close its files, if their pages can be dropped
   * @throws CommandException if a system fails
   */
  public void run(List<BenchSystemProvider> providers, Path folder, boolean isColdToo)
      throws IOException {
    try {
      measure(providers, folder, isColdToo);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static CommandException failed(SQLException e) {
    return new CommandException("a system that the archive is compared with failed: " + e);
  }

  private void measure(List<BenchSystemProvider> providers, Path folder, boolean isColdToo)
      throws IOException, SQLException {
    Map<SystemFigures, BenchSystem> systems = new LinkedHashMap<>();
    try {
      for (BenchSystemProvider provider : providers) {
        Path data = Files.createDirectories(folder.resolve(provider.name()));
        BenchSystem system = provider.open(data, threads);
        try {
          systems.put(load(provider.name(), system), system);
        } catch (IOException | SQLException | RuntimeException e) {
          system.close();
          throw e;
        }
      }
      figures.addAll(systems.keySet());
      for (WorkloadQuery query : queries) {
        measure(query, systems);
      }
      if (isColdToo) {
        for (Map.Entry<SystemFigures, BenchSystem> entry : systems.entrySet()) {
          measureCold(entry.getKey(), entry.getValue(), folder.resolve(entry.getKey().name()));
        }
      }
    } finally {
      close(systems.values());
    }
  }

  private static void close(Iterable<BenchSystem> systems) throws IOException, SQLException {
    for (BenchSystem system : systems) {
      system.close();
    }
  }

  private static void load(BenchSystem system, FlowBlock block) throws IOException {
    try {
      system.load(block);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private SystemFigures load(String name, BenchSystem system) throws IOException, SQLException {
    progress.accept(name + ": loading " + workload.description());
    long[] rows = {0};
    long[] nanos = {0};
    workload.read(
        block -> {
          long start = System.nanoTime();
          load(system, block);
          nanos[0] += System.nanoTime() - start;
          rows[0] += block.rows();
        });
    long start = System.nanoTime();
    system.endLoad();
    long loaded = System.nanoTime();
    nanos[0] += loaded - start;
    system.index();
    double indexSeconds = (System.nanoTime() - loaded) / 1e9;
    SystemFigures result =
        new SystemFigures(
            name, system.settings(), rows[0], nanos[0] / 1e9, indexSeconds, system.bytesOnDisk());
    progress.accept(
        String.format(
            "%s: loaded in %.1f s, indexed in %.1f s, %.1f bytes a row",
            name, result.loadSeconds(), result.indexSeconds(), result.bytesPerRow()));
    return result;
  }

  private void measure(WorkloadQuery query, Map<SystemFigures, BenchSystem> systems)
      throws IOException, SQLException {
    for (Map.Entry<SystemFigures, BenchSystem> entry : systems.entrySet()) {
      entry.getValue().prepare(query);
      Answer answer = warm(query, entry.getValue());
      long start = System.nanoTime();
      entry.getValue().answer(query);
      lastWarmNanos.put(entry.getKey(), System.nanoTime() - start);
      compare(query, entry.getKey().name(), answer.summary(query.columns(), query.ordered()));
    }
    Map<SystemFigures, double[]> times = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<SystemFigures, BenchSystem> entry : systems.entrySet()) {
        if (!warmUp.isZero()) {
          System.gc(); // the previous system's garbage is not collected in this one's time
          warmAgain(query, entry.getKey(), entry.getValue());
        }
        long start = System.nanoTime();
        Answer answer = entry.getValue().answer(query);
        double millis = (System.nanoTime() - start) / 1e6;
        times.computeIfAbsent(entry.getKey(), key -> new double[rounds])[round] = millis;
        int expected = answers.get(query.name()).rows();
        if (answer.rows() != expected) {
          differences.add(
              String.format(
                  "%s, round %d: %s has %d rows, expected %d",
                  query.name(), round, entry.getKey().name(), answer.rows(), expected));
        }
      }
    }
    StringBuilder line = new StringBuilder(query.name()).append(", ms:");
    times.forEach(
        (system, millis) -> {
          system.measured(query.name(), Samples.of(millis));
          line.append(String.format(" %s %.2f", system.name(), system.best(query.name())));
        });
    progress.accept(line.toString());
  }

  private void measureCold(SystemFigures system, BenchSystem asked, Path data)
      throws IOException, SQLException {
    double[] times = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      if (!asked.suspend()) {
        progress.accept(system.name() + ": cannot let go of its files, not timed cold");
        return;
      }
      Optional<String> problem = PageCache.drop(data);
      long start = System.nanoTime();
      asked.resume();
      for (WorkloadQuery query : queries) {
        asked.prepare(query);
        Answer answer = asked.answer(query);
        if (answer.rows() != answers.get(query.name()).rows()) {
          differences.add(query.name() + ": " + system.name() + " answers otherwise when cold");
        }
      }
      times[round] = (System.nanoTime() - start) / 1e6;
      if (problem.isPresent()) {
        progress.accept(system.name() + ": not timed cold: " + problem.get());
        return;
      }
    }
    system.measuredCold(Samples.of(times));
    progress.accept(String.format("%s: cold, all queries, ms: %.0f", system.name(), system.cold()));
  }

  /**
   * Warms up again: a short query after others and a collection would be timed with cold caches.
   */
  private void warmAgain(WorkloadQuery query, SystemFigures figure, BenchSystem system)
      throws IOException, SQLException {
    boolean isShort = lastWarmNanos.get(figure) < SHORT.toNanos();
    long begin = System.nanoTime();
    while (isShort && System.nanoTime() - begin < SHORT.toNanos()) {
      system.answer(query);
    }
  }

  private Answer warm(WorkloadQuery query, BenchSystem system) throws IOException, SQLException {
    long begin = System.nanoTime();
    Answer answer = system.answer(query);
    for (int run = 1; run < MAX_WARM_RUNS && System.nanoTime() - begin < warmUp.toNanos(); run++) {
      answer = system.answer(query);
    }
    return answer;
  }

  private void compare(WorkloadQuery query, String system, Answer.Summary found) {
    Answer.Summary expected = answers.putIfAbsent(query.name(), found);
    if (expected != null && !expected.equals(found)) {
      differences.add(
          String.format(
              "%s: %s has %s; %s has %s",
              query.name(), figures.get(0).name(), expected, system, found));
    }
  }

  /** The measurements, system by system. */
  public List<SystemFigures> figures() {
    return List.copyOf(figures);
  }

  /** The first system's answers by query, in the order of queries. */
  public Map<String, Answer.Summary> answers() {
    return new LinkedHashMap<>(answers);
  }

  /** The differences between systems, in words; empty if all agree. */
  public List<String> differences() {
    return List.copyOf(differences);
  }
}
