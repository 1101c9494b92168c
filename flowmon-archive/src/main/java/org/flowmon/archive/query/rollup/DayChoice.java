package org.flowmon.archive.query.rollup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.days.DayRun;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.query.plan.DayRemainder;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.constraint.Constraints;

/**
 * The part of a query that day sums answer, and the remainders for the chosen segments. Closing it
 * releases the day sums. Filled by one thread, then safe to share.
 */
public final class DayChoice implements AutoCloseable {
  private static final Comparator<DayCells> MOST_DAYS_THEN_FEWEST_CELLS =
      Comparator.comparingInt(DayCells::days).reversed().thenComparingLong(DayCells::cells);

  private final List<RunView<DayRun>> views = new ArrayList<>();
  private final List<DayCells> cells = new ArrayList<>();
  private final Set<SealedSegment> answered = Collections.newSetFromMap(new IdentityHashMap<>());
  private final IdentityHashMap<SealedSegment, DayRemainder> rests = new IdentityHashMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  private DayChoice() {}

  public static DayChoice none() {
    return new DayChoice();
  }

  /**
   * Chooses among the day sums of all archives.
   *
   * @param rule empty if only rows answer
   * @param choice other segments are ignored
   * @param asOf only rows that arrived by then are visible
   */
  public static DayChoice of(
      QueriedArchives archives,
      Optional<RollupRule> rule,
      Constraints constraints,
      SegmentChoice choice,
      long asOf) {
    DayChoice days = new DayChoice();
    if (rule.isEmpty() || !rule.get().isOfDays() || constraints.isImpossible()) {
      return days;
    }
    boolean done = false;
    try {
      for (ArchiveSnapshot snapshot : archives.snapshots()) {
        days.add(snapshot, rule.get(), constraints, archives.chosenOf(snapshot, choice), asOf);
      }
      done = true;
      return days;
    } finally {
      if (!done) {
        days.close();
      }
    }
  }

  private void add(
      ArchiveSnapshot snapshot,
      RollupRule rule,
      Constraints constraints,
      List<SealedSegment> chosen,
      long asOf) {
    if (chosen.isEmpty()) {
      return;
    }
    RunView<DayRun> view;
    try {
      view = snapshot.days();
    } catch (IOException e) {
      warnings.add("no day sums: " + e + ": segments were read instead");
      return;
    }
    views.add(view);
    warnings.addAll(view.problems());
    Set<String> wanted = new HashSet<>();
    chosen.forEach(segment -> wanted.add(segment.id()));
    for (RunCover.Share<DayRun> share : view.shares()) {
      try {
        rule.addresses().stream()
            .flatMap(column -> DayCells.plan(view, share, column, rule, snapshot, asOf).stream())
            .min(MOST_DAYS_THEN_FEWEST_CELLS)
            .ifPresent(best -> add(best, constraints, wanted, chosen));
      } catch (SegmentCorruptException e) {
        warnings.add(view.damaged(share.run(), String.valueOf(e.getMessage())));
      }
    }
  }

  private void add(
      DayCells days, Constraints constraints, Set<String> wanted, List<SealedSegment> chosen) {
    Map<String, DayCells.Answered> of = days.answered();
    of.keySet().retainAll(wanted);
    of.values().removeIf(how -> how == DayCells.Answered.NOTHING);
    if (of.isEmpty()) {
      return; // no segment to be opened has rows on these days
    }
    days.prepare(constraints);
    cells.add(days);
    DayRemainder rest = days.rest();
    for (SealedSegment segment : chosen) {
      DayCells.Answered how = of.get(segment.id());
      if (how == DayCells.Answered.ALL) {
        answered.add(segment);
      } else if (how == DayCells.Answered.SOME) {
        rests.put(segment, rest);
      }
    }
  }

  public boolean answersFor(SealedSegment segment) {
    return answered.contains(segment);
  }

  /** Empty if the remainder is the whole query. */
  public Optional<DayRemainder> rest(SealedSegment segment) {
    return Optional.ofNullable(rests.get(segment));
  }

  public List<DayCells> cells() {
    return cells;
  }

  /** Number of segments it answers for that would be opened otherwise. */
  public int segments() {
    return answered.size();
  }

  public int days() {
    return cells.stream().mapToInt(DayCells::days).sum();
  }

  public Set<String> warnings() {
    return warnings;
  }

  /**
   * Releases the day sums.
   *
   * @throws DamagedCellsException if a file of theirs was cut meanwhile: the answer is void
   */
  @Override
  public void close() {
    List<String> cut = new ArrayList<>();
    for (RunView<DayRun> view : views) {
      cut.addAll(view.cut());
      view.release();
    }
    if (!cut.isEmpty()) {
      throw new DamagedCellsException(cut.get(0));
    }
  }
}
