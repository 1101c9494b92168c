package org.flowmon.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.value.ResultTable;

/** Counts {@code SUM(bytes)} by source of flows that are not outgoing, with maps. */
public final class BruteForce {
  private BruteForce() {}

  /**
   * Returns each window as lines: its end, groups and total, then its top rows. By the window's
   * end.
   */
  public static Map<Long, String> windows(
      List<TestFlow> flows, long width, long slide, long lateness, int limit) {
    return windows(flows, width, slide, lateness, bytes -> true, limit);
  }

  /** Returns the windows with a HAVING that keeps only some sums among the rows. */
  public static Map<Long, String> windows(
      List<TestFlow> flows,
      long width,
      long slide,
      long lateness,
      LongPredicate having,
      int limit) {
    Map<Long, Map<IpAddress, Long>> sums = new TreeMap<>();
    for (TestFlow flow : flows) {
      if (Boolean.TRUE.equals(flow.outgoing())) {
        continue;
      }
      long first = Math.floorDiv(flow.time(), slide) * slide + slide;
      for (long end = first; end < first + width; end += slide) {
        if (flow.arrival() <= end + lateness) {
          sums.computeIfAbsent(end, e -> new TreeMap<>())
              .merge(flow.source(), flow.bytes(), Long::sum);
        }
      }
    }
    Map<Long, String> windows = new TreeMap<>();
    sums.forEach((end, groups) -> windows.put(end, describe(end, groups, having, limit)));
    return windows;
  }

  private static String describe(
      long end, Map<IpAddress, Long> groups, LongPredicate having, int limit) {
    List<Map.Entry<IpAddress, Long>> rows = new ArrayList<>(groups.entrySet());
    // The sort is stable and the map ordered by address: ties stay in the order of the keys.
    rows.sort((a, b) -> Long.compare(b.getValue(), a.getValue()));
    long total = groups.values().stream().mapToLong(Long::longValue).sum();
    StringBuilder text =
        new StringBuilder("end " + end + " groups " + groups.size() + " total " + total);
    rows.stream()
        .filter(row -> having.test(row.getValue()))
        .limit(limit)
        .forEach(row -> text.append('\n').append(row.getKey()).append(' ').append(row.getValue()));
    return text.toString();
  }

  /** Returns a result in the same format. */
  public static String describe(WindowResult result) {
    ResultTable rows = result.rows();
    StringBuilder text =
        new StringBuilder(
            "end "
                + result.windowEnd()
                + " groups "
                + result.groups()
                + " total "
                + result.totals().longValue(0, result.totals().column("bytes")));
    for (int r = 0; r < rows.rowCount(); r++) {
      text.append('\n')
          .append(rows.address(r, rows.column("src_addr")))
          .append(' ')
          .append(rows.longValue(r, rows.column("bytes")));
    }
    return text.toString();
  }
}
