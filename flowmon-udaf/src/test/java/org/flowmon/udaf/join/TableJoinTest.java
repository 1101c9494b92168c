package org.flowmon.udaf.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.parser.QueryScope;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a join holds of its query's memory, with conditions that apply while it is made. */
class TableJoinTest {
  private static final QueryScope SCOPE =
      new QueryScope(List.of(relation("live"), relation("past"), relation("names")), Map.of());

  private static Relation relation(String name) {
    List<Named> columns = List.of(new Named("k", ValueKind.LONG), new Named("v", ValueKind.LONG));
    return new Relation(name, columns, Set.of("k"), Optional.empty());
  }

  private static ResultTable table(Random random, int rows) {
    ResultTable.Builder table = new ResultTable.Builder();
    table.column("k", ValueKind.LONG).column("v", ValueKind.LONG);
    for (int row = 0; row < rows; row++) {
      table.row().set(0, random.nextInt(50)).set(1, random.nextInt(100));
    }
    return table.build();
  }

  private static boolean holds(long a, long b) {
    return a < 70 && a + b < 120;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void onlyTheRowsOfTheJoinStayTaken(long seed) {
    Random random = new Random(seed);
    ResultTable live = table(random, 500 + random.nextInt(3000));
    ResultTable past = table(random, 20 + random.nextInt(40));
    ResultTable names = table(random, 20 + random.nextInt(40));
    TableQuery query =
        (TableQuery)
            QueryParser.parseQuery(
                "SELECT live.k FROM live JOIN past ON past.k = live.k JOIN names ON names.k ="
                    + " live.k WHERE live.v < 70 AND live.v + past.v < 120",
                SCOPE);
    GroupMemory memory = new GroupMemory(1L << 30);
    TableJoin join = TableJoin.of(query, List.of(live, past, names), 10_000_000, memory, () -> {});
    int rows = 0;
    int unfiltered = 0;
    for (int a = 0; a < live.rowCount(); a++) {
      for (int b = 0; b < past.rowCount(); b++) {
        for (int c = 0; c < names.rowCount(); c++) {
          if (live.low(a, 0) == past.low(b, 0) && live.low(a, 0) == names.low(c, 0)) {
            unfiltered++;
            rows += holds(live.low(a, 1), past.low(b, 1)) ? 1 : 0;
          }
        }
      }
    }
    assertEquals(rows, join.count());
    assertTrue(rows < unfiltered, "a condition drops rows");
    assertEquals(3L * Integer.BYTES * rows, memory.taken());
  }
}
