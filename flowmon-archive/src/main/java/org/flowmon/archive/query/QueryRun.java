package org.flowmon.archive.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.ListGrouping;
import org.flowmon.archive.query.group.PackedAnswer;
import org.flowmon.archive.query.group.PackedGrouping;
import org.flowmon.archive.query.group.PackedGroups;
import org.flowmon.archive.query.group.list.ListedNumbers;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.plan.AskedArchives;
import org.flowmon.archive.query.plan.GroupPlan;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.query.plan.SegmentOrder;
import org.flowmon.archive.query.rollup.AddressGrouping;
import org.flowmon.archive.query.rollup.CellGrouping;
import org.flowmon.archive.query.rollup.CellSource;
import org.flowmon.archive.query.rollup.DamagedCellsException;
import org.flowmon.archive.query.rollup.DayChoice;
import org.flowmon.archive.query.scan.AccessMeter;
import org.flowmon.archive.query.scan.RowCollector;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.archive.query.scan.SegmentScan;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/** One run of a query over the segments that may hold matching rows, on one or more threads. */
final class QueryRun {
  private static final int ANSWER_ROW = 32;

  private final AskedArchives archives;
  private final FlowQuery query;
  private final Groupings groupings;
  private final Expression whereAsOf;
  private final QueryOptions options;
  private final GroupMemory memory;
  private final SegmentChoice choice;
  private final DayChoice days;
  private final List<SealedSegment> segments;
  private List<SegmentPiece> pieces;
  private final SegmentOrder order;
  private final Deadline deadline;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();
  private final RollupRule rollups;
  private final Queue<SegmentScan> started = new ConcurrentLinkedQueue<>();
  private final Queue<AccessMeter> meters = new ConcurrentLinkedQueue<>();
  // By piece, if threads share the rows of a query without groups; else null.
  private RowLookup[] lookups;
  private PackedGroups[] packed; // by grouping: null if groups are in each scan's table

  /**
   * Prepares a run.
   *
   * @param memory charged for groups
   */
  QueryRun(
      AskedArchives archives,
      FlowQuery query,
      Expression whereAsOf,
      QueryOptions options,
      Deadline deadline,
      SegmentChoice choice,
      DayChoice days,
      SegmentOrder order,
      GroupMemory memory) {
    this.archives = archives;
    this.query = query;
    this.groupings = new Groupings(query);
    this.packed = new PackedGroups[groupings.all().size()];
    this.whereAsOf = whereAsOf;
    this.options = options;
    this.memory = memory;
    this.choice = choice;
    this.days = days;
    this.segments =
        choice.segments().stream().filter(segment -> !days.answersFor(segment)).toList();
    this.order = order;
    this.deadline = deadline;
    deadline.begin(segments.size());
    this.rollups = options.useRollups() ? groupings.rollups() : null;
    // Rollups are read once for a whole segment, and single rows in order.
    boolean cuts = query.isAggregated() && rollups == null;
    this.pieces =
        cuts
            ? SegmentPiece.cut(segments, options.threads(), options.pieceRows())
            : SegmentPiece.whole(segments);
  }

  /**
   * Runs the query.
   *
   * @throws DamagedCellsException if cells turn out to be damaged
   */
  QueryAnswer answer() throws IOException {
    deadline.check();
    if (segments.isEmpty() && days.cells().isEmpty()) {
      return answer(List.of(), collectRows(List.of(new RowCollector(groupings, packed, memory))));
    }
    if (!query.isAggregated() && hasManyRows()) {
      pieces = SegmentPiece.cutInOrder(segments, options.threads(), options.pieceRows());
      lookups = new RowLookup[pieces.size()];
      Arrays.setAll(lookups, piece -> new RowLookup(query, memory));
    }
    boolean areShared = query.isAggregated() || lookups != null;
    int threads = areShared ? Math.max(1, Math.min(options.threads(), pieces.size())) : 1;
    if (rollups == null && query.isAggregated()) {
      if (groupings.all().size() == 1 && options.asOfArrival() == Long.MAX_VALUE) {
        GroupPlan plan = GroupPlan.of(groupings.all().get(0));
        Filter filter = Filter.of(query.where());
        try (ListGrouping lists =
            ListGrouping.of(
                archives, filter, plan, options.threads(), segments, deadline, memory)) {
          if (lists != null) {
            return answer(lists);
          }
        }
      }
      Constraints constraints = Constraints.of(whereAsOf);
      packed =
          PackedGrouping.of(
              archives,
              groupings.all(),
              constraints,
              segments,
              deadline,
              options.threads(),
              threads,
              memory);
    }
    try {
      List<SegmentScan> scans = Threads.run(threads, deadline, this::scan);
      return answer(scans, collect(scans));
    } finally {
      // No thread reads any more here, however they ended.
      started.forEach(scan -> scan.cells().forEach(cells -> cells.lease().close()));
    }
  }

