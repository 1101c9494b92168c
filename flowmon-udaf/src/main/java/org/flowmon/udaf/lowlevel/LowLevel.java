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
import org.jspecify.annotations.Nullable;

/**
 * The low level of the live queries of one thread: filters flows, assigns them to panes and reduces
 * them in tables of fixed size. Groups leave a table if they are evicted by a collision or their
 * pane closes; they go to the sink of each interested query as its own partial groups. A query with
 * COUNT(DISTINCT …) has a table for each of its {@link LiveGroupings}.
 *
 * <p>Queries with equal filters, panes (windows but for their width) and numbers of slots share one
 * table for equal keys, with equal sums, counts and extremes once. Equal expressions are evaluated
 * once. Other queries change only the time of a query's results.
 *
 * <p>If {@link #isDrained}, the sinks have all of every closed pane; after {@link #drainAll} they
 * have everything, and the low level holds no state. Until the first watermark not every pane
 * opens, {@link FirstPanes}. A query whose evaluation fails gets nothing any more, {@link
 * LowLevelMember#failure}; exceptions of a sink are rethrown. Not thread-safe.
 */
public final class LowLevel {
  private static final int MAX_PARALLELISM = 1 << 15;

  private final SharedEvaluation evaluation = new SharedEvaluation();
  private final List<Shared> all = new ArrayList<>();
  private final LongSupplier nanos;
  private long watermark = Long.MIN_VALUE;

  /** The common properties of queries that share tables. */
  private record Common(
      @Nullable Expression where, WindowSpec panes, TableSize size, int maxParallelism) {}

  private record Shared(Common common, LowLevelTables tables) {}

  /** Measures the cost of low halves by the thread's CPU time. */
  public LowLevel() {
    this(LowLevel::cpuNanos);
  }

  /** Takes a clock that measures the cost of low halves; only its differences count. */
  public LowLevel(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Excludes other threads; elapsed time if CPU time is not supported. */
  static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads.getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /**
   * Adds an aggregated and bound query, which gets the flows from now on.
   *
   * @param queryId stands in the header of all its partial groups
   * @param slots of each table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   * @throws IllegalArgumentException if there cannot be so many slots or key groups
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

  /** Adds a query with tables of a fixed or tuned size. */
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

  /** One specification for windows with the same panes: a flow's pane tells whether it is late. */
  private static WindowSpec panes(WindowSpec window) {
    return window.spread() ? window : window.withWidth(window.slideMicros());
  }

  static void check(int maxParallelism) {
    if (maxParallelism < 1 || maxParallelism > MAX_PARALLELISM) {
      throw new IllegalArgumentException(
          maxParallelism + " key groups: expected 1 \u2026 " + MAX_PARALLELISM);
    }
  }

  /** Drops the query's groups in the tables; does nothing if it is already removed. */
  public void remove(LowLevelMember member) {
    if (member.tables() != null) {
      member.tables().remove(member);
    }
    forgetEmpty();
  }

  /** Drops tables whose last query was removed or has failed. */
  private void forgetEmpty() {
    all.removeIf(shared -> shared.tables.isEmpty());
  }

  /** Processes a batch; evicted groups may go to the sinks. */
  public void process(FlowBatch batch) {
    for (Shared shared : all) {
      shared.tables.process(batch);
    }
    forgetEmpty();
  }

  /** Closes panes that a result needs by then: no flow that arrived by the watermark will come. */
  public void closePanesUpTo(long watermarkMicros) {
    watermark = Math.max(watermark, watermarkMicros);
    for (Shared shared : all) {
      shared.tables.closePanesUpTo(watermarkMicros);
    }
    forgetEmpty();
  }

  /** Sends groups of closed panes in so many slots of each table; returns {@link #isDrained}. */
  public boolean drainSome(int slots) {
    for (Shared shared : all) {
      shared.tables.drainSome(slots);
    }
    forgetEmpty();
    return isDrained();
  }

  /** Whether the sinks have all of the closed panes: their watermark may be forwarded. */
  public boolean isDrained() {
    return all.stream().allMatch(shared -> shared.tables.isDrained());
  }

  /** Sends all groups away, of open panes too: before a barrier. */
  public void drainAll() {
    for (Shared shared : all) {
      shared.tables.drainAll();
    }
    forgetEmpty();
  }

  /** Sends away all groups of a query, and of the queries that share its tables. */
  public void drainAll(LowLevelMember member) {
    if (member.tables() != null) {
      member.tables().drainAll();
      forgetEmpty();
    }
  }

  /** Tables of all queries: fewer than groupings if some share a table. */
  public int tables() {
    return all.stream().mapToInt(shared -> shared.tables.tables()).sum();
  }
}
