package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;

/**
 * Loads and queries a week of flows in the archive and, with {@code --compare}, in other systems,
 * whose answers must be equal.
 */
public final class ArchiveBench implements Experiment {
  private static final int LOADING = 0;
  private static final int BEST = 1;
  private static final int MEDIAN = 2;
  private static final int SPREADS = 3;
  private static final int ALL_TIMES = 4;

  private Optional<CsvLoad.Loaded> csv = Optional.empty();

  @Override
  public void run(Run run) throws IOException {
    SystemChoice systems = SystemChoice.of(run);
    Workload workload = workload(run);
    List<WorkloadQuery> queries = WorkloadQuery.of(workload.parameters());
    run.word("workload", workload.description());
    Path folder = run.open(BenchFolder.of("archive", run.path("keep"))).path();
    SystemComparison compared = systems.compare(run, workload, queries, folder, false);
    if (compared.figures().stream().anyMatch(ArchiveBench::isFlowmon)) {
      run.progress("flowmon: loading from CSV");
      csv = Optional.of(CsvLoad.measure(workload, folder, run.cores("threads")));
    }
    compared.figures().forEach(system -> run.add(LOADING, loading(system)));
    csv.ifPresent(loaded -> run.add(LOADING, csvRow(loaded, workload.parameters().rows())));
    for (String query : compared.answers().keySet()) {
      run.add(BEST, times(compared, query, SystemFigures::best));
      run.add(MEDIAN, times(compared, query, SystemFigures::median));
      compared.figures().forEach(system -> run.add(ALL_TIMES, allTimes(compared, query, system)));
    }
    compared.figures().forEach(system -> run.add(SPREADS, spread(compared, system)));
    compared
        .figures()
        .forEach(system -> run.note(system.name() + ", settings: " + system.settings()));
    run.note(
        compared.differences().isEmpty()
            ? "the answers of all systems are the same"
            : "ANSWERS DIFFER");
  }

  private static Workload workload(Run run) throws IOException {
    Optional<Path> input = run.path("input");
    Optional<Path> params = run.path("params");
    if (input.isEmpty()) {
      if (params.isPresent()) {
        throw new UsageException("--params belongs to --input");
      }
      return new GeneratedWorkload(run.number("rows"), run.number("seed"));
    }
    String name = input.get().getFileName().toString();
    int dot = name.lastIndexOf('.');
    Path beside =
        input.get().resolveSibling((dot < 0 ? name : name.substring(0, dot)) + ".params.json");
    return new CsvWorkload(input.get(), params.orElse(beside));
  }

  private static boolean isFlowmon(SystemFigures system) {
    return system.name().equals(FlowmonSystem.NAME);
  }

  private Row loading(SystemFigures system) {
    Optional<CsvLoad.Loaded> own = isFlowmon(system) ? csv : Optional.empty();
    return new Row()
        .put("system", system.name())
        .put("rows", system.rows())
        .put("load_seconds", system.loadSeconds())
        .put("index_seconds", system.indexSeconds())
        .put("rows_per_second", Math.round(system.rowsPerSecond()))
        .put("csv_rows_per_second", own.map(one -> Math.round(one.rowsPerSecond())).orElse(0L))
        .put("bytes_per_row", system.bytesPerRow())
        .put(
            "of_csv",
            csv.map(one -> (Object) (system.bytesPerRow() * system.rows() / one.bytes()))
                .orElse("-"));
  }

  /** The rows as text, for their size. */
  private static Row csvRow(CsvLoad.Loaded csv, long rows) {
    return new Row()
        .put("system", "csv")
        .put("rows", rows)
        .put("load_seconds", "-")
        .put("index_seconds", "-")
        .put("rows_per_second", "-")
        .put("csv_rows_per_second", "-")
        .put("bytes_per_row", csv.bytes() / (double) rows)
        .put("of_csv", 1.0);
  }

  /** The time of each system; of flowmon divided by the shortest of the others. */
  private static Row times(
      SystemComparison compared, String query, ToDoubleBiFunction<SystemFigures, String> time) {
    Row row = new Row().put("query", query).put("rows", compared.answers().get(query).rows());
    double flowmon = Double.NaN;
    double other = Double.NaN;
    for (SystemFigures system : compared.figures()) {
      double millis = time.applyAsDouble(system, query);
      row.put(system.name(), millis);
      if (isFlowmon(system)) {
        flowmon = millis;
      } else {
        other = Double.isNaN(other) ? millis : Math.min(other, millis);
      }
    }
    if (!Double.isNaN(flowmon / other)) {
      row.put("flowmon : best other", flowmon / other);
    }
    return row;
  }

  private static Row allTimes(SystemComparison compared, String query, SystemFigures system) {
    return new Row()
        .put("query", query)
        .put("system", system.name())
        .put("answer_rows", compared.answers().get(query).rows())
        .put("settings", system.settings())
        .put("best_ms", system.best(query))
        .put("median_ms", system.median(query))
        .put("worst_ms", system.worst(query));
  }

  /** The spread of its times is the median over the queries: one disturbance says little. */
  private static Row spread(SystemComparison compared, SystemFigures system) {
    double[] spreads =
        compared.answers().keySet().stream()
            .mapToDouble(query -> (system.worst(query) - system.best(query)) / system.median(query))
            .sorted()
            .toArray();
    return new Row()
        .put("system", system.name())
        .put("spread_percent", 100 * spreads[spreads.length / 2]);
  }
}
