package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.join.JoinedColumns;
import org.flowmon.udaf.join.TableJoin;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.vector.Vector;

/** Answers a query over the results of others; expressions, groups and orders are as over flows. */
public final class TableAnswer {
  private TableAnswer() {}

  /**
   * Answers a query without parameters and IN (SELECT …) over its sources' results; rows of joins,
   * at most so many, and groups take the memory. {@code check} may throw to end the query.
   *
   * @throws org.flowmon.udaf.value.AnswerTooLargeException if a join makes more rows
   * @throws org.flowmon.udaf.text.QueryException if sums beyond 64 bits are used as 64-bit values
   */
  public static ResultTable of(
      TableQuery query,
      List<ResultTable> tables,
      int joinRows,
      GroupMemory memory,
      Runnable check) {
    TableJoin join = TableJoin.of(query, tables, joinRows, memory, check);
    FlowQuery clauses = query.clauses();
    long read = clauses.limit() < 0 ? clauses.limit() : clauses.limit() + query.offset();
    FlowQuery plain = withoutRowNumbers(clauses).withLimit(read);
    ResultTable answer = of(query, plain, join, memory, check);
    return withoutFirst(query.offset(), withRowNumbers(clauses, answer));
  }

  private static ResultTable withoutFirst(long offset, ResultTable answer) {
    int left = (int) Math.max(0, answer.rowCount() - offset);
    int[] rows = new int[left];
    Arrays.setAll(rows, row -> row + answer.rowCount() - left);
    return offset == 0 ? answer : answer.withRows(rows);
  }

  private static ResultTable of(
      TableQuery query, FlowQuery clauses, TableJoin join, GroupMemory memory, Runnable check) {
    JoinedColumns columns = join.columns(query.columnsRead());
    Map<Expression, Vector> vectors = columns.vectors();
    CompiledPredicate filter = CompiledPredicate.of(join.condition(), vectors);
    DistinctCounts counts = DistinctCounts.of(clauses);
    List<FlowQuery> groupings = counts == null ? List.of(clauses) : counts.groupings();
    List<GroupCollector> groups =
        clauses.isAggregated()
            ? groupings.stream()
                .map(grouping -> new GroupCollector(grouping, vectors, memory))
                .toList()
            : List.of();
    RowLookup lookup = clauses.isAggregated() ? null : new RowLookup(clauses, vectors, memory);
    int[] selection = new int[Vector.CAPACITY];
    for (int from = 0; from < join.count(); from += Vector.CAPACITY) {
      check.run();
      int count = Math.min(Vector.CAPACITY, join.count() - from);
      columns.load(from, count);
      int n = filter.select(count, selection);
      for (GroupCollector collector : groups) {
        collector.add(count, selection, n);
      }
      if (lookup != null) {
        lookup.add(count, selection, n);
      }
    }
    if (lookup != null) {
      return lookup.finish(check);
    }
    return counts == null
        ? new GroupAnswer(groups.get(0).table(), clauses, check).finish()
        : counts.finish(groups.stream().map(GroupCollector::table).toList(), memory, check);
  }

  private static boolean isRowNumber(SelectItem item) {
    return item.what() instanceof Expression.RowNumber;
  }

  /** With a constant in their place. */
  private static FlowQuery withoutRowNumbers(FlowQuery query) {
    if (query.select().stream().noneMatch(TableAnswer::isRowNumber)) {
      return query;
    }
    Expression zero = new Expression.Literal(Value.ofLong(0));
    return new FlowQuery(
        query.select().stream()
            .map(item -> isRowNumber(item) ? new SelectItem(item.name(), zero) : item)
            .toList(),
        query.where(),
        query.groupBy(),
        query.having(),
        query.orderBy(),
        query.limitBy(),
        query.limit());
  }

  private static ResultTable withRowNumbers(FlowQuery query, ResultTable answer) {
    ResultTable numbered = answer;
    for (int c = 0; c < query.select().size(); c++) {
      if (isRowNumber(query.select().get(c))) {
        long[] numbers = new long[answer.rowCount()];
        Arrays.setAll(numbers, row -> row + 1L);
        numbered = numbered.with(c, numbers);
      }
    }
    return numbered;
  }
}
