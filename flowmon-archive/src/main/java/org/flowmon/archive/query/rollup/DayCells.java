package org.flowmon.archive.query.rollup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.days.DayRun;
import org.flowmon.archive.days.DayRunFormat;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.query.plan.DayRemainder;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.LongRanges;

/**
 * The cells of a run of day sums for the segments it covers: of days that lie wholly within the
 * query's times and hold exactly the rows visible to it. Not changed after planning.
 */
final class DayCells extends CellSource {
  private final RunView<DayRun> view;
  private final RunCover.Share<DayRun> share;
  private final RollupRule rule;
  private final Set<Long> days = new HashSet<>();

  private DayCells(
      RunView<DayRun> view,
      RunCover.Share<DayRun> share,
      FlowColumn column,
      Rollup rollup,
      RollupRule rule) {
    super(
        new RunDictionary(share.run().dictionary(column), column), rollup, DayRunFormat.DAY_MICROS);
    this.view = view;
    this.share = share;
    this.rule = rule;
  }

  /**
   * Plans a run's answer, empty if for no day; rows that arrived after {@code asOf} are invisible.
   *
   * @throws SegmentCorruptException if the run is damaged
   */
  static Optional<DayCells> plan(
      RunView<DayRun> view,
      RunCover.Share<DayRun> share,
      FlowColumn column,
      RollupRule rule,
      ArchiveSnapshot snapshot,
      long asOf) {
    Rollup rollup = share.run().rollup(column);
    if (rollup == null) {
      return Optional.empty();
    }
    DayCells cells = new DayCells(view, share, column, rollup, rule);
    cells.choose(snapshot, asOf);
    return Optional.of(cells).filter(some -> !some.days.isEmpty());
  }

  private void choose(ArchiveSnapshot snapshot, long asOf) {
    Map<Long, TimeRange> ends = new HashMap<>(); // of the rows of a day, more or less
    Set<Long> spoilt = new HashSet<>();
    List<DayRun.Share> covered = share.run().shares();
    for (int s = 0; s < covered.size(); s++) {
      if (!covered.get(s).has(address())) {
        continue;
      }
      Optional<SealedSegment> segment =
          segment(s).filter(some -> snapshot.firstRow(some) == 0 && some.arrival().max() <= asOf);
      boolean answers = rule.estimates().isEmpty() || covered.get(s).hasEstimates();
      if (segment.isEmpty() || !answers) {
        spoilt.addAll(covered.get(s).days());
      } else {
        for (long day : covered.get(s).days()) {
          ends.merge(day, segment.get().endTime(), DayCells::both);
        }
      }
    }
    int[] all = new int[rollup().slices()];
    int n = 0;
    for (int s = 0; s < all.length; s++) {
      long day = rollup().hour(s);
      TimeRange ofDay = ends.get(day);
      if (!spoilt.contains(day) && ofDay != null && isWanted(day, ofDay)) {
        days.add(day);
        all[n++] = s;
      }
    }
    choose(all, n);
  }

  /** Empty if the run does not answer for the segment of this number in it. */
  private Optional<SealedSegment> segment(int s) {
    int place = share.positions()[s];
    return place < 0 ? Optional.empty() : Optional.of(view.segments().get(place));
  }

  private static TimeRange both(TimeRange a, TimeRange b) {
    return new TimeRange(Math.min(a.min(), b.min()), Math.max(a.max(), b.max()));
  }

  private boolean isWanted(long day, TimeRange ends) {
    if (day == DayRunFormat.NO_DAY) {
      return rule.nullTimeIsKept();
    }
    LongRanges rows = within(day, ends);
    return rule.times().map(times -> !rows.isEmpty() && times.and(rows).equals(rows)).orElse(true);
  }

  private static LongRanges ofDay(long day) {
    long begin = day * DayRunFormat.DAY_MICROS;
    return LongRanges.of(begin, begin + DayRunFormat.DAY_MICROS - 1);
  }

  private static LongRanges within(long day, TimeRange ends) {
    return ofDay(day).and(LongRanges.of(ends.min(), ends.max()));
  }

  /** Verifies the checksums of the slices to be read, and finds the ids that the filter wants. */
  void prepare(Constraints constraints) {
    for (int i = 0; i < slices(); i++) {
      share.run().verify(address(), slice(i));
    }
    choose(constraints.addresses(address()));
  }

  int days() {
    return days.size();
  }

  DayRemainder rest() {
    LongRanges answered = LongRanges.NONE;
    for (long day : days) {
      answered = day == DayRunFormat.NO_DAY ? answered : answered.or(ofDay(day));
    }
    return DayRemainder.of(rule, answered, days.contains(DayRunFormat.NO_DAY));
  }

  /** How much of a segment's part in the query the run answers. */
  enum Answered {
    NOTHING,
    SOME,
    ALL
  }

  Map<String, Answered> answered() {
    Map<String, Answered> answered = new HashMap<>();
    List<DayRun.Share> covered = share.run().shares();
    for (int s = 0; s < covered.size(); s++) {
      DayRun.Share ofSegment = covered.get(s);
      if (ofSegment.has(address())) {
        segment(s).ifPresent(some -> answered.put(some.id(), answered(some, ofSegment.days())));
      }
    }
    return answered;
  }

  private Answered answered(SealedSegment segment, List<Long> ofSegment) {
    boolean some = false;
    boolean all = true;
    for (long day : ofSegment) {
      some |= days.contains(day);
      all &= days.contains(day) || !isAsked(day, segment.endTime());
    }
    // A segment without a row on the wanted days contributes nothing.
    return all ? Answered.ALL : some ? Answered.SOME : Answered.NOTHING;
  }

  private boolean isAsked(long day, TimeRange ends) {
    if (day == DayRunFormat.NO_DAY) {
      return rule.nullTimeIsKept();
    }
    return rule.times().map(times -> !times.and(within(day, ends)).isEmpty()).orElse(true);
  }

  @Override
  DamagedCellsException damaged(String problem) {
    return new DamagedCellsException(view.damaged(share.run(), problem));
  }
}
