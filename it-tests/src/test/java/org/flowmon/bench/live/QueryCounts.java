package org.flowmon.bench.live;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live queries}: the cost of a flow on the low level with more and more
 * queries, as CPU time of one thread without Kafka and Flink. The messages that leave it are
 * counted and dropped.
 */
@Command(
    name = "queries",
    mixinStandardHelpOptions = true,
    description = {
      "Nanoseconds of CPU of the low level for a flow against the number of queries, on one thread,"
          + " where the queries share filter, keys and windows, so that they have one table, or"
          + " only filter and keys, keys, a filter, or nothing.",
      "Each query has another window where they do not share windows."
    })
public final class QueryCounts implements Callable<Integer> {
  private static final long FLOWS = 1_000_000;
  private static final int[] COUNTS = {1, 2, 4, 8, 16, 32};
  // More than sources, so that ejected groups are not measured.
  private static final int SLOTS = 32_768;
  private static final String INCOMING = "outgoing IS NOT TRUE";
  private static final List<String> MEASURES =
      List.of(
          "bytes",
          "packets",
          "duration",
          "src_port",
          "dst_port",
          "protocol",
          "tcp_flags",
          "src_as");
  private static final List<String> FUNCTIONS = List.of("SUM", "MAX", "MIN", "STDDEV");
  private static final List<String> KEYS =
      List.of("src_addr", "dst_addr", "dst_port", "src_port", "protocol", "tcp_flags", "src_as");

  @Mixin private LiveOptions options;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Timed passes over the flows after two; default ${DEFAULT-VALUE}.")
  private int rounds;

  /** The parts that queries share. */
  private enum Sharing {
    WINDOWS("filter, keys, windows"),
    OTHER_AGGREGATES("filter, keys, windows, not aggregates"),
    FILTER_AND_KEYS("filter and keys"),
    KEYS_ALONE("keys"),
    FILTER("filter"),
    NOTHING("nothing");

    private final String text;

    Sharing(String text) {
      this.text = text;
    }

    boolean windows() {
      return this == WINDOWS || this == OTHER_AGGREGATES;
    }

    String query(int number) {
      boolean keys = windows() || this == FILTER_AND_KEYS || this == KEYS_ALONE;
      boolean filter = windows() || this == FILTER_AND_KEYS || this == FILTER;
      return "SELECT "
          + (keys ? "src_addr" : key(number))
          + ", "
          + (this == OTHER_AGGREGATES ? aggregate(number) : "SUM(bytes)")
          + " AS measure, COUNT(*) AS flows FROM flows WHERE "
          // Each different filter keeps the same flows as the common one, and checks one port.
          + (filter ? INCOMING : INCOMING + " AND dst_port <> " + (10_000 + number))
          + " GROUP BY "
          + (keys ? "src_addr" : key(number))
          + " HAVING flows > "
          + number
          + " ORDER BY measure DESC LIMIT 100";
    }

    /** An aggregate, different for all numbers below 32. */
    private static String aggregate(int number) {
      String function = FUNCTIONS.get(number / MEASURES.size() % FUNCTIONS.size());
      return function + "(" + MEASURES.get(number % MEASURES.size()) + ")";
    }

    /** One or two key columns, different for all numbers below 49. */
    private static String key(int number) {
      int first = number % KEYS.size();
      int second = (number / KEYS.size() + first) % KEYS.size();
      return first == second ? KEYS.get(first) : KEYS.get(first) + ", " + KEYS.get(second);
    }
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rounds < 1) {
      throw new UsageException("--rounds is at least 1");
    }
    List<FlowBatch> batches = batches(options.flows(FLOWS));
    BenchResult table = new BenchResult("live queries: ns of CPU for a flow, least of " + rounds);
    SvgPlot plot = new SvgPlot("Cost of queries", "queries", false, "ns per flow", false);
    var unused = measure(Sharing.NOTHING, COUNTS[0], batches, false); // until all is compiled
    for (Sharing sharing : Sharing.values()) {
      double one = 0;
      for (int count : COUNTS) {
        double nanos = measure(sharing, count, batches, false);
        double apart = measure(sharing, count, batches, true);
        one = count == 1 ? nanos : one;
        options.progress(
            "%d queries, sharing %s: %.1f ns per flow, %.1f each by itself",
            count, sharing.text, nanos, apart);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("shared", sharing.text);
        row.put("queries", (long) count);
        row.put("ns_per_flow", nanos);
        row.put("ns_per_flow_and_query", nanos / count);
        row.put("of_so_many_times_one", nanos / (count * one));
        row.put("ns_each_by_itself", apart);
        table.row(row);
        plot.point("sharing " + sharing.text, count, nanos);
      }
    }
    options.show("queries", List.of(table), plot);
    return 0;
  }

  private List<FlowBatch> batches(long flows) {
    List<FlowBatch> all = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(FlowWriter.BATCH_ROWS);
    Instant end = Instant.parse("2026-01-15T12:00:00Z");
    new HistoryGenerator(
            new TrafficModel(options.seed(), TrafficOptions.defaults()),
            end.minusMillis(Math.max(1, flows / 100)),
            end,
            flows,
            100_000)
        .generate(
            1,
            from -> {
              for (int row = 0; row < from.rows(); row++) {
                builder.appendRow(from, row);
                if (builder.isFull()) {
                  all.add(FlowBatch.open(builder.build(1, all.size(), 0, 0)));
                  builder.clear();
                }
              }
            });
    return all;
  }

  /**
   * Measures passes over the flows.
   *
   * @param apart whether each query evaluates all its expressions itself, into its own table
   */
  private double measure(Sharing sharing, int count, List<FlowBatch> batches, boolean apart) {
    double[] nanos = new double[rounds];
    long flows = batches.stream().mapToLong(FlowBatch::rows).sum();
    for (int round = -2; round < rounds; round++) { // two rounds warm up
      List<LowLevel> levels = levels(sharing, count, apart);
      long start = cpuNanos();
      for (FlowBatch batch : batches) {
        for (LowLevel level : levels) {
          level.process(batch);
        }
      }
      levels.forEach(LowLevel::drainAll);
      if (round >= 0) {
        nanos[round] = (cpuNanos() - start) / (double) flows;
      }
    }
    return Arrays.stream(nanos).min().getAsDouble();
  }

  /** CPU time of this thread, without that of other processes. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static List<LowLevel> levels(Sharing sharing, int count, boolean apart) {
    List<LowLevel> levels = new ArrayList<>();
    for (int q = 0; q < count; q++) {
      long window = (10L + (sharing.windows() ? 0 : q)) * 1_000_000;
      if (apart || q == 0) {
        levels.add(new LowLevel());
      }
      var unused =
          levels
              .get(levels.size() - 1)
              .add(
                  q,
                  QueryParser.parse(sharing.query(q)),
                  new WindowSpec(
                      window,
                      window,
                      FlowColumn.END_TIME,
                      1_000_000,
                      WindowSpec.DEFAULT_AHEAD_MICROS),
                  SLOTS,
                  LowLevelQuery.DEFAULT_MAX_PARALLELISM,
                  (keyGroup, bytes) -> {});
    }
    return levels;
  }
}
