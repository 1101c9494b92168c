package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.junit.jupiter.api.Test;

/**
 * DuckDB gives the same answers: filters in three-valued logic, arithmetic, groups, exact sums,
 * orders, NULLs.
 */
class DuckDbComparisonTest {
  @Test
  void duckDbGivesTheSameAnswers() throws Exception {
    int answersWithRows = 0;
    for (long seed = 1; seed <= 2 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      List<FlowBatch> flows = new RandomFlows(seed).batches(8, 300);
      try (DuckDb duck = new DuckDb(flows)) {
        RandomQueries queries = new RandomQueries(new Random(seed));
        for (int q = 0; q < 140; q++) {
          RandomQueries.Pair pair = q % 2 == 0 ? queries.grouped() : queries.lookup();
          String at = "seed " + seed + ", query " + q + ":\n" + pair.ours() + "\n" + pair.duck();
          Query query = parse(pair.ours(), at);
          List<List<String>> expected = duck.rows(pair.duck());
          assertEquals(expected, DuckDb.rows(FlowQueries.run(flows, query)), at);
          assertEquals(query, QueryParser.parseQuery(query.toString()), at);
          answersWithRows += expected.isEmpty() ? 0 : 1;
        }
      }
    }
    assertTrue(answersWithRows > 140, "most queries should find rows, " + answersWithRows + " did");
  }

  private static Query parse(String sql, String at) {
    try {
      return QueryParser.parseQuery(sql);
    } catch (RuntimeException e) {
      throw new AssertionError(at, e);
    }
  }
}
