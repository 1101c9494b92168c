package org.flowmon.udaf.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.window.WindowTables;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Nanoseconds per flow: the low level alone, without a low level, and both levels together. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class TableBenchmark {
  private static final int BATCHES = 1000;
  private static final int ROWS = 1000;
  private static final int FLOWS = BATCHES * ROWS;
  private static final long HOUR = 3_600_000_000L;
  private static final long BASE = 500_000 * HOUR;

  /** Different source addresses, with Zipf's exponent 1.1. */
  @Param({"10000", "1000000"})
  public int sources;

  @Param({"8192", "16384"})
  public int slots;

  @Param({"elephants", "pairs"})
  public String query;

  private FlowQuery live;
  private List<FlowBatch> flows;
  private final List<byte[]> sent = new ArrayList<>();

  @Setup
  public void fill() {
    live =
        QueryParser.parse(
            query.equals("elephants")
                ? "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing"
                    + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 100"
                : "SELECT src_addr, dst_port, COUNT(*) AS n, SUM(bytes) AS bytes FROM flows"
                    + " GROUP BY src_addr, dst_port ORDER BY n DESC LIMIT 100");
    Random random = new Random(1);
    int[] addresses = random.ints(sources).toArray();
    flows = new ArrayList<>();
    for (int b = 0; b < BATCHES; b++) {
      flows.add(batch(random, addresses));
    }
  }

  private static FlowBatch batch(Random random, int[] addresses) {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int r = 0; r < ROWS; r++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, BASE + r);
      builder.set(FlowColumn.END_TIME, BASE + r);
      builder.setIpv4(FlowColumn.SRC_ADDR, addresses[zipf(random, addresses.length)]);
      builder.set(FlowColumn.DST_PORT, random.nextInt(3) == 0 ? random.nextInt(65536) : 443);
      builder.set(FlowColumn.BYTES, 40 + random.nextInt(100_000));
      builder.set(FlowColumn.OUTGOING, 0);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, ROWS, 0));
  }

  /** A rank by the inverse of the continuous distribution of exponent 1.1. */
  private static int zipf(Random random, int n) {
    double s = 0.1;
    double rank = Math.pow(1 - random.nextDouble() * (1 - Math.pow(n, -s)), -1 / s);
    return (int) Math.min(n - 1, rank - 1);
  }

  @Benchmark
  @OperationsPerInvocation(FLOWS)
  public LowLevelCounts lowLevel() {
    LowLevelQuery low = lowLevelQuery((keyGroup, bytes) -> {});
    flows.forEach(low::process);
    low.drainAll();
    return low.counts();
  }

  @Benchmark
  @OperationsPerInvocation(FLOWS)
  public long highLevelAlone() {
    GroupCollector collector = new GroupCollector(live);
    int[] selection = new int[1024];
    for (int i = 0; i < selection.length; i++) {
      selection[i] = i;
    }
    flows.forEach(batch -> collector.add(batch, 0, selection, batch.rows()));
    return collector.finish().rowCount();
  }

  @Benchmark
  @OperationsPerInvocation(FLOWS)
  public long bothLevels() {
    sent.clear();
    LowLevelQuery low = lowLevelQuery((keyGroup, bytes) -> sent.add(bytes));
    flows.forEach(low::process);
    low.drainAll();
    WindowSpec window = WindowSpec.tumbling(HOUR, 0);
    WindowTables tables = new WindowTables(1, live, window);
    sent.forEach(bytes -> tables.merge(PartialGroups.open(bytes)));
    long[] rows = new long[1];
    tables.closeUpTo(BASE + 2 * HOUR, part -> rows[0] += part.result().rowCount());
    return rows[0];
  }

  private LowLevelQuery lowLevelQuery(PartialSink sink) {
    return new LowLevelQuery(1, live, WindowSpec.tumbling(HOUR, 0), slots, 128, sink);
  }
}
