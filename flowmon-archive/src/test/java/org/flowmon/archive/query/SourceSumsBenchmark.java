package org.flowmon.archive.query;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/**
 * Sums by source over seven days of skewed traffic: 20 thousand hosts inside, 200 thousand outside,
 * by Zipf's law with the exponent 1.1; sizes by Pareto's. A main method: rows, rows of a segment,
 * rounds, the name of one query.
 */
public final class SourceSumsBenchmark {
  private static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01
  private static final long DAY = 86_400_000_000L;
  private static final int INSIDE = 20_000;
  private static final int OUTSIDE = 200_000;

  private final Random random = new Random(42);
  private final int[] inside = new int[INSIDE];
  private final int[] outside = new int[OUTSIDE];
  private final double[] insideShares = shares(INSIDE);
  private final double[] outsideShares = shares(OUTSIDE);

  private SourceSumsBenchmark() {
    TreeSet<Integer> chosen = new TreeSet<>();
    for (int i = 0; i < INSIDE; i++) {
      do {
        inside[i] = (10 << 24) | random.nextInt(16 << 16);
      } while (!chosen.add(inside[i]));
    }
    for (int i = 0; i < OUTSIDE; i++) {
      do {
        outside[i] = (11 << 24) + (int) (random.nextDouble() * 3.5e9);
      } while (!chosen.add(outside[i]));
    }
  }

