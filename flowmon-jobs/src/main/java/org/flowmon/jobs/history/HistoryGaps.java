package org.flowmon.jobs.history;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.LongRanges;

/**
 * The gaps of an archive, seen by one lookup.
 *
 * @param arrivals possible arrivals of flows in gaps, up to as-of, in microseconds: at most {@link
 *     #MAX_ARRIVALS} ranges, which may be too wide
 * @param asked gaps that can have held a flow asked for, by the query's filter and clocks that run
 *     ahead by at most {@link #MAX_SKEW_MICROS}
 */
record HistoryGaps(LongRanges arrivals, List<CommitResult.Gap> asked) {
  /** 31 days: a clock further ahead of arrival counts as wrong, as for compaction. */
  static final long MAX_SKEW_MICROS = 31L * 24 * 3_600_000_000L;

  /** The most ranges kept of an archive; the oldest are joined. */
  static final int MAX_ARRIVALS = 1000;

  /**
   * Selects the gaps that matter to a query; times in microseconds.
   *
   * @param disorder how far an arrival may lie behind the largest of its partition: gaps are
   *     widened by it on both sides
   * @param filters conditions implied by the filter of each query over flows in it
   */
  static HistoryGaps of(
      List<CommitResult.Gap> all, long asOf, long disorder, List<Constraints> filters) {
    List<CommitResult.Gap> before =
        all.stream()
            .map(gap -> widened(gap, disorder))
            .filter(gap -> gap.arrivalFrom() <= asOf)
            .sorted(Comparator.comparingLong(CommitResult.Gap::arrivalFrom))
            .toList();
    return new HistoryGaps(
        arrivals(before),
        before.stream()
            .filter(gap -> filters.stream().anyMatch(filter -> canHold(gap, filter)))
            .toList());
  }

  private static CommitResult.Gap widened(CommitResult.Gap gap, long by) {
    return new CommitResult.Gap(
        gap.sourceKey(),
        gap.firstOffset(),
        gap.endOffset(),
        Math.max(gap.arrivalFrom(), Long.MIN_VALUE + by) - by,
        Math.min(gap.arrivalThrough(), Long.MAX_VALUE - by) + by);
  }

  private static boolean canHold(CommitResult.Gap gap, Constraints filter) {
    LongRanges arrivals = filter.longs(FlowColumn.ARRIVAL);
    if (arrivals != null && !arrivals.intersects(gap.arrivalFrom(), gap.arrivalThrough())) {
      return false;
    }
    LongRanges ends = filter.longs(FlowColumn.END_TIME);
    long latest =
        gap.arrivalThrough() > Long.MAX_VALUE - MAX_SKEW_MICROS
            ? Long.MAX_VALUE
            : gap.arrivalThrough() + MAX_SKEW_MICROS;
    // There is no limit on a flow's lateness: only the earliest time asked for tells.
    return ends == null || ends.intersects(Long.MIN_VALUE, latest);
  }

  private static LongRanges arrivals(List<CommitResult.Gap> sorted) {
    LongRanges all =
        LongRanges.ofRanges(
            sorted.stream().mapToLong(CommitResult.Gap::arrivalFrom).toArray(),
            sorted.stream().mapToLong(CommitResult.Gap::arrivalThrough).toArray());
    return shortened(all);
  }

  LongRanges arrivals(LongRanges missing) {
    return shortened(arrivals.or(missing));
  }

  private static LongRanges shortened(LongRanges all) {
    int more = all.count() - MAX_ARRIVALS;
    return more <= 0 ? all : all.or(LongRanges.of(all.first(0), all.last(more)));
  }

  Optional<String> message(FlowTopic topic) {
    if (asked.isEmpty()) {
      return Optional.empty();
    }
    CommitResult.Gap last = asked.get(0);
    for (CommitResult.Gap gap : asked) {
      last = gap.arrivalThrough() > last.arrivalThrough() ? gap : last;
    }
    // The source's key holds topic and partition in their permanent form, for machines.
    String text = last.toString();
    if (last.sourceKey().startsWith(topic.id() + ":")) {
      String partition = last.sourceKey().substring(topic.id().length() + 1);
      text =
          text.replace(
              "source " + last.sourceKey(), "topic " + topic.name() + " partition " + partition);
    }
    return Optional.of(
        asked.size() == 1 ? text : text + " (and " + (asked.size() - 1) + " gaps before)");
  }
}
