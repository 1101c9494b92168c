package org.flowmon.archive.manifest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.OffsetRanges;
import org.flowmon.archive.commit.SourceState;

/**
 * Which arrivals an archive holds, or several read as one. Times are µs. Immutable.
 *
 * @param sources what was committed of each source, by key
 * @param importedArrivals the ranges of arrivals that imported files hold, first to last,
 *     overlapping ones joined: last by first, ascending. None reaches before the cutoff
 * @param historyFrom the first arrival stored, {@link Long#MAX_VALUE} if none: since then flows
 *     were collected. Not the smallest {@code end_time}, which one exporter with a clock from 1970
 *     would move. Not before the cutoff: flows that arrived earlier have expired in part
 * @param maxArrival the newest arrival ever committed, {@link Long#MIN_VALUE} if none was
 * @param cutoff the largest one of the archives
 */
public record HistoryReach(
    SortedMap<String, SourceState> sources,
    NavigableMap<Long, Long> importedArrivals,
    long historyFrom,
    long maxArrival,
    long cutoff) {
  public HistoryReach {
    sources = Collections.unmodifiableSortedMap(sources);
    importedArrivals = Collections.unmodifiableNavigableMap(importedArrivals);
  }

  static HistoryReach of(ManifestSum sum) {
    long cutoff = sum.retained.cutoff();
    return new HistoryReach(
        sum.sources,
        since(cutoff, sum.imported),
        Math.max(sum.minArrival, cutoff),
        sum.maxArrival,
        cutoff);
  }

  private static NavigableMap<Long, Long> since(long cutoff, NavigableMap<Long, Long> imported) {
    Map.Entry<Long, Long> cut = imported.lowerEntry(cutoff);
    if (cut == null) {
      return imported;
    }
    NavigableMap<Long, Long> left = new TreeMap<>(imported.tailMap(cutoff, true));
    if (cut.getValue() >= cutoff) {
      left.put(cutoff, cut.getValue());
    }
    return left;
  }

  /** The reach of two archives that are read as one. */
  public HistoryReach union(HistoryReach other) {
    SortedMap<String, SourceState> all = new TreeMap<>(sources);
    other.sources.forEach((key, source) -> all.merge(key, source, SourceState::union));
    NavigableMap<Long, Long> imported = new TreeMap<>(importedArrivals);
    other.importedArrivals.forEach((first, last) -> add(imported, first, last));
    long largestCutoff = Math.max(cutoff, other.cutoff);
    return new HistoryReach(
        all,
        since(largestCutoff, imported),
        Math.max(largestCutoff, Math.min(historyFrom, other.historyFrom)),
        Math.max(maxArrival, other.maxArrival),
        largestCutoff);
  }

  /** Adds a range of arrivals to those of importedArrivals. */
  static void add(NavigableMap<Long, Long> imported, long first, long last) {
    long from = first;
    long to = last;
    for (Map.Entry<Long, Long> before = imported.floorEntry(to);
        before != null && before.getValue() >= from;
        before = imported.floorEntry(to)) {
      from = Math.min(from, before.getKey());
      to = Math.max(to, before.getValue());
      imported.remove(before.getKey());
    }
    imported.put(from, to);
  }

  private SourceState source(String key) {
    return sources.getOrDefault(key, SourceState.NEW);
  }

  /** The position after the last committed one of a source, −1 if the source is unknown. */
  public long committedEnd(String sourceKey) {
    return source(sourceKey).committed().end();
  }

  /** The first committed position of a source, −1 if the source is unknown. */
  public long committedFirst(String sourceKey) {
    OffsetRanges committed = source(sourceKey).committed();
    return committed.isEmpty() ? -1 : committed.first(0);
  }

  /** {@link #committedEnd} of every source, by key. */
  public SortedMap<String, Long> committedEnds() {
    SortedMap<String, Long> ends = new TreeMap<>();
    sources.forEach((key, source) -> ends.put(key, source.committed().end()));
    return ends;
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    List<CommitResult.Gap> gaps = new ArrayList<>();
    sources.forEach(
        (key, source) -> {
          OffsetRanges ranges = source.committed();
          for (int i = 1; i < ranges.count(); i++) {
            gaps.add(ranges.gapBefore(i, key));
          }
        });
    return gaps;
  }

  /**
   * The time (µs) since which everything that arrived from these sources was committed, but for
   * gaps: their first arrival, or a later one if positions before a source's first committed one
   * were skipped; never before the {@link #cutoff}. Unknown sources have brought nothing yet.
   * {@link Long#MAX_VALUE} if no arrival is known.
   *
   * @param disorder by how much (µs) skipped flows may have arrived later than the flows after them
   */
  public long historyFrom(Collection<String> sourceKeys, long disorder) {
    long first = Long.MAX_VALUE;
    long late = Long.MIN_VALUE;
    for (String key : sourceKeys) {
      SourceState source = source(key);
      first = Math.min(first, source.firstArrival());
      if (source.beginsLate()) {
        // Unknown stays unknown.
        long begins = Math.min(source.firstArrival(), Long.MAX_VALUE - disorder) + disorder;
        late = Math.max(late, begins);
      }
    }
    return Math.max(Math.max(first, late), cutoff);
  }

  /**
   * The arrival (µs) before which everything is here: the smallest of the largest committed ones of
   * sources that may bring more (neither retired nor ended). Without such a source the largest
   * arrival known; {@link Long#MIN_VALUE} if none is.
   */
  public long historyThrough() {
    return through(sources.values(), maxArrival);
  }

  /** For these sources only; {@link Long#MIN_VALUE} if one is unknown, or if there is none. */
  public long historyThrough(Collection<String> sourceKeys) {
    if (sourceKeys.stream().anyMatch(key -> source(key).committed().isEmpty())) {
      return Long.MIN_VALUE;
    }
    return through(sourceKeys.stream().map(this::source).toList(), Long.MIN_VALUE);
  }

  private static long through(Collection<SourceState> sources, long otherwise) {
    long through = Long.MAX_VALUE;
    long largest = otherwise;
    boolean any = false;
    for (SourceState source : sources) {
      largest = Math.max(largest, source.maxArrival());
      if (!source.isSilent()) {
        any = true;
        through = Math.min(through, source.maxArrival());
      }
    }
    return any ? through : largest;
  }

  /**
   * Whether everything that arrived from these sources up to a time (µs) was committed, but for
   * {@link #gaps}: each is known, and has a later arrival or ended. False without a source. If
   * arrivals are out of order by up to a bound, ask for a time that much later.
   */
  public boolean reaches(Collection<String> sourceKeys, long arrival) {
    return !sourceKeys.isEmpty()
        && sourceKeys.stream().allMatch(key -> source(key).reaches(arrival));
  }
}
