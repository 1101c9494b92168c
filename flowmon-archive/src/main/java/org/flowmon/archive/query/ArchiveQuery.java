package org.flowmon.archive.query;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.group.DamagedListException;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.archive.query.rollup.DamagedCellsException;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Value;

/**
 * Runs queries over the archive. Subqueries see the same snapshot, and share limits and counts with
 * the outer query. Times, postings and dictionaries only leave out rows that the filter would not
 * keep, so the answer is that of a full scan.
 *
 * <p>A damaged segment is a {@link org.flowmon.archive.region.SegmentCorruptException} that names
 * file and place, never a different answer.
 */
public final class ArchiveQuery {
  private ArchiveQuery() {}

  /**
   * Runs a query without parameters.
   *
   * @throws QueryTimeoutException if the options' time limit is over
   * @throws RowLimitException if more rows than the options' limit would be read
   * @throws ByteLimitException if more bytes than the options' limit were read
   * @throws QueryCancelledException if this thread is interrupted, which it still is then
   * @throws org.flowmon.udaf.text.QueryException if a parameter is not bound
   */
  public static QueryAnswer run(ArchiveSnapshot snapshot, Query query, QueryOptions options)
      throws IOException {
    return run(List.of(snapshot), query, options);
  }

  /**
   * Runs a query over different archives, at least one, as if all their flows were in one: a flow
   * in two of them counts twice. The answer's reach of history is that of all; each snapshot has
   * its own.
   *
   * @throws IllegalArgumentException if one of them, or a copy of it, is there twice
   */
  public static QueryAnswer run(List<ArchiveSnapshot> snapshots, Query query, QueryOptions options)
      throws IOException {
    Deadline deadline = options.deadline();
    return run(
        snapshots,
        query,
        options,
        deadline,
        new GroupMemory(options.groupMemory(), deadline::check));
  }

  /** {@code whole}, the group memory, is all free again when this returns or throws. */
  static QueryAnswer run(
      List<ArchiveSnapshot> snapshots,
      Query query,
      QueryOptions options,
      Deadline deadline,
      GroupMemory whole)
      throws IOException {
    query.requireBound();
    Query enriched = query.enriched(options.enrichment().pinned());
    return answered(
        deadline,
        whole,
        memory -> {
          if (enriched instanceof FlowQuery flows && flows.inQueries().isEmpty()) {
            return ofFlows(snapshots, flows, options, deadline, memory);
          }
          return NestedAnswer.of(
              enriched,
              flows -> ofFlows(snapshots, flows, options, deadline, memory),
              deadline,
              memory);
        });
  }

  /** Answers within a part of the memory. */
  @FunctionalInterface
  private interface Answering<T> {
    T within(GroupMemory memory) throws IOException;
  }

  /** Throws the same exceptions, with the same messages, however rows are delivered. */
  private static <T> T answered(Deadline deadline, GroupMemory whole, Answering<T> answering)
      throws IOException {
    deadline.checkCancelled(); // before any file is opened: an interrupted thread cannot read
    try (GroupMemory memory = whole.part()) {
      return answering.within(memory);
    } catch (InternalError e) {
      throw MappedRegion.explain(e); // if a file was cut while it was read
    } catch (ClosedByInterruptException | CancellationException e) {
      // While a file was being opened, or in a function that checks the thread itself.
      QueryCancelledException cancelled = deadline.cancelled();
      cancelled.addSuppressed(e);
      throw cancelled;
    }
  }

  /**
   * Delivers rows while others are looked for, if the query is over flows without groups, in any
   * order or by {@code end_time}. Other answers are completed first, within the query's memory.
   *
   * @param sink gets rows at least once, usually more often; rows it got before an exception are
   *     part of no answer
   * @throws IOException also those of the sink
   */
  public static StreamedAnswer stream(
      List<ArchiveSnapshot> snapshots, Query query, QueryOptions options, RowSink sink)
      throws IOException {
    if (query instanceof FlowQuery flows && StreamedRows.answers(flows)) {
      return stream(snapshots, flows, options, sink);
    }
    QueryAnswer answer = run(snapshots, query, options);
    sink.rows(answer.table());
    return new StreamedAnswer(answer.table().rowCount(), answer.stats(), answer.bounds());
  }

  private static StreamedAnswer stream(
      List<ArchiveSnapshot> snapshots, FlowQuery query, QueryOptions options, RowSink sink)
      throws IOException {
    Deadline deadline = options.deadline();
    return stream(
        snapshots,
        query,
        options,
        sink,
        deadline,
        new GroupMemory(options.groupMemory(), deadline::check));
  }

  static StreamedAnswer stream(
      List<ArchiveSnapshot> snapshots,
      FlowQuery query,
      QueryOptions options,
      RowSink sink,
      Deadline deadline,
      GroupMemory whole)
      throws IOException {
    query.requireBound();
    return answered(
        deadline,
        whole,
        memory -> {
          List<QueryStats> stats = new ArrayList<>();
          FlowQuery answered =
              NestedQueries.<IOException>withAnswers(
                  query.enriched(options.enrichment().pinned()),
                  flows -> {
                    QueryAnswer answer = ofFlows(snapshots, flows, options, deadline, memory);
                    stats.add(answer.stats());
                    return answer.table();
                  },
                  memory,
                  deadline::check);
          StreamedAnswer answer = rows(snapshots, answered, options, sink, deadline, memory);
          stats.add(answer.stats());
          return new StreamedAnswer(
              answer.rows(),
              stats.stream().reduce(QueryStats::plus).orElseThrow(),
              answer.bounds());
        });
  }

