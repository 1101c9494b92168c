package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentAccess.Way;
import org.flowmon.archive.query.plan.SegmentAccesses;

/**
 * The reach of history behind an answer, and the work for it, of all queries over flows that
 * contributed: a segment that two may read counts twice.
 *
 * @param snapshot number of the answer's commit; of several archives, of the first
 * @param historyFrom the first arrival stored (µs), {@link Long#MAX_VALUE} if none
 * @param historyThrough the arrival (µs) up to which everything was there, {@link Long#MIN_VALUE}
 *     if unknown
 * @param segmentsConsidered segments opened: by their times, the host directory and the day sums
 *     they may hold an answer
 * @param segmentsByDirectory segments that the host directory left out, whatever their times: they
 *     hold none of the addresses asked for
 * @param segmentsUncovered segments that the host directory does not cover, if it was asked
 * @param segmentsByDays segments not opened because day sums answered for them
 * @param dayRuns runs of day sums read; {@code days} counts the days of each
 * @param segmentsRead segments whose rows were examined or whose rollups were read
 * @param segmentsByIndex of these, through the sidecar's postings; those neither so nor by rollups
 *     were scanned within the query's times
 * @param segmentsByRollup of these, through the sidecar's rollups, but for the rows of an hour that
 *     the query's times cut
 * @param cellsRead each of one address, hour (of day sums, day) and {@code outgoing}
 * @param rowsExamined rows on which a filter was evaluated
 * @param rowsMatched rows that the filter kept
 * @param bytesRead as {@link SegmentAccess#bytesRead}, and the bytes of dictionaries whose
 *     addresses are numbered; not rollups, posting lists and other dictionaries
 * @param plans of each query over flows, with how each opened segment answered, if {@link
 *     QueryOptions#explain} asks for it
 * @param warnings one for each sidecar, run of the host directory or of the day sums that is
 *     missing or damaged: others answered in its place, the answer is the same
 */
public record QueryStats(
    long snapshot,
    long historyFrom,
    long historyThrough,
    int segmentsTotal,
    int segmentsConsidered,
    int segmentsByDirectory,
    int segmentsUncovered,
    int segmentsByDays,
    int dayRuns,
    int days,
    int segmentsRead,
    int segmentsByIndex,
    int segmentsByRollup,
    long cellsRead,
    long rowsTotal,
    long rowsExamined,
    long rowsMatched,
    long bytesRead,
    List<PlanStep> plans,
    List<String> warnings,
    long nanos) {
  public QueryStats {
    plans = List.copyOf(plans);
    warnings = List.copyOf(warnings);
  }

  static QueryStats of(
      QueryPlan plan,
      SegmentAccesses accesses,
      long cells,
      Collection<String> warnings,
      Deadline deadline) {
    QueriedArchives archives = plan.archives();
    int byIndex = accesses.count(Way.INDEX) + accesses.count(Way.LISTS);
    return new QueryStats(
        archives.number(),
        archives.reach().historyFrom(),
        archives.reach().historyThrough(),
        archives.segments(),
        accesses.opened(),
        plan.choice().byDirectory(),
        plan.choice().uncovered(),
        plan.days().segments(),
        plan.days().cells().size(),
        plan.days().days(),
        accesses.opened() - accesses.count(Way.NONE),
        byIndex,
        accesses.count(Way.SUMS),
        cells,
        archives.rows(),
        accesses.sum(SegmentAccess::rowsExamined),
        accesses.sum(SegmentAccess::rowsMatched),
        deadline.bytes(),
        plan.options().explain() ? List.of(plan.explained(accesses.list())) : List.of(),
        List.copyOf(warnings),
        deadline.elapsedNanos());
  }

  /** Empty if {@link #plans} do not tell. */
  public List<SegmentAccess> accesses() {
    return plans.stream().flatMap(PlanStep::accesses).toList();
  }

  QueryStats withWarning(String warning) {
    List<String> all = new ArrayList<>(warnings);
    all.add(warning);
    return with(all, nanos);
  }

  QueryStats withNanos(long taken) {
    return with(warnings, taken);
  }

  private QueryStats with(List<String> otherWarnings, long otherNanos) {
    return new QueryStats(
        snapshot,
        historyFrom,
        historyThrough,
        segmentsTotal,
        segmentsConsidered,
        segmentsByDirectory,
        segmentsUncovered,
        segmentsByDays,
        dayRuns,
        days,
        segmentsRead,
        segmentsByIndex,
        segmentsByRollup,
        cellsRead,
        rowsTotal,
        rowsExamined,
        rowsMatched,
        bytesRead,
        plans,
        otherWarnings,
        otherNanos);
  }

  /** Adds a later query's, which shared the count of bytes and the time; each warning once. */
  QueryStats plus(QueryStats later) {
    List<PlanStep> allPlans = new ArrayList<>(plans);
    allPlans.addAll(later.plans);
    Set<String> allWarnings = new LinkedHashSet<>(warnings);
    allWarnings.addAll(later.warnings);
    return new QueryStats(
        snapshot,
        historyFrom,
        historyThrough,
        segmentsTotal + later.segmentsTotal,
        segmentsConsidered + later.segmentsConsidered,
        segmentsByDirectory + later.segmentsByDirectory,
        segmentsUncovered + later.segmentsUncovered,
        segmentsByDays + later.segmentsByDays,
        dayRuns + later.dayRuns,
        days + later.days,
        segmentsRead + later.segmentsRead,
        segmentsByIndex + later.segmentsByIndex,
        segmentsByRollup + later.segmentsByRollup,
        cellsRead + later.cellsRead,
        rowsTotal + later.rowsTotal,
        rowsExamined + later.rowsExamined,
        rowsMatched + later.rowsMatched,
        later.bytesRead,
        allPlans,
        List.copyOf(allWarnings),
        later.nanos);
  }
}
