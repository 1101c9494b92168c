package org.flowmon.udaf.lowlevel;

import java.util.function.LongSupplier;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;

/**
 * The low level of one live query by itself, with tables of its own: as the {@link LowLevel} is of
 * many. What its evaluation fails with is thrown, and it is given nothing any more. Not
 * thread-safe.
 */
public final class LowLevelQuery {
  /** Slots of a table that stays within a core's second-level cache. */
  public static final int DEFAULT_SLOTS = 8192;

  /** Key groups where nothing else is said; Flink's default maximum parallelism. */
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
   * Likewise, of a query that takes the same batches as others.
   *
   * @param evaluation what they find out once
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
   * Likewise, with a table whose size is tuned, or not.
   *
   * @param nanos a clock that only the differences of count: what low halves cost is told by it
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

  /** Takes a batch; evicted groups may go to the sink. */
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

  /** Sends everything away, of open panes too: before a barrier. */
  public void drainAll() {
    tables.drainAll();
    check();
  }

  /** As {@link LowLevelMember#arrivalsOfBatch}. */
  public void arrivalsOfBatch(LowLevelMember.Arrivals to) {
    member.arrivalsOfBatch(to);
  }

  /** Panes that it holds groups of. */
  public int panes() {
    return tables.panes();
  }

  /** What its tables are made of, and how often that changed. */
  public LowLevelTuning tuning() {
    return member.tuning();
  }

  /** Counters since this was made. */
  public LowLevelCounts counts() {
    return member.counts();
  }
}
