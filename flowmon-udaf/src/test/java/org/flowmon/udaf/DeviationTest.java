package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Standard deviations equal those of exact arithmetic, also for the largest values. */
class DeviationTest {
  private static final MathContext DIGITS = new MathContext(80);

  private static double exact(List<BigInteger> values, boolean ofSample) {
    BigDecimal n = BigDecimal.valueOf(values.size());
    BigInteger sum = values.stream().reduce(BigInteger.ZERO, BigInteger::add);
    BigDecimal mean = new BigDecimal(sum).divide(n, DIGITS);
    BigDecimal squares = BigDecimal.ZERO;
    for (BigInteger value : values) {
      BigDecimal from = new BigDecimal(value).subtract(mean);
      squares = squares.add(from.multiply(from));
    }
    BigDecimal by = ofSample ? n.subtract(BigDecimal.ONE) : n;
    return squares.divide(by, DIGITS).sqrt(DIGITS).doubleValue();
  }

  @Test
  void isThatOfExactArithmetic() {
    for (long seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      int rows = 1 + random.nextInt(seed % 2 == 0 ? 5 : 2000);
      long base = random.nextLong() >>> (1 + random.nextInt(60));
      int spread = random.nextInt(62);
      List<BigInteger> values = new ArrayList<>();
      List<FlowBatch> flows = new ArrayList<>();
      FlowBatchBuilder builder = new FlowBatchBuilder(500);
      for (int r = 0; r < rows; r++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 1);
        if (random.nextInt(10) > 0) {
          long bytes = Math.max(0, base - (base >>> 1) + (random.nextLong() >>> (2 + spread)));
          builder.set(FlowColumn.BYTES, bytes);
          values.add(BigInteger.valueOf(bytes).negate());
        }
        builder.endRow();
        if (builder.isFull() || r == rows - 1) {
          flows.add(FlowBatch.open(builder.build(1, flows.size(), 0, 0)));
          builder.clear();
        }
      }
      ResultTable table =
          FlowQueries.run(
              flows,
              QueryParser.parse(
                  "SELECT STDDEV(0 - bytes) AS s, STDDEV_POP(0 - bytes) AS p FROM flows"));
      assertEquals(values.size() < 2, table.isNull(0, 0), "seed " + seed);
      assertEquals(values.isEmpty(), table.isNull(0, 1), "seed " + seed);
      if (values.size() >= 2) {
        assertClose(exact(values, true), table.doubleValue(0, 0), seed);
        assertClose(exact(values, false), table.doubleValue(0, 1), seed);
      }
    }
  }

  private static void assertClose(double expected, double found, long seed) {
    assertTrue(
        Math.abs(expected - found) <= 3 * Math.ulp(expected),
        "seed " + seed + ": expected " + expected + ", found " + found);
  }

  @Test
  void ordersGroups() {
    List<FlowBatch> flows = new RandomFlows(3).batches(20, 300);
    ResultTable table =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT protocol, STDDEV(bytes) AS s FROM flows GROUP BY protocol"
                    + " ORDER BY s DESC"));
    assertTrue(table.rowCount() > 2);
    for (int r = 1; r < table.rowCount(); r++) {
      assertTrue(
          table.isNull(r, 1)
              || (!table.isNull(r - 1, 1)
                  && table.doubleValue(r - 1, 1) >= table.doubleValue(r, 1)));
    }
  }

  @Test
  void distinctRowsAreGroups() {
    List<FlowBatch> flows = new RandomFlows(3).batches(20, 300);
    String from = " FROM flows WHERE bytes > 100";
    assertEquals(
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT src_addr AS a, protocol AS p" + from + " GROUP BY a, p ORDER BY p DESC")),
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT DISTINCT src_addr AS a, protocol AS p" + from + " ORDER BY p DESC")));
  }
}