  /**
   * Whether the answer has enough rows for several threads. Rows of a limited query are collected
   * in order, by one thread.
   */
  private boolean hasManyRows() throws IOException {
    // An answered row takes longer than a row that is only added up.
    long many = options.pieceRows() / ANSWER_ROW;
    long most = segments.stream().mapToLong(SealedSegment::rows).sum();
    if (options.threads() == 1 || query.limit() >= 0 || most < many) {
      return false;
    }
    Constraints constraints = Constraints.of(whereAsOf);
    long rows = 0;
    for (SealedSegment segment : segments) {
      deadline.check();
      try (SegmentLease lease = archives.open(segment)) {
        rows += PackedGrouping.rows(lease, constraints, deadline::check);
      }
      if (rows >= many) {
        return true;
      }
    }
    return false;
  }

  /** Takes pieces of segments one by one until there is none left. */
  private SegmentScan scan() throws IOException {
    Filter filter = Filter.of(query.where());
    SegmentScan scan =
        new SegmentScan(
            filter,
            whereAsOf == query.where() ? filter : Filter.of(whereAsOf),
            options.asOfArrival(),
            rollups,
            new RowCollector(groupings, packed, memory),
            deadline);
    started.add(scan);
    AccessMeter meter = new AccessMeter(scan, query, whereAsOf, options.explain());
    meters.add(meter);
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    boolean known = true;
    try {
      for (int i = next.getAndIncrement(); i < pieces.size(); i = next.getAndIncrement()) {
        SegmentPiece piece = pieces.get(i);
        SealedSegment segment = piece.segment();
        if (deadline.isCancelled()
            || scan.collector().isComplete()
            || (known && order.isDone(scan.rowsMatched(), min, max, segment))) {
          break;
        }
        deadline.check();
        boolean taken = false;
        long bytes;
        SegmentLease lease = archives.open(segment);
        try {
          if (lookups != null) {
            scan.collector().addTo(lookups[i]);
          }
          opened.addAndGet(piece.isFirst() ? 1 : 0);
          taken = scan.run(lease, piece, days.rest(segment));
          piece.findings().pieceDone();
          bytes = meter.pieceRead(lease);
          known &= lease.rows().nullCount(FlowColumn.END_TIME) == 0;
        } finally {
          if (!taken) {
            lease.close();
          }
        }
        min = Math.min(min, segment.endTime().min());
        max = Math.max(max, segment.endTime().max());
        deadline.pieceDone(piece.isFirst(), bytes);
      }
      scan.collector().end();
      return scan;
    } catch (IOException | RuntimeException | Error e) {
      deadline.cancel();
      throw e;
    }
  }

  /** The answer by posting lists, each of which holds the rows of one first key. */
  private QueryAnswer answer(ListGrouping lists) throws IOException {
    double bytesPerRow =
        lists.bytesPerRow(segment -> AccessMeter.bytesPerRow(segment, query, whereAsOf));
    LongAdder rows = new LongAdder();
    IntConsumer read =
        n -> {
          deadline.check();
          deadline.read(n);
          deadline.bytesRead((long) (n * bytesPerRow));
          rows.add(n);
        };
    ResultTable table;
    PackedGroups groups = lists.groups();
    ListedNumbers listed = groups.listed(lists.keys(), options.threads(), read);
    if (listed == null) {
      table = answer(groups.finish(lists.keys(), read));
    } else {
      try {
        Threads.run(options.threads(), deadline, listed::run);
        table = answer(groups.finish(lists.keys(), listed));
      } finally {
        listed.release();
      }
    }
    opened.addAndGet(lists.segmentsOpened());
    int segmentsRead = lists.segmentsRead();
    Counts counts =
        new Counts(
            segmentsRead,
            segmentsRead,
            0,
            0,
            rows.sum(),
            rows.sum(),
            options.explain() ? lists.accesses(bytesPerRow) : List.of(),
            choice.warnings());
    return answer(counts, table, List.of());
  }

  private ResultTable answer(PackedAnswer finish) throws IOException {
    if (groupings.counts() == null) {
      return PackedGrouping.finish(finish, options.threads(), deadline);
    }
    GroupTable counted = groupings.counts().newTable(memory);
    PackedGrouping.count(finish, groupings.counts(), 0, options.threads(), deadline)
        .forEach(counted::merge);
    deadline.check();
    return groupings.counts().finish(counted);
  }

