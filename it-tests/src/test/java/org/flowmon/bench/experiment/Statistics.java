package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.archive.CsvFile;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.vector.Vector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Nine grouped statistics over all rows, by the archive, from a CSV file, and by other systems. */
@Command(
    name = "statistics",
    mixinStandardHelpOptions = true,
    description = {
      "Count, mean, standard deviation, smallest and largest of three expressions by each of three"
          + " columns, over all rows; against one pass over the same rows as CSV, on one thread,"
          + " and with --compare against other systems.",
      "Warm, and cold: opened anew with no page of the files in memory, where dd and fincore can"
          + " see to that; PostgreSQL is not asked cold."
    })
public final class Statistics implements Callable<Integer> {
  private static final int BATCH_ROWS = 4096;

  @Mixin private ExperimentOptions options;
  @Mixin private SystemChoice systems;

  @Option(
      names = "--rows",
      defaultValue = "5000000",
      description = "Rows; default ${DEFAULT-VALUE}.")
  private long rows;

  @Override
  public Integer call() throws IOException {
    options.check();
    GeneratedWorkload workload = new GeneratedWorkload(rows, options.seed());
    List<WorkloadQuery> queries = WorkloadQuery.statistics();
    SystemComparison comparison = options.comparison(workload, queries).withCold();
    double csv;
    double coldCsv = Double.NaN;
    try (BenchFolder folder = BenchFolder.of("statistics", null)) {
      ExperimentOptions.run(comparison, systems, folder);
      Path file = folder.path().resolve("flows.csv");
      try (CsvFile out = new CsvFile(file)) {
        ExperimentOptions.read(workload, out::write);
      }
      options.progress("reading CSV");
      read(file, queries); // compiles
      csv = Timings.of(options.rounds(), round -> read(file, queries)).median();
      coldCsv = cold(file, queries);
    }
    show(comparison, queries, csv, coldCsv, workload.description());
    return Differences.report(comparison);
  }

  /** The median; NaN if the file's pages cannot be dropped. */
  private double cold(Path file, List<WorkloadQuery> queries) throws IOException {
    double[] times = new double[options.rounds()];
    for (int round = 0; round < times.length; round++) {
      if (PageCache.drop(file).isPresent()) {
        return Double.NaN;
      }
      times[round] = Timings.of(1, once -> read(file, queries)).best();
    }
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /** Reads the file once: all queries take each batch. */
  private void read(Path file, List<WorkloadQuery> queries) throws IOException {
    List<GroupCollector> groups = new ArrayList<>();
    for (WorkloadQuery query : queries) {
      groups.add(new GroupCollector(QueryParser.parse(query.flowmon())));
    }
    CompiledPredicate all = CompiledPredicate.of(null);
    int[] selection = new int[Vector.CAPACITY];
    try (BatchCollectingSink sink =
        new BatchCollectingSink(BATCH_ROWS, batch -> add(batch, all, selection, groups))) {
      FlowFiles.open(file).read(sink);
      sink.flush();
      if (sink.flows() != rows) {
        throw new IllegalStateException("read " + sink.flows() + " of " + rows + " rows");
      }
    }
    groups.forEach(GroupCollector::finish);
  }

  private static void add(
      FlowBatch batch, CompiledPredicate all, int[] selection, List<GroupCollector> groups) {
    for (int from = 0; from < batch.rows(); from += Vector.CAPACITY) {
      int n = all.select(batch, from, Math.min(Vector.CAPACITY, batch.rows() - from), selection);
      for (GroupCollector collector : groups) {
        collector.add(batch, from, selection, n);
      }
    }
  }

  private void show(
      SystemComparison comparison,
      List<WorkloadQuery> queries,
      double csv,
      double coldCsv,
      String description)
      throws IOException {
    BenchResult table =
        new BenchResult(
            "archive statistics, " + description + ": ms, median of " + options.rounds());
    SvgPlot plot = new SvgPlot("Nine grouped statistics", "place in the table", false, "ms", true);
    SystemFigures first = comparison.figures().get(0);
    double warmFirst = sum(first, queries);
    int place = 1;
    for (SystemFigures figures : comparison.figures()) {
      double sum = sum(figures, queries);
      Map<String, Object> row = row(figures.name(), sum, warmFirst, figures.cold(), first.cold());
      queries.forEach(query -> row.put(query.name(), figures.median(query.name())));
      table.row(row);
      plot.point(figures.name(), place, sum);
      plot.point(figures.name() + ", cold", place++, figures.cold());
    }
    Map<String, Object> row = row("csv", csv, warmFirst, coldCsv, first.cold());
    queries.forEach(query -> row.put(query.name(), "-"));
    table.row(row);
    plot.point("csv", place, csv);
    plot.point("csv, cold", place, coldCsv);
    options.show("statistics", table, plot);
  }

  private static double sum(SystemFigures figures, List<WorkloadQuery> queries) {
    return queries.stream().mapToDouble(query -> figures.median(query.name())).sum();
  }

  private static Map<String, Object> row(
      String system, double millis, double first, double cold, double coldFirst) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("system", system);
    row.put("all", millis);
    row.put("times_the_first", millis / first);
    row.put("cold", Double.isNaN(cold) ? "-" : cold);
    double times = cold / coldFirst;
    row.put("cold_times_the_first", Double.isNaN(times) ? "-" : times);
    return row;
  }
}
