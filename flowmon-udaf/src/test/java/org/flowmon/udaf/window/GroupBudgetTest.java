package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/**
 * Windows with more groups than there is room for, against one flow at a time: the flows alone
 * decide which groups are kept, and kept groups and totals are exact.
 */
class GroupBudgetTest {
  private static final long MINUTE = 60_000_000L;
  private static final long START = 1_795_219_200_000_000L;

  /** A query with the columns of its keys, and those of its arguments by COUNT(DISTINCT …). */
  record Case(String sql, List<FlowColumn> keys, List<List<FlowColumn>> distinct, String totals) {
    FlowQuery query() {
      return QueryParser.parse(sql);
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case(
              "SELECT src_addr, SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr"
                  + " ORDER BY b DESC LIMIT 7",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b, COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, dst_port, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_port"
                  + " HAVING COUNT(*) < 3 ORDER BY n DESC LIMIT 5",
              List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_PORT),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT service, MAX(bytes) AS m, COUNT(*) AS n FROM flows GROUP BY service",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT MAX(bytes) AS m, COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, COUNT(DISTINCT dst_addr, dst_port) AS t, COUNT(DISTINCT dst_port)"
                  + " AS p, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY t DESC LIMIT 6",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of(FlowColumn.DST_ADDR, FlowColumn.DST_PORT)),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT src_addr, COUNT(DISTINCT dst_port) AS t, COUNT(DISTINCT dst_addr)"
                  + " AS p, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY t DESC LIMIT 6",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of(FlowColumn.DST_PORT), List.of(FlowColumn.DST_ADDR)),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT src_addr, dst_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_port"
                  + " ORDER BY b DESC LIMIT 1 BY dst_port LIMIT 6",
              List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_PORT),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT dst_addr, src_addr, SUM(bytes) AS b FROM flows GROUP BY dst_addr, src_addr",
              List.of(FlowColumn.DST_ADDR, FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT COUNT(DISTINCT src_addr) AS s, SUM(bytes) AS b FROM flows",
              List.of(),
              List.of(List.of(FlowColumn.SRC_ADDR)),
              "SELECT SUM(bytes) AS b FROM flows"),
          // Values taken out of these states are exact.
          new Case(
              "SELECT src_addr, QUANTILE(QUANTILES(bytes), 1) AS most, COUNT(QUANTILES(bytes)) AS"
                  + " v, COUNT(*) AS n FROM flows GROUP BY src_addr ORDER BY most DESC LIMIT 7",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT service, QUANTILE(QUANTILES(bytes), 0) AS least, SUM(bytes) AS b FROM flows"
                  + " GROUP BY service HAVING least < 2000",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT src_addr, COUNT(DISTINCT dst_port) AS p, COUNT(QUANTILES(bytes)) AS v,"
                  + " SUM(bytes) AS b FROM flows GROUP BY src_addr HAVING v > 1 ORDER BY p DESC,"
                  + " v LIMIT 6",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of(FlowColumn.DST_PORT)),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT service, CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS c, COUNT(*) AS n"
                  + " FROM flows GROUP BY service ORDER BY c DESC LIMIT 9",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, TOTAL(HEAVY_HITTERS(dst_addr, bytes)) AS t, SUM(bytes) AS b FROM"
                  + " flows GROUP BY src_addr HAVING b > 0 ORDER BY t DESC LIMIT 9",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"));

  @Test
  void whatIsKeptIsExactAndAFunctionOfTheFlows() {
    Map<Integer, Integer> levels = levels(CASES, false);
    // With all groups, and with few of them.
    assertTrue(levels.keySet().containsAll(List.of(0, 1, 2, 3, 8, 10)), "" + levels);
  }

  @Test
  void soItIsWhereTheBytesOfStatesAreLimited() {
    List<Case> withStates =
        CASES.stream().filter(test -> test.sql().matches(".*(QUANTILES|APPROX|HEAVY).*")).toList();
    Map<Integer, Integer> levels = levels(withStates, true);
    assertTrue(levels.keySet().containsAll(List.of(0, 1, 2, 3, 5, 8)), "" + levels);
  }

  private static Map<Integer, Integer> levels(List<Case> cases, boolean limitBytes) {
    Map<Integer, Integer> levels = new TreeMap<>();
    int seeds =
        (limitBytes ? 30 : 80)
            * Integer.getInteger("flowmon.test.times", 1); // those with states take longer
    for (int seed = 1; seed <= seeds; seed++) {
      Random random = new Random(limitBytes ? -seed : seed);
      Case test = cases.get(seed % cases.size());
      long slide = (1 + random.nextInt(4)) * MINUTE;
      int panes = seed % 2 == 0 ? 1 : 1 + random.nextInt(4);
      WindowSpec window =
          new WindowSpec(
              slide * panes,
              slide,
              FlowColumn.END_TIME,
              random.nextInt(40) * MINUTE / 20,
              WindowSpec.DEFAULT_AHEAD_MICROS,
              seed % 3 == 0,
              false);
      long budget = panes * (long) (1 << random.nextInt(10));
      long bytes = limitBytes ? panes * (512L << random.nextInt(11)) : Long.MAX_VALUE;
      GroupLimit limit = new GroupLimit(budget * (limitBytes ? 4 : 1), bytes);
      String at = "seed " + seed + ": " + test.sql() + " " + window + ", budget " + limit;
      List<FlowBatch> flows = flows(random);
      Map<Integer, Integer> found = new BudgetRun(test, window, limit, at, random).check(flows);
      found.forEach((level, windows) -> levels.merge(level, windows, Integer::sum));
    }
    return levels;
  }

  /** Flows in the order of their arrival. */
  private static List<FlowBatch> flows(Random random) {
    List<FlowBatch> batches = new ArrayList<>();
    long arrival = START;
    int late = random.nextBoolean() ? 2 : 10; // one of so many comes long after its end
    for (int b = 0; b < 60; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(60);
      for (int r = 0; r < 60; r++) {
        arrival += random.nextInt(200_000);
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, arrival);
        builder.set(
            FlowColumn.END_TIME,
            arrival - random.nextInt(random.nextInt(late) == 0 ? 120_000_000 : 2_000_000));
        if (random.nextInt(20) > 0) {
          address(builder, FlowColumn.SRC_ADDR, random);
        }
        address(builder, FlowColumn.DST_ADDR, random);
        if (random.nextInt(20) > 0) {
          builder.set(FlowColumn.DST_PORT, random.nextInt(40));
          builder.setText(FlowColumn.SERVICE, "s" + random.nextInt(300));
        }
        builder.set(FlowColumn.BYTES, random.nextInt(5000));
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, b, 60L * b, 0)));
    }
    return batches;
  }

  private static void address(FlowBatchBuilder builder, FlowColumn column, Random random) {
    int host = random.nextInt(random.nextBoolean() ? 1000 : 20);
    if (host % 5 == 0) {
      builder.setAddress(column, new IpAddress(0x20010DB8_00000000L, host));
    } else {
      builder.setIpv4(column, 0x0A000000 + host);
    }
  }
}
