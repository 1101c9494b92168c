package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/**
 * States that grow, some from exact to approximate, under a budget of bytes: their memory keeps to
 * it at every message, and the kept groups are the same at any parallelism.
 */
class StateBudgetTest {
  private static final WindowSpec WINDOW =
      new WindowSpec(
          10_000_000, 10_000_000, FlowColumn.END_TIME, 0, WindowSpec.DEFAULT_AHEAD_MICROS);
  private static final int SOURCES = 400;
  private static final int ROWS = 60_000;

  private static final Map<String, String> FUNCTIONS =
      Map.of(
          "QUANTILE(QUANTILES(bytes), 0.5)", "COUNT(QUANTILES(bytes))",
          "QUANTILE(QUANTILES(bytes, 0.02, 'medium'), 0.5)",
              "COUNT(QUANTILES(bytes, 0.02, 'medium'))",
          "QUANTILE(QUANTILES(bytes, 0.02, 'kll'), 0.5)", "COUNT(QUANTILES(bytes, 0.02, 'kll'))",
          "TOP(HEAVY_HITTERS(dst_addr, packets), 1)", "TOTAL(HEAVY_HITTERS(dst_addr, packets))",
          "CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr, 8))", "COUNT(*)");

  @Test
  void bytesThatStatesOccupyAreWithinTheBudgetAndWhatIsKeptIsAMatterOfTheFlows() {
    FUNCTIONS.forEach(
        (approximate, exact) -> {
          FlowQuery query =
              QueryParser.parse(
                  "SELECT src_addr, "
                      + exact
                      + " AS e, COUNT(*) AS n, "
                      + approximate
                      + " AS a FROM flows GROUP BY src_addr");
          List<FlowBatch> flows = flows(new Random(approximate.hashCode()));
          long all = run(query, flows, Long.MAX_VALUE, 4, 1, new Random(1)).stateBytes();
          for (int seed = 1; seed <= 4; seed++) {
            long budget = all / (1 + new Random(seed).nextInt(30)) - 1;
            Outcome one = run(query, flows, budget, 1, 1, new Random(seed));
            Outcome four = run(query, flows, budget, 8, 4, new Random(-seed));
            String at = query + ", " + budget + " of " + all + " bytes, seed " + seed;
            assertTrue(one.level() > 0 && one.level() < 17, at + ": level " + one.level());
            assertEquals(one.level(), four.level(), at);
            assertTrue(one.exact().rowCount() > 0, at);
            assertEquals(one.exact(), four.exact(), at);
            assertEquals(one.totals(), four.totals(), at);
            checkRows(flows, one.exact(), approximate.startsWith("CARD") ? "n" : "e", at);
          }
        });
  }

  private record Outcome(int level, long stateBytes, ResultTable exact, ResultTable totals) {}

  private static Outcome run(
      FlowQuery query, List<FlowBatch> flows, long bytes, int keyGroups, int tasks, Random random) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(
            7, query, WINDOW, 16 << random.nextInt(8), keyGroups, (keyGroup, b) -> sent.add(b));
    for (FlowBatch batch : flows) {
      low.process(batch);
      if (random.nextInt(5) == 0) {
        low.drainAll();
      }
    }
    low.drainAll();
    Collections.shuffle(sent, random);
    List<GroupBudget> budgets = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      GroupLimit limit = new GroupLimit(1_000_000, bytes);
      budgets.add(new GroupBudget(limit, WINDOW, keyGroups / tasks, keyGroups));
    }
    TreeMap<Integer, WindowTables> tables = new TreeMap<>();
    for (byte[] message : sent) {
      PartialGroups groups = PartialGroups.open(message);
      int task = groups.keyGroup() % tasks;
      GroupBudget budget = budgets.get(task);
      tables
          .computeIfAbsent(
              groups.keyGroup(),
              k -> new WindowTables(7, query, WINDOW, budget, new WindowAdvances()))
          .merge(groups);
      assertTrue(budget.stateBytes() <= bytes, budget.stateBytes() + " of " + bytes);
      long measured = 0;
      for (Map.Entry<Integer, WindowTables> of : tables.entrySet()) {
        measured += of.getKey() % tasks == task ? of.getValue().stateMemoryBytes() : 0;
      }
      assertTrue(measured <= budget.stateBytes(), measured + " of " + budget.stateBytes());
    }
    long held = budgets.stream().mapToLong(GroupBudget::stateBytes).sum();
    WindowPart[] merged = new WindowPart[1];
    for (WindowTables of : tables.values()) {
      of.closeUpTo(
          10_000_000,
          part -> {
            WindowPart opened = WindowPart.open(part.toBytes(), query);
            if (merged[0] == null) {
              merged[0] = opened;
            } else {
              merged[0].merge(opened);
            }
          });
    }
    WindowPart settled = merged[0].settled(new GroupLimit(1_000_000, bytes));
    ResultTable exact = settled.result().select("src_addr", "e", "n");
    return new Outcome(settled.level(), held, exact, settled.totals().select("n"));
  }

  /** Checks that groups are complete: they have all of their flows. */
  private static void checkRows(List<FlowBatch> flows, ResultTable rows, String column, String at) {
    TreeMap<String, Long> expected = new TreeMap<>();
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        String source = Value.ofAddress(batch.getAddress(FlowColumn.SRC_ADDR, row)).toString();
        long more = batch.getLong(FlowColumn.PACKETS, row);
        expected.merge(source, more, Long::sum);
      }
    }
    for (int row = 0; row < rows.rowCount(); row++) {
      String source = rows.value(row, 0).toString();
      assertEquals(
          "" + expected.get(source), rows.value(row, rows.column(column)).toString(), at + source);
    }
  }

  /** Sources with few flows and with thousands; packets are 1, so that they count flows. */
  private static List<FlowBatch> flows(Random random) {
    List<FlowBatch> batches = new ArrayList<>();
    int[] order = new int[SOURCES];
    Arrays.setAll(order, i -> i);
    for (int b = 0; b < ROWS / 1000; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(1000);
      for (int r = 0; r < 1000; r++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 9_000_000);
        builder.set(FlowColumn.END_TIME, random.nextInt(9_000_000));
        int source = (int) (SOURCES * Math.pow(random.nextDouble(), 3));
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000000 + source);
        builder.setIpv4(FlowColumn.DST_ADDR, 0x0B000000 + random.nextInt(5000));
        builder.set(FlowColumn.BYTES, random.nextInt(1 << 24));
        builder.set(FlowColumn.PACKETS, 1);
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, b, 1000L * b, 0)));
    }
    return batches;
  }
}
