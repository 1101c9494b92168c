package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.WorkloadBatches;
import org.flowmon.bench.archive.WorkloadColumn;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures lookups of many addresses and ranges, of typical hosts and of random ones. */
@Command(
    name = "addresses",
    mixinStandardHelpOptions = true,
    description = {
      "Lookups of 1,000 addresses that are there, 100 that are not, and ranges from /31 to /16"
          + " around some that are; idle, and while another thread imports as fast as it can.",
      "Once with hosts as networks have them, once with addresses drawn uniformly from all of"
          + " IPv4: the worst case for dictionaries. How many flows a lookup finds is checked."
    })
public final class AddressLookups implements Callable<Integer> {
  private static final int HOST = 32;
  private static final int SHORTEST = 16;
  private static final int RANGES = 20;
  // Lookups are short, so it takes many until their code is compiled.
  private static final int WARM_TIMES = 10;
  private static final int INGESTED_ROWS = 100_000;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--rows",
      defaultValue = "5000000",
      description = "Rows of each archive; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--commit-rows",
      defaultValue = "250000",
      description = "Rows of a commit; default ${DEFAULT-VALUE}.")
  private int commitRows;

  @Option(
      names = "--present",
      defaultValue = "1000",
      description = "Addresses that are there; default ${DEFAULT-VALUE}.")
  private int present;

  @Option(
      names = "--absent",
      defaultValue = "100",
      description = "Addresses that are not; default ${DEFAULT-VALUE}.")
  private int absent;

  /** A range and the number of flows with an address in it. */
  private record Range(IpPrefix prefix, long flows) {}

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1 || commitRows < 1 || present < 1 || absent < 1) {
      throw new UsageException("--rows, --commit-rows, --present and --absent are at least 1");
    }
    options.progress("warming up");
    CheckpointLoad.warmUp(rows, options.seed(), commitRows);
    BenchResult lookups = new BenchResult("lookups");
    BenchResult archives = new BenchResult("archives");
    SvgPlot plot = new SvgPlot("Lookups of ranges", "length of the prefix", false, "ms", true);
    measure("hosts", false, archives, lookups, plot);
    measure("uniform", true, archives, lookups, plot);
    options.show("addresses", List.of(archives, lookups), plot);
    return ExitCodes.DONE;
  }

  private GeneratedWorkload workload(long count, long seed, boolean isUniform) {
    return isUniform
        ? GeneratedWorkload.ofUniformAddresses(count, seed)
        : new GeneratedWorkload(count, seed);
  }

  private void measure(
      String name, boolean isUniform, BenchResult archives, BenchResult lookups, SvgPlot plot)
      throws IOException {
    GeneratedWorkload workload = workload(rows, options.seed(), isUniform);
    options.progress("loading " + workload.description());
    try (BenchFolder folder = BenchFolder.of("addresses", null);
        Archive archive =
            Archive.create(folder.path().resolve("archive"), ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, commitRows)) {
      AddressCounts counts = new AddressCounts();
      ExperimentOptions.read(
          workload,
          block -> {
            counts.add(block);
            load.add(block);
          });
      load.finish();
      archives.row(describe(name, archive, load));
      Map<String, List<Range>> asked = ranges(workload, counts);
      warm(archive, asked);
      Map<String, Timings> idle = new LinkedHashMap<>();
      Map<String, Timings> busy = new LinkedHashMap<>();
      for (Map.Entry<String, List<Range>> some : asked.entrySet()) {
        idle.put(some.getKey(), timings(archive, some.getValue(), true));
      }
      try (Ingest ingest = Ingest.into(archive, ingested(isUniform))) {
        for (Map.Entry<String, List<Range>> some : asked.entrySet()) {
          busy.put(some.getKey(), timings(archive, some.getValue(), false));
        }
        options.progress(
            String.format("meanwhile %,.0f rows/s came in", ingest.stop().rowsPerSecond()));
      }
      for (Map.Entry<String, List<Range>> some : asked.entrySet()) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("archive", name);
        row.put("asked", some.getKey());
        row.put("of_each", (long) some.getValue().size());
        row.put(
            "flows_mean",
            some.getValue().stream().mapToDouble(Range::flows).average().orElseThrow());
        row.put("idle_median", idle.get(some.getKey()).median());
        row.put("idle_p99", idle.get(some.getKey()).percentile(0.99));
        row.put("ingesting_median", busy.get(some.getKey()).median());
        row.put("ingesting_p99", busy.get(some.getKey()).percentile(0.99));
        lookups.row(row);
        int bits = some.getValue().get(0).prefix().length();
        if (!some.getKey().equals("absent")) {
          plot.point(name + ", idle", bits, idle.get(some.getKey()).median());
          plot.point(name + ", ingesting", bits, busy.get(some.getKey()).median());
        }
      }
    }
  }

  private static Map<String, Object> describe(String name, Archive archive, CheckpointLoad load)
      throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("archive", name);
      row.put("rows", load.rows());
      row.put("segments", (long) snapshot.segments().size());
      row.put("rows_per_second", load.rows() / load.loading().seconds());
      row.put("rows_per_cpu_second", load.rows() / load.loading().cpuSeconds());
      row.put("bytes_per_row", snapshot.bytesOnDisk() / (double) load.rows());
      long directory = BenchFolder.bytes(archive.directory()) - snapshot.bytesOnDisk();
      row.put("host_directory_bytes_per_row", directory / (double) load.rows());
      return row;
    }
  }

  private List<FlowBatch> ingested(boolean isUniform) throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    WorkloadBatches batches = new WorkloadBatches();
    ExperimentOptions.read(
        workload(INGESTED_ROWS, ~options.seed(), isUniform),
        block -> batches.write(block, flows::add));
    return flows;
  }

  /** The looked-up ranges by name in the table; the flows of each are counted from the rows. */
  private Map<String, List<Range>> ranges(GeneratedWorkload workload, AddressCounts counts)
      throws IOException {
    Map<String, List<Range>> asked = new LinkedHashMap<>();
    List<Counted> there = counts.drawn(present, options.seed());
    asked.put("present", there.stream().map(c -> range(c.address(), HOST, c.rows())).toList());
    SplittableRandom random = new SplittableRandom(options.seed());
    List<Range> missing = new ArrayList<>();
    while (missing.size() < absent) {
      long address = random.nextInt() & 0xFFFF_FFFFL;
      if (counts.rows(address) == 0) {
        missing.add(range(address, HOST, 0));
      }
    }
    asked.put("absent", missing);
    List<Counted> around = there.subList(0, Math.min(RANGES, there.size()));
    long[][] common = new long[around.size()][HOST + 1];
    ExperimentOptions.read(workload, block -> count(block, around, common));
    for (int bits = HOST - 1; bits >= SHORTEST; bits--) {
      List<Range> some = new ArrayList<>();
      for (int a = 0; a < around.size(); a++) {
        long flows = 0;
        for (int length = bits; length <= HOST; length++) {
          flows += common[a][length];
        }
        some.add(range(around.get(a).address(), bits, flows));
      }
      asked.put("/" + bits, some);
    }
    return asked;
  }

  private static Range range(long address, int bits, long flows) {
    return new Range(new IpPrefix(IpAddress.ofIpv4((int) address), bits), flows);
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

  /** Queries all kinds in turn, so that none is timed while code is compiled. */
  private void warm(Archive archive, Map<String, List<Range>> asked) throws IOException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < WARM_TIMES * options.warmUp().toNanos()) {
      for (List<Range> some : asked.values()) {
        Timings.of(some.size(), lookup(archive, some, true));
      }
    }
  }

  private Timings timings(Archive archive, List<Range> ranges, boolean isExact) throws IOException {
    Timings.Operation lookup = lookup(archive, ranges, isExact);
    Timings.of(Math.min(ranges.size(), 100), lookup);
    return Timings.of(Math.max(ranges.size(), options.rounds() * RANGES), lookup);
  }

  /** Each run takes a snapshot, like a user's request; new flows may add to the result. */
  private Timings.Operation lookup(Archive archive, List<Range> ranges, boolean isExact) {
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(options.threads());
    return run -> {
      Range range = ranges.get(run % ranges.size());
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer =
            ArchiveQuery.lookup(snapshot, range.prefix(), Long.MIN_VALUE, Long.MAX_VALUE, -1, how);
        int found = answer.table().rowCount();
        if (isExact ? found != range.flows() : found < range.flows()) {
          throw new IllegalStateException(
              found + " flows of " + range.prefix() + ", expected " + range.flows());
        }
      }
    };
  }
}