  private static StreamedAnswer rows(
      List<ArchiveSnapshot> snapshots,
      FlowQuery query,
      QueryOptions options,
      RowSink sink,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    QueryPlan plan = new QueryPlanner(snapshots, query, options, deadline).planStream();
    return new StreamedRows(plan, deadline, memory, sink).run();
  }

  private static QueryAnswer ofFlows(
      List<ArchiveSnapshot> snapshots,
      FlowQuery query,
      QueryOptions options,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    QueryPlanner planner = new QueryPlanner(snapshots, query, options, deadline);
    try {
      return byLists(planner, options.useRollups(), deadline, memory);
    } catch (DamagedCellsException e) {
      // Rollups that passed their checksum, or were not checked, turned out to be wrong.
      return byLists(planner, false, deadline, memory).withWarning(String.valueOf(e.getMessage()));
    }
  }

  /** Plans the query again, without grouping by lists, if one of them turns out to be damaged. */
  private static QueryAnswer byLists(
      QueryPlanner planner, boolean useRollups, Deadline deadline, GroupMemory memory)
      throws IOException {
    try {
      return planned(planner, useRollups, true, deadline, memory);
    } catch (DamagedListException e) {
      // Nobody may know of the damage any more: a segment is forgotten once it is closed.
      return planned(planner, useRollups, false, deadline, memory);
    }
  }

  private static QueryAnswer planned(
      QueryPlanner planner,
      boolean useRollups,
      boolean useLists,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    try (GroupMemory own = memory.part();
        QueryPlan plan = planner.plan(useRollups, useLists, own)) {
      return new QueryRun(plan, deadline, own).answer();
    }
  }

  /**
   * Makes the groups of some flows, to be merged with those of others by {@link
   * org.flowmon.udaf.MergedGroups}; without HAVING, ORDER BY and LIMIT.
   *
   * @param query with groups, without subqueries
   * @param sink gets all groups of each grouping; a group may come more than once
   * @return the counts of a query that delivers its rows elsewhere: those of rows are 0
   */
  public static QueryStats groups(
      List<ArchiveSnapshot> snapshots, FlowQuery query, QueryOptions options, GroupSink sink)
      throws IOException {
    query.requireBound();
    Deadline deadline = options.deadline();
    GroupMemory whole = new GroupMemory(options.groupMemory(), deadline::check);
    return answered(
        deadline,
        whole,
        memory -> {
          QueryPlanner planner = new QueryPlanner(snapshots, query, options, deadline);
          try {
            return groups(planner, options.useRollups(), deadline, memory, sink);
          } catch (DamagedCellsException e) { // nothing has gone out yet
            return groups(planner, false, deadline, memory, sink)
                .withWarning(String.valueOf(e.getMessage()));
          }
        });
  }

  private static QueryStats groups(
      QueryPlanner planner,
      boolean useRollups,
      Deadline deadline,
      GroupMemory memory,
      GroupSink sink)
      throws IOException {
    try (GroupMemory own = memory.part();
        QueryPlan plan = planner.plan(useRollups, false, own)) {
      return new QueryRun(plan, deadline, own, Optional.of(sink)).answer().stats();
    }
  }

  /**
   * All columns of flows with an address of the prefix as source or destination, ordered by {@code
   * end_time}.
   *
   * @param from in µs, {@link Long#MIN_VALUE} for any
   * @param to in µs, exclusive, {@link Long#MAX_VALUE} for any
   * @param limit −1 for all
   */
  public static QueryAnswer lookup(
      ArchiveSnapshot snapshot,
      IpPrefix addresses,
      long from,
      long to,
      long limit,
      QueryOptions options)
      throws IOException {
    List<Expression> terms = new ArrayList<>();
    List<Expression> prefix = List.of(new Expression.Prefix(addresses));
    terms.add(
        new Expression.Or(
            List.of(
                new Expression.In(new Expression.Column(FlowColumn.SRC_ADDR), prefix),
                new Expression.In(new Expression.Column(FlowColumn.DST_ADDR), prefix))));
    if (from != Long.MIN_VALUE) {
      terms.add(endTime(Expression.ComparisonOperator.GREATER_OR_EQUAL, from));
    }
    if (to != Long.MAX_VALUE) {
      terms.add(endTime(Expression.ComparisonOperator.LESS, to));
    }
    List<SelectItem> all =
        FlowColumn.all().stream()
            .map(column -> new SelectItem(column.sqlName(), new Expression.Column(column)))
            .toList();
    OrderItem byEnd = new OrderItem(new Expression.Column(FlowColumn.END_TIME), false, false);
    FlowQuery query =
        new FlowQuery(all, new Expression.And(terms), List.of(), List.of(byEnd), limit);
    return run(snapshot, query, options);
  }

  private static Expression endTime(Expression.ComparisonOperator operator, long micros) {
    return new Expression.Comparison(
        operator,
        new Expression.Column(FlowColumn.END_TIME),
        new Expression.Literal(Value.ofTimestamp(micros)));
  }
}
