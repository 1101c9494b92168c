package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.FlowmonSystem;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time of lookups by flows found, idle and during ingest. */
@Command(
    name = "lookups",
    mixinStandardHelpOptions = true,
    description = {
      "Lookups of addresses of which there are 0, some 10, 1,000, 100,000 and 1,000,000 flows, and"
          + " of a /24; every column of each flow is fetched.",
      "The archive is measured again while another thread imports as fast as it can; --compare"
          + " asks other systems the same, idle."
    })
public final class LookupSizes implements Callable<Integer> {
  private static final long[] WANTED = {10, 1_000, 100_000, 1_000_000};
  private static final long ABSENT = 3_735_928_559L;
  private static final int HOST = 32;
  private static final int NETWORK = 24;
  // Enough for a 99th percentile, unless that would take minutes.
  private static final int RUNS = 300;
  private static final double SECONDS = 10;

  @Mixin private ExperimentOptions options;
  @Mixin private SystemChoice systems;

  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows of the archive; default ${DEFAULT-VALUE}.")
  private long rows;

  @Override
  public Integer call() throws IOException {
    options.check();
    GeneratedWorkload workload = new GeneratedWorkload(rows, options.seed());
    List<WorkloadQuery> queries = queries(workload);
    SystemComparison comparison = options.comparison(workload, queries);
    BenchResult table = new BenchResult("archive lookups, " + workload.description() + ": ms");
    SvgPlot plot = new SvgPlot("Lookups against flows found", "flows", true, "ms, median", true);
    try (BenchFolder folder = BenchFolder.of("lookups", null)) {
      ExperimentOptions.run(comparison, systems, folder);
      measure(comparison, queries, folder.path().resolve(FlowmonSystem.NAME), table, plot);
    }
    options.show("lookups", table, plot);
    return Differences.report(comparison);
  }

  /** A lookup for each wanted number of flows, of the address that comes nearest. */
  private List<WorkloadQuery> queries(GeneratedWorkload workload) throws IOException {
    AddressCounts counts = new AddressCounts();
    ExperimentOptions.read(workload, counts::add);
    List<WorkloadQuery> queries = new ArrayList<>();
    queries.add(WorkloadQuery.lookup("0", ABSENT, HOST));
    for (long wanted : WANTED) {
      long nearest = counts.nearest(wanted, Long.MAX_VALUE, 1).get(0).address();
      queries.add(WorkloadQuery.lookup(String.format("%,d", wanted), nearest, HOST));
    }
    long warm = workload.parameters().lookups().get("warm");
    queries.add(WorkloadQuery.lookup("/24", warm & -256L, NETWORK));
    return queries;
  }

  private void measure(
      SystemComparison comparison,
      List<WorkloadQuery> queries,
      Path directory,
      BenchResult table,
      SvgPlot plot)
      throws IOException {
    try (Archive archive = Archive.open(directory)) {
      List<Timings> idle = new ArrayList<>();
      for (WorkloadQuery query : queries) {
        idle.add(timings(archive, query, comparison));
      }
      List<Timings> busy = new ArrayList<>();
      try (Ingest ingest = Ingest.into(archive, options.seed())) {
        for (WorkloadQuery query : queries) {
          busy.add(timings(archive, query, comparison));
        }
        options.progress(
            String.format("meanwhile %,.0f rows/s came in", ingest.stop().rowsPerSecond()));
      }
      for (int q = 0; q < queries.size(); q++) {
        String name = queries.get(q).name();
        int found = comparison.answers().get(name).rows();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("flows", name);
        row.put("found", (long) found);
        row.put("idle_median", idle.get(q).median());
        row.put("idle_p99", idle.get(q).percentile(0.99));
        row.put("ingesting_median", busy.get(q).median());
        row.put("ingesting_p99", busy.get(q).percentile(0.99));
        if (queries.get(q).bits() == HOST) {
          // A logarithmic axis has no 0.
          plot.point("flowmon, idle", Math.max(1, found), idle.get(q).median());
          plot.point("flowmon, ingesting", Math.max(1, found), busy.get(q).median());
        }
        for (SystemFigures figures : comparison.figures()) {
          if (!figures.name().equals(FlowmonSystem.NAME)) {
            row.put(figures.name() + "_median", figures.median(name));
            if (queries.get(q).bits() == HOST) {
              plot.point(figures.name(), Math.max(1, found), figures.median(name));
            }
          }
        }
        table.row(row);
      }
    }
  }

  /** Times a lookup. Each run takes a snapshot, like a user's request. */
  private Timings timings(Archive archive, WorkloadQuery query, SystemComparison comparison)
      throws IOException {
    IpPrefix prefix = new IpPrefix(IpAddress.ofIpv4(query.address().intValue()), query.bits());
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(options.threads());
    int expected = comparison.answers().get(query.name()).rows();
    Timings.Operation lookup =
        run -> {
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            int found =
                ArchiveQuery.lookup(snapshot, prefix, Long.MIN_VALUE, Long.MAX_VALUE, -1, how)
                    .table()
                    .rowCount();
            // New flows may have the same addresses.
            if (found < expected) {
              throw new IllegalStateException(
                  found + " flows of " + prefix + ", expected at least " + expected);
            }
          }
        };
    double once = Timings.of(3, lookup).best();
    int runs = (int) Math.max(options.rounds(), Math.min(RUNS, SECONDS * 1e3 / once));
    Timings.of(runs / 3 + 1, lookup);
    return Timings.of(runs, lookup);
  }
}
