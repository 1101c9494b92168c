package org.flowmon.udaf;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/** Runs live queries over flows at hand, without a job: through both levels, to final results. */
public final class FlowWindows {
  private final SortedMap<Long, WindowPart> windows;
  private final LowLevelCounts counts;

  private FlowWindows(SortedMap<Long, WindowPart> windows, LowLevelCounts counts) {
    this.windows = windows;
    this.counts = counts;
  }

  /**
   * {@code slots} of the low level's tables and {@code keyGroups} do not change the results.
   *
   * @param flows in any order
   * @param query aggregated, without parameters
   */
  public static FlowWindows run(
      Iterable<FlowBatch> flows, FlowQuery query, WindowSpec window, int slots, int keyGroups) {
    Map<Integer, WindowTables> tables = new HashMap<>();
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            query,
            window,
            slots,
            keyGroups,
            (keyGroup, bytes) ->
                tables
                    .computeIfAbsent(keyGroup, k -> new WindowTables(1, query, window))
                    .merge(PartialGroups.open(bytes)));
    flows.forEach(low::process);
    low.drainAll();
    SortedMap<Long, WindowPart> windows = new TreeMap<>();
    for (WindowTables table : tables.values()) {
      table.closeUpTo(
          Long.MAX_VALUE,
          part -> {
            WindowPart known = windows.putIfAbsent(part.windowEnd(), part);
            if (known != null) {
              known.merge(part);
            }
          });
    }
    return new FlowWindows(Collections.unmodifiableSortedMap(windows), low.counts());
  }

  /** The final result of each window that has groups, by the window's end in microseconds. */
  public SortedMap<Long, WindowPart> windows() {
    return windows;
  }

  public LowLevelCounts counts() {
    return counts;
  }
}
