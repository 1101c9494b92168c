package org.flowmon.udaf.lowlevel;

/**
 * Counts of the flows that a low-level query saw. For the selected flows: {@code selected = counted
 * + late + ahead + behindWatermark}. Evictions and passed rows are those of the query's tables:
 * queries that share a table each count them.
 *
 * @param flows seen
 * @param selected kept by the filter
 * @param counted assigned to a pane
 * @param late arrived too late for every window of their time, or would have opened a window too
 *     many before the first watermark ({@link FirstPanes})
 * @param partlyLate counted, but not in the first windows of their pane (sliding windows only), or
 *     without some of their shares
 * @param ahead of their own arrival by more than the window's specification allows
 * @param behindWatermark of a pane that was already closed, although not late by rule: a source
 *     broke its promise
 * @param evictions groups that lost their slot to another
 * @param passedRows rows passed on without a lookup in the table, as nearly all rows before had
 *     evicted a group; a flow is a row of each of the query's groupings
 * @param partials partial states sent to the sink
 * @param messages byte arrays sent to the sink
 */
public record LowLevelCounts(
    long flows,
    long selected,
    long counted,
    long late,
    long partlyLate,
    long ahead,
    long behindWatermark,
    long evictions,
    long passedRows,
    long partials,
    long messages) {
  static final LowLevelCounts NONE = new LowLevelCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Counts of sent partial states and messages alone. */
  static LowLevelCounts sent(long partials, long messages) {
    return new LowLevelCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, partials, messages);
  }

  LowLevelCounts plus(LowLevelCounts other) {
    return new LowLevelCounts(
        flows + other.flows,
        selected + other.selected,
        counted + other.counted,
        late + other.late,
        partlyLate + other.partlyLate,
        ahead + other.ahead,
        behindWatermark + other.behindWatermark,
        evictions + other.evictions,
        passedRows + other.passedRows,
        partials + other.partials,
        messages + other.messages);
  }
}
