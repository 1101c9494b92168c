package org.flowmon.bench.live;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;

/**
 * The cost of a flow on the low level with more and more queries, as CPU time of one thread without
 * Kafka and Flink. The messages that leave it are counted and dropped.
 */
public final class QueryCounts implements Experiment {
  // More than sources, so that evicted groups are not measured.
  private static final int SLOTS = 32_768;
  private static final int WARM_UPS = 2;

  private List<FlowBatch> batches;

  @Override
  public void run(Run run) {
    batches = batches(run.number("flows"), 100_000, run.number("seed"));
    List<Point> points = run.points();
    // One query that shares nothing, until all is compiled.
    Point single = points.get(points.size() - run.integers("queries").size());
    var unused = measure(run, single, false);
    double one = 0;
    for (Point at : points) {
      int count = at.integer("queries");
      double nanos = measure(run, at, false);
      one = count == 1 ? nanos : one;
      run.add(
          at.row()
              .put("ns_per_flow", nanos)
              .put("ns_per_flow_and_query", nanos / count)
              .put("of_so_many_times_one", nanos / (count * one))
              .put("ns_each_by_itself", measure(run, at, true)));
    }
  }

  /** Flows in batches as collectors send them, so many to a second of arrival. */
  static List<FlowBatch> batches(long flows, long perSecond, long seed) {
    List<FlowBatch> all = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(FlowWriter.BATCH_ROWS);
    new LiveFlows(flows, perSecond, seed)
        .generate(
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
   * Measures passes over the flows: nanoseconds of a flow, the least of the rounds.
   *
   * @param apart whether each query evaluates all its expressions itself, into its own table
   */
  private double measure(Run run, Point at, boolean apart) {
    double least = Double.POSITIVE_INFINITY;
    long flows = batches.stream().mapToLong(FlowBatch::rows).sum();
    for (int round = -WARM_UPS; round < run.integer("rounds"); round++) {
      List<LowLevel> levels = levels(run, at, apart);
      long start = Samples.cpuNanos();
      for (FlowBatch batch : batches) {
        for (LowLevel level : levels) {
          level.process(batch);
        }
      }
      levels.forEach(LowLevel::drainAll);
      double nanos = (Samples.cpuNanos() - start) / (double) flows;
      least = round < 0 ? least : Math.min(least, nanos);
    }
    return least;
  }

  private static List<LowLevel> levels(Run run, Point at, boolean apart) {
    String shared = at.text("shared");
    List<LowLevel> levels = new ArrayList<>();
    for (int q = 0; q < at.integer("queries"); q++) {
      long window = (10L + (shared.contains("windows") ? 0 : q)) * 1_000_000;
      if (apart || q == 0) {
        levels.add(new LowLevel());
      }
      WindowSpec windows =
          new WindowSpec(
              window, window, FlowColumn.END_TIME, 1_000_000, WindowSpec.DEFAULT_AHEAD_MICROS);
      var unused =
          levels
              .get(levels.size() - 1)
              .add(
                  q,
                  QueryParser.parse(query(run, shared, q)),
                  windows,
                  SLOTS,
                  LowLevelQuery.DEFAULT_MAX_PARALLELISM,
                  (keyGroup, bytes) -> {});
    }
    return levels;
  }

  /** A query that differs from others in what is not shared; no other has its HAVING. */
  private static String query(Run run, String shared, int number) {
    List<String> keys = run.parameters("keys", String.class);
    List<String> measures = run.parameters("measures", String.class);
    List<String> functions = run.parameters("functions", String.class);
    int first = number % keys.size();
    int second = (number / keys.size() + first) % keys.size();
    String own = first == second ? keys.get(first) : keys.get(first) + ", " + keys.get(second);
    String measure =
        functions.get(number / measures.size() % functions.size())
            + "("
            + measures.get(number % measures.size())
            + ")";
    return run.parameter("query")
        .asText()
        .replace("{keys}", shared.contains("keys") ? "src_addr" : own)
        .replace("{measure}", shared.contains("not aggregates") ? measure : "SUM(bytes)")
        // Each different filter keeps the same flows as the common one, and checks one port.
        .replace("{port}", shared.contains("filter") ? "" : " AND dst_port <> " + (10_000 + number))
        .replace("{number}", String.valueOf(number));
  }
}
