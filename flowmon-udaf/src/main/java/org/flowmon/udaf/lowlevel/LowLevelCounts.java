package org.flowmon.udaf.lowlevel;

/**
 * Counts of a low-level query's flows. Of the selected ones: {@code selected = counted + late +
 * ahead + behindWatermark}. Queries that share a table each count its evictions and passed rows.
 *
 * @param selected kept by the filter
 * @param counted assigned to a pane
 * @param late arrived too late for every window of their time, or would have opened a window too
 *     many before the first watermark ({@link FirstPanes})
 * @param partlyLate counted, but not in the first windows of their pane (sliding windows only), or
 *     without some of their shares
 * @param ahead of their own arrival by more than the window's specification allows
 * @param behindWatermark of a closed pane, although not late by rule: a source broke its promise
 * @param evictions groups that lost their slot to another
 * @param passedRows rows passed on without a lookup, as nearly all rows before had evicted a group;
 *     a flow is a row of each of the query's groupings
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
