package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.query.group.Grouper;
import org.flowmon.archive.query.group.HashGrouper;
import org.flowmon.archive.query.group.ListGrouping;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.query.plan.SegmentOrder;
import org.flowmon.archive.query.rollup.DayChoice;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.jspecify.annotations.Nullable;

/**
 * What a query over flows reads, and what makes its answer; {@link QueryPlanner} makes it before
 * {@link QueryRun} runs it. How a segment is read is planned when it is open, as its sidecar may be
 * damaged.
 *
 * <pre>
 *   pieces of segments ─► rows or cells ─► groups (work) ─► HAVING, ORDER BY, LIMIT
 * </pre>
 *
 * @param whereAsOf the filter and {@link QueryOptions#withAsOfArrival}, null for none
 * @param choice the segments that may hold a row of the answer; {@code days} answers for some
 * @param pieces of the other segments, which threads share, in order
 * @param threads that read, of {@link Work.Lists} also those that make groups
 */
record QueryPlan(
    QueriedArchives archives,
    FlowQuery query,
    @Nullable Expression whereAsOf,
    QueryOptions options,
    Groupings groupings,
    SegmentChoice choice,
    DayChoice days,
    List<SegmentPiece> pieces,
    SegmentOrder order,
    int threads,
    Work work)
    implements AutoCloseable {
  /** The way from rows, cells or lists to the answer. */
  sealed interface Work {
    /** Single rows; if shared, several threads collect them, each piece apart. */
    record Rows(boolean areShared) implements Work {}

    /** Groups of cells; {@code edges} takes the rows in whose place there are no cells. */
    record Cells(RollupRule rule, HashGrouper edges) implements Work {}

    /** Groups of rows, a grouper for each grouping. */
    record Groups(List<Grouper> groupers) implements Work {}

    /** Groups of posting lists. */
    record Lists(ListGrouping grouping) implements Work {}
  }

  QueryPlan withThreads(int count) {
    return new QueryPlan(
        archives, query, whereAsOf, options, groupings, choice, days, pieces, order, count, work);
  }

  boolean isEmpty() {
    return pieces.isEmpty() && days.cells().isEmpty();
  }

  PlanStep explained(List<SegmentAccess> accesses) {
    List<PlanStep> reads = new ArrayList<>();
    if (!days.cells().isEmpty()) {
      reads.add(
          PlanStep.of(
              String.format(
                  "day sums: %d days in %d runs, in place of %d segments",
                  days.days(), days.cells().size(), days.segments()),
              List.of()));
    }
    accesses.forEach(access -> reads.add(PlanStep.of(access)));
    PlanStep read =
        PlanStep.of(
            String.format(
                "read segments: %d of %d, pieces: %d, threads: %d",
                accesses.size(),
                archives.segments(),
                accesses.stream().mapToInt(SegmentAccess::pieces).sum(),
                threads),
            reads);
    return PlanTree.above(query, groups(PlanTree.enriched(query, whereAsOf, read)));
  }

  private PlanStep groups(PlanStep read) {
    if (work instanceof Work.Rows rows) {
      return PlanStep.of(
          rows.areShared() ? "collect rows of each piece" : "collect rows in order", List.of(read));
    }
    List<FlowQuery> all = groupings.all();
    PlanStep step = read;
    for (int g = 0; g < all.size(); g++) {
      step = PlanStep.of("group by " + PlanTree.keys(all.get(g)) + ": " + way(g), List.of(step));
    }
    return groupings.counts().isEmpty()
        ? step
        : PlanStep.of("count distinct groups by " + PlanTree.keys(query), List.of(step));
  }

  private String way(int grouping) {
    if (work instanceof Work.Lists lists) {
      return lists.grouping().toString();
    }
    return work instanceof Work.Groups groups
        ? groups.groupers().get(grouping).toString()
        : "sums of cells";
  }

  @Override
  public void close() {
    try {
      if (work instanceof Work.Lists lists) {
        lists.grouping().close();
      }
    } finally {
      days.close();
    }
  }
}
