package org.flowmon.bench;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.archive.CsvLoad;
import org.flowmon.bench.archive.FlowmonSystem;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.output.BenchResult;

/** The results of {@code flowmon bench archive}: tables of systems and queries, or flat JSON. */
final class ArchiveBenchReport {
  private final SystemComparison comparison;
  private final String workload;
  private final int rounds;
  private final CsvLoad.Loaded csv;

  /**
   * @param csv the rows as a CSV file and its loading by flowmon, null if not measured
   */
  ArchiveBenchReport(SystemComparison comparison, String workload, int rounds, CsvLoad.Loaded csv) {
    this.comparison = comparison;
    this.workload = workload;
    this.rounds = rounds;
    this.csv = csv;
  }

  void print(boolean json) throws IOException {
    if (json) {
      printJson();
      return;
    }
    BenchResult load = new BenchResult("archive, " + workload + ": loading");
    comparison.figures().forEach(figures -> load.row(loading(figures)));
    if (csv != null) {
      load.row(csvRow());
    }
    load.print(false);
    queries("best of " + rounds, SystemFigures::best).print(false);
    queries("median of " + rounds, SystemFigures::median).print(false);
    System.out.printf("spread of the runs of a query, (worst - best) : median; the median query%n");
    for (SystemFigures figures : comparison.figures()) {
      System.out.printf("  %s %.0f %%%n", figures.name(), 100 * spread(figures));
    }
    System.out.println("settings");
    for (SystemFigures figures : comparison.figures()) {
      System.out.printf("  %s: %s%n", figures.name(), figures.settings());
    }
    System.out.println(
        comparison.differences().isEmpty()
            ? "the answers of all systems are the same"
            : "ANSWERS DIFFER");
  }

  private Map<String, Object> loading(SystemFigures figures) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("system", figures.name());
    row.put("rows", figures.rows());
    row.put("load_seconds", figures.loadSeconds());
    row.put("index_seconds", figures.indexSeconds());
    row.put("rows_per_second", Math.round(figures.rowsPerSecond()));
    boolean fromCsv = csv != null && figures.name().equals(FlowmonSystem.NAME);
    row.put("csv_rows_per_second", fromCsv ? Math.round(csv.rowsPerSecond()) : 0L);
    row.put("bytes_per_row", figures.bytesPerRow());
    row.put("of_csv", csv == null ? "-" : figures.bytesPerRow() * figures.rows() / csv.bytes());
    return row;
  }

  /** The rows as text, for their size. */
  private Map<String, Object> csvRow() {
    long rows = comparison.figures().get(0).rows();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("system", "csv");
    row.put("rows", rows);
    for (String name : List.of("load_seconds", "index_seconds", "rows_per_second")) {
      row.put(name, "-");
    }
    row.put("csv_rows_per_second", "-");
    row.put("bytes_per_row", csv.bytes() / (double) rows);
    row.put("of_csv", 1.0);
    return row;
  }

  /** A time of a query, ms. */
  private interface Time {
    double of(SystemFigures figures, String query);
  }

  private BenchResult queries(String which, Time time) {
    BenchResult result = new BenchResult("archive: queries, ms, " + which);
    List<SystemFigures> systems = comparison.figures();
    comparison
        .answers()
        .forEach(
            (query, answer) -> {
              Map<String, Object> row = new LinkedHashMap<>();
              row.put("query", query);
              row.put("rows", (long) answer.rows());
              systems.forEach(system -> row.put(system.name(), time.of(system, query)));
              ratio(query, time).ifPresent(value -> row.put("flowmon : best other", value));
              result.row(row);
            });
    return result;
  }

  /** The time of flowmon divided by the shortest of the others; empty if one is missing. */
  private java.util.OptionalDouble ratio(String query, Time time) {
    double flowmon = Double.NaN;
    double other = Double.POSITIVE_INFINITY;
    for (SystemFigures figures : comparison.figures()) {
      if (figures.name().equals(FlowmonSystem.NAME)) {
        flowmon = time.of(figures, query);
      } else {
        other = Math.min(other, time.of(figures, query));
      }
    }
    boolean both = !Double.isNaN(flowmon) && other != Double.POSITIVE_INFINITY;
    return both ? java.util.OptionalDouble.of(flowmon / other) : java.util.OptionalDouble.empty();
  }

  /** The median over the queries: a single disturbance of a short query says little. */
  private double spread(SystemFigures figures) {
    double[] spreads =
        comparison.answers().keySet().stream()
            .mapToDouble(
                query -> (figures.worst(query) - figures.best(query)) / figures.median(query))
            .sorted()
            .toArray();
    return spreads[spreads.length / 2];
  }

  private void printJson() throws IOException {
    BenchResult result = new BenchResult("archive");
    for (SystemFigures figures : comparison.figures()) {
      Map<String, Object> row = loading(figures);
      row.put("workload", workload);
      row.put("settings", figures.settings());
      result.row(row);
    }
    if (csv != null) {
      result.row(csvRow());
    }
    comparison
        .answers()
        .forEach(
            (query, answer) -> {
              for (SystemFigures figures : comparison.figures()) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("query", query);
                row.put("system", figures.name());
                row.put("answer_rows", (long) answer.rows());
                row.put("best_ms", figures.best(query));
                row.put("median_ms", figures.median(query));
                row.put("worst_ms", figures.worst(query));
                result.row(row);
              }
            });
    result.print(true);
  }
}
