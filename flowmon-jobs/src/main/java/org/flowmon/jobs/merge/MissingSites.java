package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.lowlevel.Partial;

/** Which sites were not complete when results of a query went out, by what these are through. */
final class MissingSites {
  // By site, in the order of time: after, through.
  private final TreeMap<String, List<long[]>> bySite = new TreeMap<>();

  /** Notes that a site is missing. */
  void add(Partial.Missing message) {
    List<long[]> ranges = bySite.computeIfAbsent(message.site(), site -> new ArrayList<>());
    long[] whole = {message.after(), message.through()};
    for (Iterator<long[]> all = ranges.iterator(); all.hasNext(); ) {
      long[] of = all.next();
      if (of[0] <= whole[1] && whole[0] <= of[1]) {
        whole[0] = Math.min(whole[0], of[0]);
        whole[1] = Math.max(whole[1], of[1]);
        all.remove();
      }
    }
    ranges.add(whole);
  }

  /** The sites that a result lacks which is complete through this arrival, by name. */
  List<String> at(long through) {
    List<String> missing = new ArrayList<>();
    bySite.forEach(
        (site, ranges) -> {
          if (ranges.stream().anyMatch(of -> of[0] < through && through <= of[1])) {
            missing.add(site);
          }
        });
    return missing;
  }

  /** Forgets what no result can ask for any more: all through this have gone out. */
  void forget(long completeThrough) {
    bySite.values().forEach(ranges -> ranges.removeIf(of -> of[1] <= completeThrough));
    bySite.values().removeIf(List::isEmpty);
  }

  void clear() {
    bySite.clear();
  }

  /** All of it, as the messages that would make it again. */
  void snapshot(long queryId, List<Partial> messages) {
    for (Map.Entry<String, List<long[]>> site : bySite.entrySet()) {
      for (long[] of : site.getValue()) {
        messages.add(new Partial.Missing(0, queryId, site.getKey(), of[0], of[1]));
      }
    }
  }
}