  private QueryAnswer answer(List<SegmentScan> scans, Collected collected) {
    int read = 0;
    int byIndex = 0;
    int byRollup = 0;
    long cellsRead = 0;
    long examined = 0;
    long matched = 0;
    Set<String> warnings = new LinkedHashSet<>(choice.warnings());
    warnings.addAll(days.warnings());
    for (SegmentScan scan : scans) {
      read += scan.segmentsRead();
      byIndex += scan.segmentsByIndex();
      byRollup += scan.segmentsByRollup();
      cellsRead += scan.cellsRead();
      examined += scan.rowsExamined();
      matched += scan.rowsMatched();
      warnings.addAll(scan.warnings());
    }
    Counts counts =
        new Counts(
            read,
            byIndex,
            byRollup,
            cellsRead + collected.cells,
            examined,
            matched,
            AccessMeter.ofSegments(meters),
            List.copyOf(warnings));
    return answer(counts, collected.table, collected.bounds);
  }

  /** Counts of the threads' work. */
  private record Counts(
      int read,
      int byIndex,
      int byRollup,
      long cells,
      long examined,
      long matched,
      List<SegmentAccess> accesses,
      Collection<String> warnings) {}

  private QueryAnswer answer(Counts counts, ResultTable table, List<ValueBound> bounds) {
    return new QueryAnswer(
        table,
        new QueryStats(
            archives.number(),
            archives.historyFrom(),
            archives.historyThrough(),
            archives.segments(),
            opened.get(),
            choice.byDirectory(),
            choice.uncovered(),
            days.segments(),
            days.cells().size(),
            days.days(),
            counts.read,
            counts.byIndex,
            counts.byRollup,
            counts.cells,
            archives.rows(),
            counts.examined,
            counts.matched,
            deadline.bytes(),
            counts.accesses,
            List.copyOf(counts.warnings),
            deadline.elapsedNanos()),
        bounds);
  }

  /** The rows of an answer, with their error bounds and the number of cells read for them. */
  private record Collected(ResultTable table, List<ValueBound> bounds, long cells) {
    Collected(ResultTable table, long cells) {
      this(table, List.of(), cells);
    }

    static Collected of(GroupAnswer.WithBounds answer) {
      return new Collected(answer.rows(), answer.bounds(), 0);
    }
  }

  private Collected collect(List<SegmentScan> scans) throws IOException {
    List<CellSource> cells = new ArrayList<>(days.cells());
    scans.forEach(scan -> cells.addAll(scan.cells()));
    if (!cells.isEmpty()) {
      List<GroupTable> ofRows =
          scans.stream()
              .map(scan -> scan.collector().groups(0))
              .filter(table -> table.size() > 0)
              .toList();
      if (groupings.counts() == null && AddressGrouping.answers(rollups, cells)) {
        AddressGrouping.Answer answer =
            new AddressGrouping(rollups, cells, ofRows, options.threads(), deadline, memory)
                .answer();
        return new Collected(answer.table(), answer.cells());
      }
      CellGrouping phase = new CellGrouping(rollups, cells, ofRows, deadline, memory);
      int threads = Math.max(1, Math.min(options.threads(), phase.parts()));
      List<CellGrouping.Part> parts = Threads.run(threads, deadline, phase::run);
      return new Collected(
          groupings.finish(List.of(phase.groups(parts))),
          parts.stream().mapToLong(CellGrouping.Part::cells).sum());
    }
    return collectRows(scans.stream().map(SegmentScan::collector).toList());
  }

  private Collected collectRows(List<RowCollector> collectors) throws IOException {
    if (lookups != null) {
      return new Collected(
          RowLookup.finish(List.of(lookups), this::eachColumn, deadline::check), 0);
    }
    if (groupings.all().isEmpty()) {
      return new Collected(collectors.get(0).rows(deadline::check), 0);
    }
    DistinctCounts counts = groupings.counts();
    if (counts == null) {
      if (packed[0] == null) {
        return Collected.of(
            new GroupAnswer(merged(collectors, 0), query, deadline::check).finishWithBounds());
      }
      return new Collected(
          PackedGrouping.finish(packed[0].finish(), options.threads(), deadline), 0);
    }
    GroupTable counted = counts.newTable(memory);
    for (int g = 0; g < packed.length; g++) {
      if (packed[g] == null) {
        counts.count(g, merged(collectors, g), counted);
      } else {
        PackedGrouping.count(packed[g].finish(), counts, g, options.threads(), deadline)
            .forEach(counted::merge);
      }
    }
    return Collected.of(counts.answer(counted));
  }

  private void eachColumn(int columns, IntConsumer work) {
    AtomicInteger nextColumn = new AtomicInteger();
    try {
      Threads.run(
          Math.min(options.threads(), columns),
          deadline,
          () -> {
            for (int c = nextColumn.getAndIncrement();
                c < columns;
                c = nextColumn.getAndIncrement()) {
              deadline.check();
              work.accept(c);
            }
            return null;
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e); // no column reads a file
    }
  }

  private GroupTable merged(List<RowCollector> collectors, int grouping) {
    GroupTable all = collectors.get(0).groups(grouping);
    for (RowCollector other : collectors.subList(1, collectors.size())) {
      deadline.check();
      all.merge(other.groups(grouping), deadline::check);
    }
    return all;
  }
}
