package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.FlowmonSystem;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;

/** Time of lookups by flows found, idle and during ingest. */
public final class LookupSizes implements Experiment {
  private static final long ABSENT = 3_735_928_559L;
  private static final int NETWORK = 24;
  private static final double SECONDS = 10;

  @Override
  public void run(Run run) throws IOException {
    GeneratedWorkload workload = new GeneratedWorkload(run.number("rows"), run.number("seed"));
    run.word("workload", workload.description());
    List<WorkloadQuery> queries = queries(workload, run.integers("flows"));
    Path folder = run.folder();
    SystemComparison compared = SystemChoice.of(run).compare(run, workload, queries, folder, false);
    try (Archive archive = Archive.open(folder.resolve(FlowmonSystem.NAME))) {
      List<Samples> idle = timings(run, archive, queries, compared);
      List<Samples> busy;
      try (Ingest ingest = Ingest.into(archive, run.number("seed"))) {
        busy = timings(run, archive, queries, compared);
        run.progress("meanwhile %,.0f rows/s came in", ingest.stop().rowsPerSecond());
      }
      for (int q = 0; q < queries.size(); q++) {
        show(run, queries.get(q), compared, idle.get(q), busy.get(q));
      }
    }
  }

  /** A lookup for each wanted number of flows, of the address that comes nearest. */
  private static List<WorkloadQuery> queries(GeneratedWorkload workload, List<Integer> flows)
      throws IOException {
    AddressCounts counts = new AddressCounts();
    workload.read(counts::add);
    List<WorkloadQuery> queries = new ArrayList<>();
    queries.add(WorkloadQuery.lookup("0", ABSENT, Lookup.HOST));
    for (int wanted : flows) {
      long nearest = counts.nearest(wanted, Long.MAX_VALUE, 1).get(0).address();
      queries.add(WorkloadQuery.lookup(String.format("%,d", wanted), nearest, Lookup.HOST));
    }
    long warm = workload.parameters().lookups().get("warm");
    queries.add(WorkloadQuery.lookup("/24", warm & -256L, NETWORK));
    return queries;
  }

  private static void show(
      Run run, WorkloadQuery query, SystemComparison compared, Samples idle, Samples busy) {
    int found = compared.answers().get(query.name()).rows();
    Row row =
        new Row()
            .put("flows", query.name())
            .put("found", found)
            .put("idle_median", idle.median())
            .put("idle_p99", idle.percentile(0.99))
            .put("ingesting_median", busy.median())
            .put("ingesting_p99", busy.percentile(0.99));
    boolean isHost = query.bits() == Lookup.HOST;
    int at = Math.max(1, found); // a logarithmic axis has no 0
    if (isHost) {
      run.point("flowmon, idle", at, idle.median());
      run.point("flowmon, ingesting", at, busy.median());
    }
    for (SystemFigures figures : compared.figures()) {
      if (!figures.name().equals(FlowmonSystem.NAME)) {
        row.put(figures.name() + "_median", figures.median(query.name()));
        if (isHost) {
          run.point(figures.name(), at, figures.median(query.name()));
        }
      }
    }
    run.add(row);
  }

  private static List<Samples> timings(
      Run run, Archive archive, List<WorkloadQuery> queries, SystemComparison compared)
      throws IOException {
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    List<Samples> timings = new ArrayList<>();
    for (WorkloadQuery query : queries) {
      int expected = compared.answers().get(query.name()).rows();
      Lookup lookup = Lookup.of(query.address(), query.bits(), expected);
      // New flows may have the same addresses.
      Samples.Operation ask = round -> lookup.in(archive, how, false);
      double once = Samples.millis(3, ask).least();
      int most = run.integer("most-rounds");
      int runs = (int) Math.max(run.integer("rounds"), Math.min(most, SECONDS * 1e3 / once));
      Samples.millis(runs / 3 + 1, ask);
      timings.add(Samples.millis(runs, ask));
    }
    return timings;
  }
}
