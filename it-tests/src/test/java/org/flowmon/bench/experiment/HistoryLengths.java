package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time of the analyses' history queries by days of history. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = {
      "Query time against history length: the history queries of the five analyses over the last"
          + " days of an archive, and the rows that they fetch. --compare asks others the same."
    })
public final class HistoryLengths implements Callable<Integer> {
  @Mixin private ExperimentOptions options;
  @Mixin private SystemChoice systems;

  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows of the archive; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--days",
      split = ",",
      defaultValue = "1,2,4,7,14,21,28",
      description =
          "Days that are asked about, ascending; the archive holds the last."
              + " Default ${DEFAULT-VALUE}.")
  private List<Integer> days;

  @Override
  public Integer call() throws IOException {
    options.check();
    for (int i = 0; i < days.size(); i++) {
      if (days.get(i) <= (i == 0 ? 0 : days.get(i - 1)) || days.get(i) > 366) {
        throw new UsageException("--days are 1 … 366 and ascending, found " + days);
      }
    }
    int longest = days.get(days.size() - 1);
    GeneratedWorkload workload = new GeneratedWorkload(rows, options.seed(), longest);
    Map<WorkloadQuery, Integer> queries = new LinkedHashMap<>();
    for (int d : days) {
      WorkloadQuery.ofDays(workload.parameters(), d).forEach(query -> queries.put(query, d));
    }
    SystemComparison comparison = options.comparison(workload, List.copyOf(queries.keySet()));
    try (BenchFolder folder = BenchFolder.of("history", null)) {
      ExperimentOptions.run(comparison, systems, folder);
    }
    show(comparison, queries, workload.description());
    return Differences.report(comparison);
  }

  private void show(
      SystemComparison comparison, Map<WorkloadQuery, Integer> queries, String description)
      throws IOException {
    BenchResult table =
        new BenchResult("archive history, " + description + ": ms, median of " + options.rounds());
    SvgPlot plot = new SvgPlot("Query time against history", "days", false, "ms", true);
    List<Map<String, Object>> lines = new ArrayList<>();
    queries.forEach(
        (query, d) -> {
          String analysis = query.name().substring(0, query.name().indexOf('/'));
          Map<String, Object> line = new LinkedHashMap<>();
          line.put("analysis", analysis);
          line.put("days", (long) d);
          line.put("rows_fetched", (long) comparison.answers().get(query.name()).rows());
          for (SystemFigures figures : comparison.figures()) {
            line.put(figures.name() + "_ms", figures.median(query.name()));
            String name = comparison.figures().size() == 1 ? "" : figures.name() + " ";
            plot.point(name + analysis, d, figures.median(query.name()));
          }
          lines.add(line);
        });
    lines.sort((a, b) -> a.get("analysis").toString().compareTo(b.get("analysis").toString()));
    lines.forEach(table::row);
    options.show("history", table, plot);
  }
}
