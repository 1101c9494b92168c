package org.flowmon.udaf.lowlevel;

import java.util.function.LongSupplier;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;

/**
 * The low level of one live query, with tables of its own; {@link LowLevel} is that of many.
 * Failures of its evaluation are thrown, and it gets nothing any more. Not thread-safe.
 */
public final class LowLevelQuery {
  /** Default slots: such a table stays within a core's second-level cache. */
  public static final int DEFAULT_SLOTS = 8192;

  /** Default number of key groups; Flink's default maximum parallelism. */
  public static final int DEFAULT_MAX_PARALLELISM = 128;

  private final LowLevelTables tables;
  private final LowLevelMember member;

  /**
   * The low level of a query, with no flows yet.
   *
   * @param queryId stands in the header of all partial groups
   * @param query aggregated and bound
   * @param slots of each table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
    this(queryId, query, window, slots, maxParallelism, sink, new SharedEvaluation());
  }

  /**
   * The low level of a query that takes the same batches as others.
   *
   * @param evaluation shares results with the others
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink,
      SharedEvaluation evaluation) {
    this(
        queryId,
        query,
        window,
        TableSize.of(slots),
        maxParallelism,
        sink,
        evaluation,
        LowLevel::cpuNanos);
  }

  /**
   * The low level of a query with tables of a fixed or tuned size.
   *
   * @param nanos a clock that measures the cost of low halves; only its differences count
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      TableSize size,
      int maxParallelism,
      PartialSink sink,
      SharedEvaluation evaluation,
      LongSupplier nanos) {
    LowLevel.check(maxParallelism);
    this.member = new LowLevelMember(queryId, query, window, sink);
    this.tables =
        new LowLevelTables(
            query.where(), window, size, maxParallelism, FirstPanes.all(), evaluation, nanos);
    tables.add(member);
  }

  /** Processes a batch; evicted groups may go to the sink. */
  public void process(FlowBatch batch) {
    tables.process(batch);
    check();
  }

  private void check() {
    if (member.failure() != null) {
      throw member.failure();
    }
  }

  /** As {@link LowLevel#closePanesUpTo}. */
  public void closePanesUpTo(long watermarkMicros) {
    tables.closePanesUpTo(watermarkMicros);
    check();
  }

  /** As {@link LowLevel#drainSome}. */
  public boolean drainSome(int slots) {
    boolean drained = tables.drainSome(slots);
    check();
    return drained;
  }

  /** As {@link LowLevel#isDrained}. */
  public boolean isDrained() {
    return tables.isDrained();
  }

  /** Sends all groups away, of open panes too: before a barrier. */
  public void drainAll() {
    tables.drainAll();
    check();
  }

  /** As {@link LowLevelMember#arrivalsOfBatch}. */
  public void arrivalsOfBatch(LowLevelMember.Arrivals to) {
    member.arrivalsOfBatch(to);
  }

  /** The number of panes that it holds groups of. */
  public int panes() {
    return tables.panes();
  }

  /** The current tuning of its tables, and the number of changes. */
  public LowLevelTuning tuning() {
    return member.tuning();
  }

  /** Counters since its creation. */
  public LowLevelCounts counts() {
    return member.counts();
  }
}
