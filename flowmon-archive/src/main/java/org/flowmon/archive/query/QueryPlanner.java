package org.flowmon.archive.query;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.GroupPlanner;
import org.flowmon.archive.query.group.HashGrouper;
import org.flowmon.archive.query.group.ListGrouping;
import org.flowmon.archive.query.group.ListPlanner;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.query.plan.SegmentOrder;
import org.flowmon.archive.query.rollup.DayChoice;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.jspecify.annotations.Nullable;

/** Plans one query over flows, again if what a plan relied on turns out to be damaged. */
final class QueryPlanner {
  private static final int ANSWER_ROW = 32;

  private final QueriedArchives archives;
  private final FlowQuery query;
  private final QueryOptions options;
  private final Deadline deadline;
  private final @Nullable Expression whereAsOf;
  private final Constraints constraints;
  private final SegmentChoice choice;
  private final SegmentOrder order;
  private final Groupings groupings;

  QueryPlanner(
      List<ArchiveSnapshot> snapshots, FlowQuery query, QueryOptions options, Deadline deadline)
      throws IOException {
    this.archives = new QueriedArchives(snapshots, options.verifyChecksums());
    this.query = query;
    this.options = options;
    this.deadline = deadline;
    this.whereAsOf =
        options.asOfArrival() == Long.MAX_VALUE
            ? query.where()
            : Filter.asOf(query.where(), options.asOfArrival());
    this.constraints = Constraints.of(whereAsOf);
    this.choice = archives.choose(constraints);
    this.order = SegmentOrder.of(query);
    order.sort(choice.segments());
    this.groupings = new Groupings(query);
  }

  /**
   * Cells may answer for rows if {@code useRollups}, and lists be groups' rows if {@code useLists};
   * charges plan and answer to {@code memory}.
   */
  QueryPlan plan(boolean useRollups, boolean useLists, GroupMemory memory) throws IOException {
    Optional<RollupRule> rule = useRollups ? groupings.rollups() : Optional.empty();
    DayChoice days = DayChoice.of(archives, rule, constraints, choice, options.asOfArrival());
    try {
      List<SealedSegment> segments =
          choice.segments().stream().filter(segment -> !days.answersFor(segment)).toList();
      deadline.begin(segments.size());
      deadline.check();
      boolean areShared = query.isAggregated() ? rule.isEmpty() : hasManyRows(segments);
      List<SegmentPiece> pieces = pieces(segments, areShared);
      int threads =
          query.isAggregated() || areShared
              ? Math.max(1, Math.min(options.threads(), pieces.size()))
              : 1;
      QueryPlan.Work work = work(rule, areShared, useLists, segments, threads, memory);
      return new QueryPlan(
          archives,
          query,
          whereAsOf,
          options,
          groupings,
          choice,
          days,
          pieces,
          order,
          work instanceof QueryPlan.Work.Lists ? options.threads() : threads,
          work);
    } catch (IOException | RuntimeException | Error e) {
      days.close();
      throw e;
    }
  }

  QueryPlan planStream() {
    deadline.begin(choice.segments().size());
    return new QueryPlan(
        archives,
        query,
        whereAsOf,
        options,
        groupings,
        choice,
        DayChoice.none(),
        List.of(),
        order,
        options.threads(),
        new QueryPlan.Work.Rows(true));
  }

  /** The pieces that threads share: whole segments if their rollups, or rows in order, are read. */
  private List<SegmentPiece> pieces(List<SealedSegment> segments, boolean areShared) {
    if (!areShared) {
      return SegmentPiece.whole(segments);
    }
    return query.isAggregated()
        ? SegmentPiece.cut(segments, options.threads(), options.pieceRows())
        : SegmentPiece.cutInOrder(segments, options.threads(), options.pieceRows());
  }

  private QueryPlan.Work work(
      Optional<RollupRule> rule,
      boolean areShared,
      boolean useLists,
      List<SealedSegment> segments,
      int threads,
      GroupMemory memory)
      throws IOException {
    if (!query.isAggregated()) {
      return new QueryPlan.Work.Rows(areShared);
    }
    if (rule.isPresent()) {
      return new QueryPlan.Work.Cells(rule.get(), new HashGrouper(rule.get().query(), memory));
    }
    Optional<ListGrouping> lists = useLists ? lists(segments, memory) : Optional.empty();
    return lists.isPresent()
        ? new QueryPlan.Work.Lists(lists.get())
        : new QueryPlan.Work.Groups(
            new GroupPlanner(archives, segments, constraints, deadline, memory)
                .plan(groupings.all(), options.threads(), threads));
  }

  private Optional<ListGrouping> lists(List<SealedSegment> segments, GroupMemory memory)
      throws IOException {
    boolean seesAll = options.asOfArrival() == Long.MAX_VALUE;
    Optional<NumberedKeys> keys =
        seesAll && groupings.all().size() == 1
            ? NumberedKeys.of(groupings.all().get(0))
            : Optional.empty();
    return keys.isEmpty()
        ? Optional.empty()
        : ListPlanner.plan(
            archives,
            Filter.of(query.where()),
            keys.get(),
            options.threads(),
            segments,
            deadline,
            memory);
  }

  /** Whether single rows suffice for several threads; one collects limited ones in order. */
  private boolean hasManyRows(List<SealedSegment> segments) throws IOException {
    // An answered row takes longer than a row that is only added up.
    long many = options.pieceRows() / ANSWER_ROW;
    long most = segments.stream().mapToLong(SealedSegment::rows).sum();
    if (options.threads() == 1 || query.limit() >= 0 || most < many) {
      return false;
    }
    long rows = 0;
    for (SealedSegment segment : segments) {
      deadline.check();
      try (SegmentLease lease = archives.open(segment)) {
        rows += GroupPlanner.rows(lease, constraints, deadline::check);
      }
      if (rows >= many) {
        return true;
      }
    }
    return false;
  }
}
