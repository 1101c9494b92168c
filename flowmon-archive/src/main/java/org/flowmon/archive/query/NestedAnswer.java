package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/** Answers a query by its queries over flows, with their counts and bounds. */
public final class NestedAnswer {
  private NestedAnswer() {}

  /** Answers a query over flows, and counts the bytes that it reads in the deadline. */
  @FunctionalInterface
  public interface OfFlows {
    QueryAnswer answer(FlowQuery flows) throws IOException;
  }

  public static QueryAnswer of(Query query, OfFlows ofFlows, Deadline deadline, GroupMemory memory)
      throws IOException {
    List<QueryStats> stats = new ArrayList<>();
    List<ValueBound> bounds = new ArrayList<>();
    ResultTable table =
        NestedQueries.<IOException>answer(
            query,
            flows -> {
              QueryAnswer answer = ofFlows.answer(flows);
              stats.add(answer.stats());
              bounds.addAll(answer.bounds());
              return answer.table();
            },
            memory,
            deadline::check);
    QueryStats all = stats.stream().reduce(QueryStats::plus).orElseThrow();
    return new QueryAnswer(
        table, all.withNanos(deadline.elapsedNanos()), ValueBound.ofEach(bounds));
  }
}
