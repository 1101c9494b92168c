package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.flowmon.jobs.lowlevel.Partial;

/** Sites incomplete when results went out, by the arrival through which those are complete. */
final class MissingSites {
  /**
   * Above it the two nearest ranges of a site are merged: results between count it as missing, too,
   * and none that lacks it is left out.
   */
  static final int MAX_RANGES = 1024;

  // By site: through by after; ranges do not touch.
  private final TreeMap<String, TreeMap<Long, Long>> bySite = new TreeMap<>();

  void add(Partial.Missing message) {
    TreeMap<Long, Long> ranges = bySite.computeIfAbsent(message.site(), site -> new TreeMap<>());
    long after = message.after();
    long through = message.through();
    for (Map.Entry<Long, Long> of = ranges.floorEntry(through);
        of != null && of.getValue() >= after;
        of = ranges.floorEntry(through)) {
      after = Math.min(after, of.getKey());
      through = Math.max(through, of.getValue());
      ranges.remove(of.getKey());
    }
    ranges.put(after, through);
    if (ranges.size() > MAX_RANGES) {
      joinNearest(ranges);
    }
  }

  private static void joinNearest(NavigableMap<Long, Long> ranges) {
    Map.Entry<Long, Long> last = ranges.firstEntry();
    long first = last.getKey();
    long second = first;
    long least = -1; // unsigned: the largest
    for (Map.Entry<Long, Long> next : ranges.tailMap(first, false).entrySet()) {
      long between = next.getKey() - last.getValue();
      if (Long.compareUnsigned(between, least) < 0) {
        least = between;
        first = last.getKey();
        second = next.getKey();
      }
      last = next;
    }
    ranges.put(first, ranges.remove(second));
  }

  /** The sites missing in a result that is complete through this arrival, by name. */
  List<String> at(long through) {
    List<String> missing = new ArrayList<>();
    bySite.forEach(
        (site, ranges) -> {
          Map.Entry<Long, Long> of = ranges.lowerEntry(through);
          if (of != null && through <= of.getValue()) {
            missing.add(site);
          }
        });
    return missing;
  }

  /** Forgets ranges before all future results: results through this time have gone out. */
  void forget(long completeThrough) {
    bySite.values().forEach(ranges -> ranges.values().removeIf(of -> of <= completeThrough));
    bySite.values().removeIf(Map::isEmpty);
  }

  void clear() {
    bySite.clear();
  }

  void snapshot(long queryId, List<Partial> messages) {
    bySite.forEach(
        (site, ranges) ->
            ranges.forEach(
                (after, through) ->
                    messages.add(new Partial.Missing(0, queryId, site, after, through))));
  }
}
