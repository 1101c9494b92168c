package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Parts of groups without those beyond the bound: the answer equals that of all groups. */
class OrderBoundTest {
  private static final String[] ORDERS = {
    "SUM(bytes) AS v", "COUNT(*) AS v", "COUNT(bytes) AS v", "MIN(bytes) AS v", "MAX(bytes) AS v"
  };
  private static final String[] DIRECTIONS = {
    "v DESC", "v", "v DESC NULLS FIRST", "v NULLS FIRST", "v DESC, src_port DESC"
  };
  private static final String[] CONDITIONS = {
    "", "", " HAVING src_port % 3 = 1", " HAVING v < 10", " HAVING COUNT(*) > 40 OR v > 30"
  };

  private long leftOut;

  @Test
  void whatIsLeftOutIsNotAmongTheFirst() {
    for (int seed = 1; seed <= 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String text =
          "SELECT src_port, "
              + ORDERS[random.nextInt(ORDERS.length)]
              + " FROM flows GROUP BY src_port"
              + CONDITIONS[random.nextInt(CONDITIONS.length)]
              + " ORDER BY "
              + DIRECTIONS[random.nextInt(DIRECTIONS.length)]
              + " LIMIT "
              + random.nextInt(1, 40);
      check(QueryParser.parse(text), random, "seed " + seed + ": " + text);
    }
    assertTrue(leftOut > 10_000, leftOut + " groups left out");
  }

  private void check(FlowQuery query, SplittableRandom random, String name) {
    GroupLayout layout = GroupLayout.of(query);
    OrderBound bound = OrderBound.of(query, layout);
    GroupTable all = new GroupTable(layout);
    GroupTable some = new GroupTable(layout);
    int key = 0;
    for (int part = random.nextInt(1, 8); part > 0; part--) {
      int n = random.nextInt(200);
      int stride = layout.stateWords();
      long[] states = new long[n * stride];
      long[] keys = new long[n];
      int[] places = new int[n];
      for (int g = 0; g < n; g++) {
        places[g] = g * stride;
        keys[g] = key++;
        randomState(layout, states, places[g], random);
      }
      all.append(new long[n], new long[][] {keys}, states, places, n);
      int[] chosen = new int[n + 1];
      int kept = bound.choose(states, 0, stride, n, chosen);
      leftOut += n - kept;
      long[] keptKeys = new long[kept];
      for (int i = 0; i < kept; i++) {
        keptKeys[i] = keys[chosen[i]];
        chosen[i] *= stride;
      }
      GroupTable one = new GroupTable(layout);
      one.append(new long[kept], new long[][] {keptKeys}, states, chosen, kept);
      int[] first = new GroupAnswer(one, query).first();
      bound.learn(one, first);
      some.append(one, first);
    }
    ResultTable expected = new GroupAnswer(all, query).finish();
    ResultTable found = new GroupAnswer(some, query).finish();
    assertEquals(expected.rowCount(), found.rowCount(), name);
    for (int row = 0; row < expected.rowCount(); row++) {
      for (int column = 0; column < 2; column++) {
        assertEquals(expected.formatted(row, column), found.formatted(row, column), name);
      }
    }
  }

  /** A state of few different values, of NULL now and then, of a sum beyond a long now and then. */
  private static void randomState(
      GroupLayout layout, long[] states, int at, SplittableRandom random) {
    boolean isNull = random.nextInt(20) == 0;
    boolean isWide = random.nextInt(20) == 0;
    for (Accumulator one : layout.accumulators()) {
      int word = at + one.word();
      long value = random.nextInt(-50, 50);
      switch (one.operation()) {
        case COUNT_ROWS -> states[word] = random.nextInt(1, 50);
        case COUNT_VALUES -> states[word] = isNull ? 0 : random.nextInt(1, 50);
        case SUM -> {
          states[word] = isNull ? 0 : value;
          states[word + 1] = !isNull && isWide ? random.nextInt(-2, 3) : 0;
        }
        case MIN -> states[word] = isNull ? Long.MAX_VALUE : value;
        case MAX -> states[word] = isNull ? Long.MIN_VALUE : value;
        default -> throw new AssertionError(one);
      }
    }
  }

  @Test
  void otherOrdersHaveNoBound() {
    for (String end :
        new String[] {
          "", " ORDER BY src_port LIMIT 5", " ORDER BY AVG(bytes) LIMIT 5", " ORDER BY SUM(bytes)"
        }) {
      FlowQuery query =
          QueryParser.parse(
              "SELECT src_port, SUM(bytes), AVG(bytes) FROM flows GROUP BY src_port" + end);
      assertNull(OrderBound.of(query, GroupLayout.of(query)), end);
    }
  }
}
