package org.flowmon.jobs.history;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.udaf.set.LongRanges;

/**
 * The arrivals that an archive holds, in microseconds, seen by one lookup: of the job's sources,
 * from the start of their history; of an imported file, its first to last; of other topics (the
 * job's own before it was deleted and created again, too), from the start of history to the last
 * reached.
 *
 * @param from the first arrival in any stretch; {@link Long#MAX_VALUE} without one
 * @param missing arrivals after {@code from} in no stretch
 */
record HistoryStretches(long from, LongRanges missing) {
  /**
   * A pause after an imported file of at most this long, in microseconds, counts as complete: logs
   * are rotated, and a quiet network writes nothing between two.
   */
  static final long QUIET_MICROS = 5L * 60 * 1_000_000;

  /** The last arrival of {@code own} sources is ignored; {@code disorder} is in microseconds. */
  static HistoryStretches of(HistoryReach archive, Set<String> own, long disorder) {
    LongRanges held = LongRanges.NONE;
    long from = archive.historyFrom(own, disorder);
    if (from < Long.MAX_VALUE) {
      held = LongRanges.of(from, Long.MAX_VALUE);
    }
    for (Set<String> topic : others(archive, own).values()) {
      long begin = archive.historyFrom(topic, disorder);
      // Arrivals of the last instants may be missing.
      long through = archive.historyThrough(topic);
      long last = Math.max(through, Long.MIN_VALUE + disorder + 1) - disorder - 1;
      if (begin <= last) {
        held = held.or(LongRanges.of(begin, last));
      }
    }
    for (Map.Entry<Long, Long> file : archive.importedArrivals().entrySet()) {
      long last = Math.min(file.getValue(), Long.MAX_VALUE - QUIET_MICROS) + QUIET_MICROS;
      held = held.or(LongRanges.of(file.getKey(), last));
    }
    if (held.isEmpty()) {
      return new HistoryStretches(Long.MAX_VALUE, LongRanges.NONE);
    }
    long first = held.first(0);
    return new HistoryStretches(first, held.complement().and(LongRanges.of(first, Long.MAX_VALUE)));
  }

  private static Map<String, Set<String>> others(HistoryReach archive, Set<String> own) {
    Map<String, Set<String>> topics = new TreeMap<>();
    for (String key : archive.committedEnds().keySet()) {
      if (!own.contains(key)) {
        int colon = key.lastIndexOf(':');
        topics
            .computeIfAbsent(colon < 0 ? key : key.substring(0, colon), k -> new TreeSet<>())
            .add(key);
      }
    }
    return topics;
  }
}
