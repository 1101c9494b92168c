package org.flowmon.udaf.table;

import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The low level of one live query: filters flows, puts them into panes and reduces them in a table
 * of fixed size. What the table gives up, because of a collision or because its pane is closed,
 * goes to the sink as partial groups.
 *
 * <p>Once {@link #isDrained}, the sink has all of every closed pane; after {@link #drainAll} it has
 * everything and this holds no state. Not thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class LowLevelQuery {
  /** Slots of a table that stays within a core's second-level cache. */
  public static final int DEFAULT_SLOTS = 8192;

  /** Key groups where nothing else is said; Flink's default maximum parallelism. */
  public static final int DEFAULT_MAX_PARALLELISM = 128;

  /**
   * The low level of a query, with no flows yet.
   *
   * @param queryId stands in the header of all partial groups
   * @param live aggregated and bound
   * @param slots of the table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery live,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Takes a batch; evicted groups may go to the sink. */
  public void process(FlowBatch batch) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Closes all panes whose flows have all arrived: no flow with an arrival at or before this will
   * come any more.
   */
  public void closePanesUpTo(long watermarkMicros) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Looks at up to {@code slots} slots for groups of closed panes and sends them away.
   *
   * @return whether all closed panes are out, as {@link #isDrained}
   */
  public boolean drainSome(int slots) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Whether the sink has everything of the closed panes: the watermark that closed them may go on.
   */
  public boolean isDrained() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Sends everything away, of open panes too: before a barrier. */
  public void drainAll() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Counters since this was made. */
  public LowLevelCounts counts() {
    throw new UnsupportedOperationException("not built yet");
  }
}
