package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

class FlowQueriesTest {
  private final List<FlowBatch> flows = new RandomFlows(1).batches(20, 3000);

  @Test
  void anAggregateWithoutRowsIsOneRowOfNullsAndZeroCounts() {
    ResultTable table =
        run("SELECT COUNT(*) AS n, SUM(bytes) AS s, MIN(src_addr) AS m FROM flows WHERE FALSE");
    assertEquals("n\ts\tm\n0\tNULL\tNULL", table.toString());
  }

  @Test
  void theLiveResultBindsIntoTheHistoryQuery() {
    ResultTable live =
        run(
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing"
                + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 3");
    assertEquals(3, live.rowCount());
    var history =
        QueryParser.parse(
            "SELECT src_addr, SUM(bytes) AS bytes, SUM(reverse_bytes) AS reverse_bytes FROM flows"
                + " WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7) GROUP BY"
                + " src_addr");
    Parameters parameters =
        Parameters.NONE
            .with("now", Value.ofTimestamp(RandomFlows.START))
            .with("live", live.select("src_addr"));
    ResultTable result = FlowQueries.run(flows, history.bind(parameters));
    assertTrue(result.rowCount() >= 1 && result.rowCount() <= 3, result.toString());
  }

  @Test
  void aLookupWithoutOrderStopsAtItsLimit() {
    assertEquals(5, run("SELECT * FROM flows LIMIT 5").rowCount());
    assertEquals(0, run("SELECT src_addr FROM flows LIMIT 0").rowCount());
  }

  private ResultTable run(String sql) {
    return FlowQueries.run(flows, QueryParser.parse(sql));
  }
}
