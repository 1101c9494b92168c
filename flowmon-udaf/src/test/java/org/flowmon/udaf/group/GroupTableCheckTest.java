package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Long work on groups can be ended, and answers that no table holds are reported. */
class GroupTableCheckTest {
  private static final int GROUPS = 100_000;

  private static GroupTable groups(FlowQuery query) {
    GroupLayout layout = GroupLayout.of(query);
    GroupTable table = new GroupTable(layout);
    long[] nulls = new long[GROUPS];
    long[][] keys = new long[layout.keyWords()][GROUPS];
    long[] states = new long[layout.stateWords() * GROUPS];
    int[] places = new int[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
      keys[0][g] = Double.doubleToLongBits((double) (g * 7919L % GROUPS));
      places[g] = g * layout.stateWords();
    }
    table.append(nulls, keys, states, places, GROUPS);
    return table;
  }

  private static Runnable after(int times) {
    int[] left = {times};
    return () -> {
      if (--left[0] < 0) {
        throw new IllegalStateException("ended");
      }
    };
  }

  /**
   * All sums are equal: groups are ordered by comparing keys alone, one by one as they are doubles.
   */
  @Test
  void sortingAndMergingCanBeEndedOnTheWay() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT bytes / 3 AS third, SUM(packets) AS p FROM flows GROUP BY third ORDER BY p"
                + " DESC");
    GroupTable table = groups(query);
    int[] looks = new int[1];
    ResultTable answer = new GroupAnswer(table, query, () -> looks[0]++).finish();
    assertEquals(GROUPS, answer.rowCount());
    assertEquals(new GroupAnswer(table, query).finish(), answer);
    assertTrue(looks[0] > 20, looks[0] + " looks");
    assertThrows(
        IllegalStateException.class,
        () -> new GroupAnswer(table, query, after(looks[0] / 2)).finish());
    GroupTable into = new GroupTable(table.layout());
    assertThrows(IllegalStateException.class, () -> into.merge(table, after(5)));
    assertTrue(into.size() > 0 && into.size() < GROUPS / 2, into.size() + " groups");
  }

  @Test
  void anAnswerOfMoreThanAnAnswerHoldsSaysWhatToDo() {
    assertEquals(ResultTable.MAX_ROWS, ResultTable.rows(ResultTable.MAX_ROWS));
    AnswerTooLargeException e =
        assertThrows(AnswerTooLargeException.class, () -> ResultTable.rows(3_000_000_000L));
    assertTrue(e.getMessage().contains("3,000,000,000 rows"), e.getMessage());
    assertTrue(e.getMessage().contains("add LIMIT"), e.getMessage());
  }
}
