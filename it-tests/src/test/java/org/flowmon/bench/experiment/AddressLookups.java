package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.WorkloadBatches;
import org.flowmon.bench.archive.WorkloadColumn;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;

/** Measures lookups of many addresses and ranges, of typical hosts and of random ones. */
public final class AddressLookups implements Experiment {
  private static final int SHORTEST = 16;
  private static final int RANGES = 20;
  // Lookups are short, so it takes many until their code is compiled.
  private static final int WARM_TIMES = 10;
  private static final int INGESTED_ROWS = 100_000;

  @Override
  public void run(Run run) throws IOException {
    run.progress("warming up");
    CheckpointLoad.warmUp(run.number("rows"), run.number("seed"), run.integer("commit-rows"));
    for (String hosts : run.texts("archive")) {
      measure(run, hosts);
    }
  }

  private static GeneratedWorkload workload(String hosts, long rows, long seed) {
    return hosts.equals("uniform")
        ? GeneratedWorkload.ofUniformAddresses(rows, seed)
        : new GeneratedWorkload(rows, seed);
  }

  private static void measure(Run run, String hosts) throws IOException {
    GeneratedWorkload workload = workload(hosts, run.number("rows"), run.number("seed"));
    run.progress("loading %s", workload.description());
    AddressCounts counts = new AddressCounts();
    try (BenchFolder folder = BenchFolder.of("addresses");
        Archive archive =
            Archive.create(folder.path().resolve("archive"), ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, run.integer("commit-rows"))) {
      workload.read(
          block -> {
            counts.add(block);
            load.add(block);
          });
      load.finish();
      describe(run, hosts, archive, load);
      Map<String, List<Lookup>> asked = lookups(run, workload, counts);
      warm(run, archive, asked);
      Map<String, Samples> idle = timings(run, archive, asked, true);
      Map<String, Samples> busy;
      try (Ingest ingest = Ingest.into(archive, ingested(hosts, run.number("seed")))) {
        busy = timings(run, archive, asked, false);
        run.progress("meanwhile %,.0f rows/s came in", ingest.stop().rowsPerSecond());
      }
      asked.forEach((name, some) -> show(run, hosts, name, some, idle.get(name), busy.get(name)));
    }
  }

  private static void describe(Run run, String hosts, Archive archive, CheckpointLoad load)
      throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      double rows = load.rows();
      long directory = BenchFolder.bytes(archive.directory()) - snapshot.bytesOnDisk();
      run.add(
          0,
          new Row()
              .put("archive", hosts)
              .put("rows", load.rows())
              .put("segments", snapshot.segments().size())
              .put("rows_per_second", rows / load.loading().seconds())
              .put("rows_per_cpu_second", rows / load.loading().cpuSeconds())
              .put("bytes_per_row", snapshot.bytesOnDisk() / rows)
              .put("host_directory_bytes_per_row", directory / rows));
    }
  }

  private static void show(
      Run run, String hosts, String asked, List<Lookup> some, Samples idle, Samples busy) {
    double flows = some.stream().mapToDouble(Lookup::flows).average().orElseThrow();
    run.add(
        1,
        new Row()
            .put("archive", hosts)
            .put("asked", asked)
            .put("of_each", some.size())
            .put("flows_mean", flows)
            .put("idle_median", idle.median())
            .put("idle_p99", idle.percentile(0.99))
            .put("ingesting_median", busy.median())
            .put("ingesting_p99", busy.percentile(0.99)));
    if (!asked.equals("absent")) {
      int bits = some.get(0).prefix().length();
      run.point(hosts + ", idle", bits, idle.median());
      run.point(hosts + ", ingesting", bits, busy.median());
    }
  }

  private static List<FlowBatch> ingested(String hosts, long seed) throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    WorkloadBatches batches = new WorkloadBatches();
    workload(hosts, INGESTED_ROWS, ~seed).read(block -> batches.write(block, flows::add));
    return flows;
  }

  /** The lookups by their name in the table; the flows of each are counted from the rows. */
  private static Map<String, List<Lookup>> lookups(
      Run run, GeneratedWorkload workload, AddressCounts counts) throws IOException {
    Map<String, List<Lookup>> asked = new LinkedHashMap<>();
    List<Counted> there = counts.drawn(run.integer("present"), run.number("seed"));
    asked.put("present", there.stream().map(c -> Lookup.ofHost(c.address(), c.rows())).toList());
    SplittableRandom random = new SplittableRandom(run.number("seed"));
    List<Lookup> missing = new ArrayList<>();
    while (missing.size() < run.integer("absent")) {
      long address = random.nextInt() & 0xFFFF_FFFFL;
      if (counts.rows(address) == 0) {
        missing.add(Lookup.ofHost(address, 0));
      }
    }
    asked.put("absent", missing);
    List<Counted> around = there.subList(0, Math.min(RANGES, there.size()));
    long[][] common = new long[around.size()][Lookup.HOST + 1];
    workload.read(block -> count(block, around, common));
    for (int bits = Lookup.HOST - 1; bits >= SHORTEST; bits--) {
      List<Lookup> some = new ArrayList<>();
      for (int a = 0; a < around.size(); a++) {
        long flows = 0;
        for (int length = bits; length <= Lookup.HOST; length++) {
          flows += common[a][length];
        }
        some.add(Lookup.of(around.get(a).address(), bits, flows));
      }
      asked.put("/" + bits, some);
    }
    return asked;
  }

  /**
   * Counts, for each address, the rows by the number of leading bits that the nearer of both sides
   * shares with it.
   */
  private static void count(FlowBlock block, List<Counted> around, long[][] common) {
    long[] sources = block.column(WorkloadColumn.SRC_ADDR);
    long[] destinations = block.column(WorkloadColumn.DST_ADDR);
    for (int a = 0; a < common.length; a++) {
      int address = (int) around.get(a).address();
      for (int i = 0; i < block.rows(); i++) {
        int source = Integer.numberOfLeadingZeros((int) sources[i] ^ address);
        int destination = Integer.numberOfLeadingZeros((int) destinations[i] ^ address);
        common[a][Math.max(source, destination)]++;
      }
    }
  }

  /** Looks up all kinds in turn, so that none is timed while code is compiled. */
  private static void warm(Run run, Archive archive, Map<String, List<Lookup>> asked)
      throws IOException {
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < WARM_TIMES * run.number("warm-up") * 1_000_000) {
      for (List<Lookup> some : asked.values()) {
        for (Lookup one : some) {
          var unused = one.in(archive, how, true);
        }
      }
    }
  }

  private static Map<String, Samples> timings(
      Run run, Archive archive, Map<String, List<Lookup>> asked, boolean isExact)
      throws IOException {
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    Map<String, Samples> timings = new LinkedHashMap<>();
    for (Map.Entry<String, List<Lookup>> entry : asked.entrySet()) {
      List<Lookup> some = entry.getValue();
      Samples.Operation lookup = n -> some.get(n % some.size()).in(archive, how, isExact);
      Samples.millis(Math.min(some.size(), 100), lookup);
      int runs = Math.max(some.size(), run.integer("rounds") * RANGES);
      timings.put(entry.getKey(), Samples.millis(runs, lookup));
    }
    return timings;
  }
}
