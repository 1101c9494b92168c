package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.archive.CsvFile;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.vector.Vector;

/** Nine grouped statistics over all rows, by the archive, from a CSV file, and by other systems. */
public final class Statistics implements Experiment {
  private static final int BATCH_ROWS = 4096;

  @Override
  public void run(Run run) throws IOException {
    long rows = run.number("rows");
    GeneratedWorkload workload = new GeneratedWorkload(rows, run.number("seed"));
    run.word("workload", workload.description());
    List<WorkloadQuery> queries = WorkloadQuery.statistics();
    Path folder = run.folder();
    SystemComparison compared = SystemChoice.of(run).compare(run, workload, queries, folder, true);
    Path file = folder.resolve("flows.csv");
    try (CsvFile out = new CsvFile(file)) {
      workload.read(out::write);
    }
    run.progress("reading CSV");
    read(file, queries, rows); // compiles
    int rounds = run.integer("rounds");
    double csv = Samples.millis(rounds, round -> read(file, queries, rows)).median();
    List<Double> cold = new ArrayList<>();
    while (cold.size() < rounds && PageCache.drop(file).isEmpty()) {
      cold.add(Samples.millis(1, once -> read(file, queries, rows)).least());
    }
    boolean isCold = cold.size() == rounds;
    show(run, compared, queries, csv, isCold ? Samples.of(cold).median() : Double.NaN);
  }

  /** Reads the file once: all queries take each batch. */
  private static void read(Path file, List<WorkloadQuery> queries, long rows) throws IOException {
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
      Run.require(sink.flows() == rows, "read %d of %d rows", sink.flows(), rows);
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

  private static void show(
      Run run, SystemComparison compared, List<WorkloadQuery> queries, double csv, double cold) {
    SystemFigures first = compared.figures().get(0);
    double warmFirst = sum(first, queries);
    int place = 1;
    for (SystemFigures figures : compared.figures()) {
      Row row =
          row(
              run,
              place++,
              figures.name(),
              sum(figures, queries),
              warmFirst,
              figures.cold(),
              first);
      queries.forEach(query -> row.put(query.name(), figures.median(query.name())));
      run.add(row);
    }
    Row row = row(run, place, "csv", csv, warmFirst, cold, first);
    queries.forEach(query -> row.put(query.name(), "-"));
    run.add(row);
  }

  private static double sum(SystemFigures figures, List<WorkloadQuery> queries) {
    return queries.stream().mapToDouble(query -> figures.median(query.name())).sum();
  }

  private static Row row(
      Run run,
      int place,
      String system,
      double millis,
      double warmFirst,
      double cold,
      SystemFigures first) {
    run.point(system, place, millis);
    run.point(system + ", cold", place, cold);
    return new Row()
        .put("system", system)
        .put("all", millis)
        .put("times_the_first", millis / warmFirst)
        .put("cold", orDash(cold))
        .put("cold_times_the_first", orDash(cold / first.cold()));
  }

  private static Object orDash(double value) {
    return Double.isNaN(value) ? "-" : (Object) value;
  }
}
