package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.query.TableQuery.Union;
import org.flowmon.udaf.result.TableAnswer;
import org.flowmon.udaf.result.UnionAnswer;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;

/**
 * Answers a query and its subqueries, the innermost first, equal ones over flows once. Not
 * thread-safe.
 *
 * @param <E> thrown by a failing query over flows
 */
public final class NestedQueries<E extends Exception> {
  /** Different values, for IN (SELECT …). */
  public static final int MAX_VALUES = 1_000_000;

  // Approximate bytes of a value with its entries in a set and in a list.
  private static final long VALUE_BYTES = 112;
  private static final int VALUES_AT_ONCE = 256;

  public static final int MAX_JOIN_ROWS = 10_000_000;

  /** Answers queries over flows. */
  @FunctionalInterface
  public interface Flows<E extends Exception> {
    ResultTable answer(FlowQuery query) throws E;
  }

  private final Flows<E> flows;
  private final int joinRows;
  private final GroupMemory memory;
  private final Runnable check;
  private final Map<Query, ResultTable> known = new HashMap<>();
  private Map<String, ResultTable> relations = Map.of();
  private final Map<Query, List<Value>> values = new HashMap<>();

  private NestedQueries(Flows<E> flows, int joinRows, GroupMemory memory, Runnable check) {
    this.flows = flows;
    this.joinRows = joinRows;
    this.memory = memory;
    this.check = check;
  }

  /**
   * {@code check} runs now and then, and may throw to end the query.
   *
   * @throws QueryException for an unbound parameter, or sums beyond 64 bits used as 64-bit values
   * @throws AnswerTooLargeException if there are too many rows or values
   */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, Runnable check) throws E {
    return answer(query, flows, MAX_JOIN_ROWS, check);
  }

  /** {@code joinRows} limits the rows of a join. */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, int joinRows, Runnable check) throws E {
    return new NestedQueries<>(flows, joinRows, GroupMemory.unlimited(), check).answer(query);
  }

  /** Over relations by name, and without queries over flows. */
  public static ResultTable answer(Query query, Map<String, ResultTable> relations, int joinRows) {
    NestedQueries<RuntimeException> nested =
        new NestedQueries<>(
            flows -> {
              throw new QueryException("expected a query over results, found " + flows);
            },
            joinRows,
            GroupMemory.unlimited(),
            () -> {});
    nested.relations = relations;
    return nested.answer(query);
  }

  /**
   * {@code memory} is charged for subqueries' results, rows of joins, and groups over results.
   * Queries over flows may draw on it and give the memory back.
   */
  public static <E extends Exception> ResultTable answer(
      Query query, Flows<E> flows, GroupMemory memory, Runnable check) throws E {
    return new NestedQueries<>(flows, MAX_JOIN_ROWS, memory, check).answer(query);
  }

  /**
   * Replaces each IN (SELECT …) by its answer, which is charged to {@code memory}; the query itself
   * if it has none. {@code check} runs now and then, and may throw to end the query.
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
    } else if (query instanceof Relation relation) {
      return Objects.requireNonNull(relations.get(relation.name()), relation.name());
    } else if (query instanceof Union union) {
      List<ResultTable> parts = new ArrayList<>();
      for (Query part : union.parts()) {
        parts.add(asked(part));
      }
      return UnionAnswer.of(union, parts, check);
    }
    TableQuery of = (TableQuery) query;
    List<ResultTable> tables = new ArrayList<>();
    for (TableQuery.Source source : of.from()) {
      tables.add(asked(source.query()));
    }
    TableQuery over = new TableQuery(of.from(), answered(of.clauses()), of.offset());
    try (GroupMemory own = memory.part()) {
      return TableAnswer.of(over, tables, joinRows, own, check);
    }
  }

  private ResultTable asked(Query query) throws E {
    boolean isNew = !known.containsKey(query);
    ResultTable answer = answer(query);
    memory.take(isNew ? answer.heapBytes() : 0);
    return answer;
  }

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
