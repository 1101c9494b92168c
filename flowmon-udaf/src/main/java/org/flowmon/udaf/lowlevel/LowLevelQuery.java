package org.flowmon.udaf.lowlevel;

import java.util.function.LongSupplier;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;

/** A {@link LowLevel} of one live query, whose failures are thrown and end it. Not thread-safe. */
public final class LowLevelQuery {
  /** Default slots: such a table stays within a core's second-level cache. */
  public static final int DEFAULT_SLOTS = 8192;

  /** Of key groups; Flink's default maximum parallelism. */
  public static final int DEFAULT_MAX_PARALLELISM = 128;

  private final LowLevelTables tables;
  private final LowLevelMember member;

  /** A query without flows yet; parameters as for {@link LowLevel#add}. */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
    this(queryId, query, window, slots, maxParallelism, sink, new SharedEvaluation());
  }

  /** A query that shares evaluation with others that take the same batches. */
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

  /** A query with tables of a fixed or tuned size; the clock measures the cost of low halves. */
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

  public void process(FlowBatch batch) {
    tables.process(batch);
    check();
  }

  private void check() {
    if (member.failure() != null) {
      throw member.failure();
    }
  }

  public void closePanesUpTo(long watermarkMicros) {
    tables.closePanesUpTo(watermarkMicros);
    check();
  }

  public boolean drainSome(int slots) {
    boolean drained = tables.drainSome(slots);
    check();
    return drained;
  }

  public boolean isDrained() {
    return tables.isDrained();
  }

  public void drainAll() {
    tables.drainAll();
    check();
  }

  public void arrivalsOfBatch(LowLevelMember.Arrivals to) {
    member.arrivalsOfBatch(to);
  }

  /** Panes with groups in the tables. */
  public int panes() {
    return tables.panes();
  }

  public LowLevelTuning tuning() {
    return member.tuning();
  }

  public LowLevelCounts counts() {
    return member.counts();
  }
}