  private static double[] shares(int n) {
    double[] sums = new double[n];
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += Math.pow(i + 1, -1.1);
      sums[i] = sum;
    }
    for (int i = 0; i < n; i++) {
      sums[i] /= sum;
    }
    return sums;
  }

  private int pick(int[] hosts, double[] shares) {
    int place = Arrays.binarySearch(shares, random.nextDouble());
    return hosts[Math.min(hosts.length - 1, place < 0 ? -place - 1 : place)];
  }

  private long pareto(double shape, double scale, double least) {
    return (long)
        Math.min((Math.pow(1 - random.nextDouble(), -1 / shape) - 1) * scale + least, 2e9);
  }

  private List<FlowBatch> flows(long first, int rows, long total) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(10_000);
    for (long i = first; i < first + rows; i++) {
      long end = BEGIN + (long) (7.0 * DAY * i / total) / 1_000_000 * 1_000_000;
      int in = pick(inside, insideShares);
      int out = pick(outside, outsideShares);
      boolean outgoing = random.nextDouble() < 0.6;
      builder.beginRow();
      builder.set(FlowColumn.START_TIME, end);
      builder.set(FlowColumn.END_TIME, end);
      builder.set(FlowColumn.ARRIVAL, end);
      builder.setIpv4(FlowColumn.SRC_ADDR, outgoing ? in : out);
      builder.setIpv4(FlowColumn.DST_ADDR, outgoing ? out : in);
      builder.set(FlowColumn.SRC_PORT, 1024 + random.nextInt(64_000));
      builder.set(FlowColumn.DST_PORT, random.nextInt(10) > 0 ? 443 : random.nextInt(65_536));
      builder.set(FlowColumn.PROTOCOL, random.nextInt(5) > 0 ? 6 : 17);
      builder.set(FlowColumn.BYTES, pareto(1.2, 200, 40));
      builder.set(FlowColumn.REVERSE_BYTES, pareto(1.1, 300, 0));
      builder.set(FlowColumn.OUTGOING, outgoing ? 1 : 0);
      builder.set(FlowColumn.STATE, random.nextInt(6));
      builder.set(FlowColumn.DURATION, (long) (-3e6 * Math.log(1 - random.nextDouble())));
      builder.endRow();
      if (builder.isFull() || i == first + rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  /** A query by name. */
  private record Named(String name, FlowQuery query) {}

  private List<Named> queries() {
    List<Value> hundred = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      hundred.add(Value.ofAddress(IpAddress.ofIpv4(inside[i < 10 ? i : 10 + (i - 10) * 90])));
    }
    Parameters parameters =
        Parameters.NONE
            .with("sources", hundred)
            .with("now", Value.ofTimestamp(BEGIN + 7 * DAY + 14 * Traffic.HOUR));
    String top = " GROUP BY src_addr ORDER BY s DESC LIMIT 100";
    String sum = "SELECT src_addr, SUM(bytes) AS s FROM flows WHERE ";
    List<Named> queries = new ArrayList<>();
    queries.add(new Named("mice 1 day", bind(sum + since(6) + top, parameters)));
    queries.add(new Named("mice 7 days", bind(sum + since(0) + top, parameters)));
    queries.add(new Named("anomaly", bind(sum + "NOT outgoing GROUP BY src_addr", parameters)));
    queries.add(
        new Named(
            "elephants",
            bind(
                sum + "src_addr IN (:sources) AND SAME_HOUR(end_time, :now, 7) GROUP BY src_addr",
                parameters)));
    return queries;
  }

  private static String since(int days) {
    return "end_time >= TIMESTAMP '"
        + Instant.ofEpochSecond((BEGIN + days * DAY) / 1_000_000)
        + "'";
  }

  private static FlowQuery bind(String sql, Parameters parameters) {
    return QueryParser.parse(sql).bind(parameters);
  }

  /** Makes an archive, prints its size and the times of queries. */
  public static void main(String[] arguments) throws IOException {
    long rows = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10_000_000;
    int segmentRows = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 40;
    Path directory = Files.createTempDirectory("source-sums");
    SourceSumsBenchmark benchmark = new SourceSumsBenchmark();
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      long segmentBytes = 0;
      long indexBytes = 0;
      for (long first = 0; first < rows; first += segmentRows) {
        int n = (int) Math.min(segmentRows, rows - first);
        SealedSegment sealed = Traffic.commit(archive, benchmark.flows(first, n, rows));
        segmentBytes += sealed.segmentFile().length();
        indexBytes += sealed.indexFile().length();
      }
      System.out.printf(
          "%,d rows: segments %.1f, sidecars %.1f bytes per row%n",
          rows, (double) segmentBytes / rows, (double) indexBytes / rows);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        decode(archive, snapshot.segments().get(0), rounds);
        for (Named named : benchmark.queries()) {
          if (arguments.length > 3 && !named.name.equals(arguments[3])) {
            continue;
          }
          for (int threads = 1; threads <= 2; threads++) {
            time(snapshot, named, rounds, QueryOptions.DEFAULTS.withThreads(threads));
          }
          time(snapshot, named, 5, QueryOptions.DEFAULTS.withThreads(2).withRollups(false));
        }
      }
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static void time(ArchiveSnapshot snapshot, Named named, int rounds, QueryOptions options)
      throws IOException {
    double[] millis = new double[rounds];
    double cpu = Double.MAX_VALUE;
    ThreadMXBean own = ManagementFactory.getThreadMXBean();
    QueryAnswer answer = null;
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      long busy = own.getCurrentThreadCpuTime();
      answer = ArchiveQuery.run(snapshot, named.query, options);
      cpu = Math.min(cpu, (own.getCurrentThreadCpuTime() - busy) / 1e6);
      millis[round] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(millis);
    QueryStats stats = answer.stats();
    System.out.printf(
        "%-12s %d threads, sums %-5s: best %.2f ms, median %.2f ms, own CPU %.2f ms; %,d groups, %d"
            + " segments by sums, %,d cells, %,d rows%n",
        named.name,
        options.threads(),
        options.useRollups(),
        millis[0],
        millis[rounds / 2],
        cpu,
        answer.table().rowCount(),
        stats.segmentsByRollup(),
        stats.cellsRead(),
        stats.rowsExamined());
  }

  /**
   * Prints the values per second decoded from the stream of sums, and bytes of the blobs per row.
   */
  private static void decode(Archive archive, SealedSegment sealed, int rounds) throws IOException {
    try (SegmentIndex index = sealed.openIndex(archive.segmentsDirectory(), true)) {
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        Rollup hours = index.hours(column);
        Rollup totals = index.totals(column);
        System.out.printf(
            "%s: %.2f bytes per row by hour, %.2f over all; %.3f cells per row by hour, %.3f%n",
            column.sqlName(),
            (double) hours.bytes() / sealed.rows(),
            (double) totals.bytes() / sealed.rows(),
            (double) cells(hours) / sealed.rows(),
            (double) cells(totals) / sealed.rows());
      }
      Rollup rollup = index.totals(FlowColumn.SRC_ADDR);
      CellReader reader = new CellReader();
      long[] out = new long[RollupFormat.BLOCK];
      int[] ids = new int[RollupFormat.BLOCK];
      double best = 0;
      double bestIds = 0;
      for (int round = 0; round < 10 * rounds; round++) {
        long start = System.nanoTime();
        for (int s = 0; s < rollup.slices(); s++) {
          reader.open(rollup, s);
          for (int b = 0; b < reader.blocks(); b++) {
            reader.read(rollup.sumStream(Measure.of(FlowColumn.BYTES)), b, out);
          }
        }
        long middle = System.nanoTime();
        for (int s = 0; s < rollup.slices(); s++) {
          reader.open(rollup, s);
          for (int b = 0; b < reader.blocks(); b++) {
            reader.readIds(b, ids);
          }
        }
        best = Math.max(best, cells(rollup) * 1e3 / (middle - start));
        bestIds = Math.max(bestIds, cells(rollup) * 1e3 / (System.nanoTime() - middle));
      }
      System.out.printf("%.0f million sums/s, %.0f million ids/s decoded%n", best, bestIds);
    }
  }

  private static long cells(Rollup rollup) {
    long cells = 0;
    for (int s = 0; s < rollup.slices(); s++) {
      cells += rollup.cells(s);
    }
    return cells;
  }
}
