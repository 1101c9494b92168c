package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.result.TableAnswer;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;

/**
 * Answers a query that has others in it, the innermost first; equal ones over flows are answered
 * once. Not thread-safe.
 *
 * @param <E> what answering a query over flows may throw
 */
public final class NestedQueries<E extends Exception> {
  /** Different values that IN (SELECT …) compares with, at most. */
  public static final int MAX_VALUES = 1_000_000;

  // About what a value takes with its place in a set and in a list.
  private static final long VALUE_BYTES = 112;
  private static final int VALUES_AT_ONCE = 256;

  /** Rows that a join makes, at most, where nothing else is said. */
  public static final int MAX_JOIN_ROWS = 10_000_000;

  /** Answers queries over flows. */
  @FunctionalInterface
  public interface Flows<E extends Exception> {
    /**
     * The answer.
     *
     * @param query without IN (SELECT …)
     */
    ResultTable answer(FlowQuery query) throws E;
  }

  private final Flows<E> flows;
  private final int joinRows;
  private final GroupMemory memory;
  private final Runnable check;
  private final Map<Query, ResultTable> known = new HashMap<>();
  private final Map<Query, List<Value>> values = new HashMap<>();

  private NestedQueries(Flows<E> flows, int joinRows, GroupMemory memory, Runnable check) {
    this.flows = flows;
    this.joinRows = joinRows;
    this.memory = memory;
    this.check = check;
  }

  /**
   * The answer of a query.
   *
   * @param query without parameters
   * @param check runs now and then, and may throw to end it
   * @throws QueryException where a parameter is not bound, or where sums beyond 64 bits stand where
   *     these are needed
   * @throws AnswerTooLargeException where there are too many rows or values
   */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, Runnable check) throws E {
    return answer(query, flows, MAX_JOIN_ROWS, check);
  }

  /**
   * Likewise.
   *
   * @param joinRows rows that a join makes, at most
   */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, int joinRows, Runnable check) throws E {
    return new NestedQueries<>(flows, joinRows, GroupMemory.unlimited(), check).answer(query);
  }

  /**
   * Likewise, with limited memory.
   *
   * @param memory that results of queries in the query take, the rows of joins, and the groups over
   *     results; what answers queries over flows may take of it, and gives it back
   */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, GroupMemory memory, Runnable check) throws E {
    return new NestedQueries<>(flows, MAX_JOIN_ROWS, memory, check).answer(query);
  }

  /**
   * A query over flows with the answers of what it asks by IN (SELECT …); itself where it asks
   * nothing.
   *
   * @param memory that these answers take
   * @param check runs now and then, and may throw to end it
   */
  public static <E extends Exception> FlowQuery withAnswers(
      FlowQuery query, Flows<E> flows, GroupMemory memory, Runnable check) throws E {
    return new NestedQueries<>(flows, MAX_JOIN_ROWS, memory, check).answered(query);
  }

  private ResultTable answer(Query query) throws E {
    if (query instanceof FlowQuery of) {
      ResultTable answer = known.get(of);
      if (answer == null) {
        answer = flows.answer(answered(of));
        known.put(of, answer);
      }
      return answer;
    }
    TableQuery of = (TableQuery) query;
    List<ResultTable> tables = new ArrayList<>();
    for (TableQuery.Source source : of.from()) {
      tables.add(asked(source.query()));
    }
    TableQuery over = new TableQuery(of.from(), answered(of.clauses()));
    try (GroupMemory own = memory.part()) {
      return TableAnswer.of(over, tables, joinRows, own, check);
    }
  }

  /** The answer of a query in another, which is kept until that is answered. */
  private ResultTable asked(Query query) throws E {
    boolean isNew = !known.containsKey(query);
    ResultTable answer = answer(query);
    memory.take(isNew ? answer.heapBytes() : 0);
    return answer;
  }

  /** The query with the answers of what it asks by IN (SELECT …). */
  private FlowQuery answered(FlowQuery query) throws E {
    List<InQuery> asked = query.inQueries();
    for (InQuery in : asked) {
      if (!values.containsKey(in.query())) {
        values.put(in.query(), values(in.query()));
      }
    }
    return asked.isEmpty() ? query : query.withAnswers(values);
  }

  private List<Value> values(Query query) throws E {
    ResultTable answer = asked(query);
    Set<Value> different = new LinkedHashSet<>();
    long taken = 0;
    for (int row = 0; row < answer.rowCount(); row++) {
      if (row % VALUES_AT_ONCE == 0) {
        check.run();
      }
      try {
        different.add(answer.value(row, 0));
      } catch (ArithmeticException e) {
        throw new QueryException("IN (SELECT …) takes whole numbers of 64 bits: " + e.getMessage());
      }
      if (different.size() > MAX_VALUES) {
        throw new AnswerTooLargeException(different.size(), "values for IN", MAX_VALUES);
      }
      if (different.size() * VALUE_BYTES > taken) {
        taken += VALUES_AT_ONCE * VALUE_BYTES;
        memory.take(VALUES_AT_ONCE * VALUE_BYTES);
      }
    }
    return List.copyOf(different);
  }
}
