package org.flowmon.udaf.lowlevel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.tuning.TableSize;

/**
 * The low level of the live queries of one thread: filters flows, puts them into panes and reduces
 * them in tables of fixed size. What a table gives up, because of a collision or because its pane
 * is closed, goes to the sink of each query that it is for, as partial groups of that query. A
 * query with COUNT(DISTINCT …) has a table for each of its {@link LiveGroupings}.
 *
 * <p>Queries with equal filters, panes (windows but for their width) and numbers of slots have one
 * table where their keys are equal, with equal sums, counts and extremes once; expressions are
 * evaluated once for all. What a query gets does not depend on which others there are, but for when
 * it gets it.
 *
 * <p>Once {@link #isDrained}, the sinks have all of every closed pane; after {@link #drainAll} they
 * have everything and this holds no state. Until the first watermark not every pane opens, {@link
 * FirstPanes}. A query whose evaluation fails is given nothing any more, {@link
 * LowLevelMember#failure}; what a sink throws is thrown on. Not thread-safe.
 */
public final class LowLevel {
  private static final int MAX_PARALLELISM = 1 << 15;

  private final SharedEvaluation evaluation = new SharedEvaluation();
  private final List<Shared> all = new ArrayList<>();
  private final LongSupplier nanos;
  private long watermark = Long.MIN_VALUE;

  /** What queries have in common that share tables. */
  private record Common(Expression where, WindowSpec panes, TableSize size, int maxParallelism) {}

  private record Shared(Common common, LowLevelTables tables) {}

  /** Without queries. What low halves cost is told by the thread's CPU time. */
  public LowLevel() {
    this(LowLevel::cpuNanos);
  }

  /**
   * Without queries.
   *
   * @param nanos a clock that only the differences of count: what low halves cost is told by it
   */
  public LowLevel(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** CPU time of this thread, so that what others take is no cost; else the time that passes. */
  static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads.getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /**
   * Takes a query, which is given the flows from now on.
   *
   * @param queryId stands in the header of all its partial groups
   * @param query aggregated and bound
   * @param slots of each table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   * @return the query, to be given to {@link #remove}
   * @throws IllegalArgumentException where there cannot be so many slots or key groups
   */
  public LowLevelMember add(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
    return add(queryId, query, window, TableSize.of(slots), maxParallelism, sink);
  }

  /** Likewise, with tables whose size is tuned, or not. */
  public LowLevelMember add(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      TableSize size,
      int maxParallelism,
      PartialSink sink) {
    check(maxParallelism);
    Common common = new Common(query.where(), panes(window), size, maxParallelism);
    LowLevelMember member = new LowLevelMember(queryId, query, window, sink);
    for (Shared shared : all) {
      if (shared.common.equals(common) && shared.tables.haveRoomFor(member)) {
        shared.tables.add(member);
        return member;
      }
    }
    LowLevelTables tables =
        new LowLevelTables(
            query.where(), window, size, maxParallelism, new FirstPanes(), evaluation, nanos);
    tables.add(member);
    tables.closePanesUpTo(watermark);
    all.add(new Shared(common, tables));
    return member;
  }

  /** The same for windows that have the same panes: a flow's pane says whether it is late. */
  private static WindowSpec panes(WindowSpec window) {
    return window.spread() ? window : window.withWidth(window.slideMicros());
  }

  static void check(int maxParallelism) {
    if (maxParallelism < 1 || maxParallelism > MAX_PARALLELISM) {
      throw new IllegalArgumentException(
          maxParallelism + " key groups: expected 1 \u2026 " + MAX_PARALLELISM);
    }
  }

  /**
   * Gives up a query, and the groups that the tables have for it; nothing where it has gone
   * already.
   */
  public void remove(LowLevelMember member) {
    if (member.tables() != null) {
      member.tables().remove(member);
    }
    forgetEmpty();
  }

  /** Tables without queries: the last was removed, or has failed. */
  private void forgetEmpty() {
    all.removeIf(shared -> shared.tables.isEmpty());
  }

  /** Takes a batch; evicted groups may go to the sinks. */
  public void process(FlowBatch batch) {
    for (Shared shared : all) {
      shared.tables.process(batch);
    }
    forgetEmpty();
  }

  /**
   * Closes all panes whose flows have all arrived, as no flow with an arrival at or before this
   * will come any more, and that a window's result needs by then.
   */
  public void closePanesUpTo(long watermarkMicros) {
    watermark = Math.max(watermark, watermarkMicros);
    for (Shared shared : all) {
      shared.tables.closePanesUpTo(watermarkMicros);
    }
    forgetEmpty();
  }

  /**
   * Looks at up to {@code slots} slots of each table for groups of closed panes and sends them
   * away.
   *
   * @return whether all closed panes are out, as {@link #isDrained}
   */
  public boolean drainSome(int slots) {
    for (Shared shared : all) {
      shared.tables.drainSome(slots);
    }
    forgetEmpty();
    return isDrained();
  }

  /**
   * Whether the sinks have everything of the closed panes: the watermark that closed them may go
   * on.
   */
  public boolean isDrained() {
    return all.stream().allMatch(shared -> shared.tables.isDrained());
  }

  /** Sends everything away, of open panes too: before a barrier. */
  public void drainAll() {
    for (Shared shared : all) {
      shared.tables.drainAll();
    }
    forgetEmpty();
  }

  /** Sends everything away of a query, and of those that share tables with it. */
  public void drainAll(LowLevelMember member) {
    if (member.tables() != null) {
      member.tables().drainAll();
      forgetEmpty();
    }
  }

  /** Tables of all queries: fewer than they have groupings where they share some. */
  public int tables() {
    return all.stream().mapToInt(shared -> shared.tables.tables()).sum();
  }
}
