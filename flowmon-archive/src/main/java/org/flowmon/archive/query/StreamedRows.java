package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.PackedGroups;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.plan.AskedArchives;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.query.plan.TimeSlices;
import org.flowmon.archive.query.scan.AccessMeter;
import org.flowmon.archive.query.scan.RowCollector;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.archive.query.scan.SegmentScan;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.value.ResultTable;

/**
 * Answers a query of single rows part by part, so that only some parts for each thread are in
 * memory. Parts are pieces of segments in sequence or, if the answer is ordered by {@code
 * end_time}, {@link TimeSlices}. Threads work on the next parts; each delivers its rows after those
 * of all parts before.
 */
final class StreamedRows {
  /** Limited answers of at most so many rows are not streamed: their order may be any then. */
  static final int FEW = 10_000;

  private static final int MOST_ROWS = 1 << 15;
  private static final int LEAST_ROWS = 1 << 10;
  private static final int BYTES_OF_VALUE = 32; // including the memory to sort it
  private static final long MEMORY_SHARE = 4;
  private static final long WAIT_MILLIS = 20;

  /** The unit of one thread's work. */
  private record Part(List<SegmentPiece> pieces, Optional<Expression> slice) {}

  private final AskedArchives archives;
  private final FlowQuery query;
  private final Expression whereAsOf;
  private final QueryOptions options;
  private final Deadline deadline;
  private final SegmentChoice choice;
  private final GroupMemory memory;
  private final RowSink sink;
  private final Groupings groupings;
  private final int partRows;
  private final List<Part> parts;
  private final AtomicInteger next = new AtomicInteger();

  // Guarded by this.
  private int turn;
  private long rows;
  private final Set<String> opened = new HashSet<>();
  private final Set<String> read = new HashSet<>();
  private final Set<String> byIndex = new HashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final List<AccessMeter> meters = new ArrayList<>();
  private long examined;
  private long matched;

  /**
   * Prepares an answer.
   *
   * @param query for which {@link #answers} holds
   * @param memory charged for parts
   */
  StreamedRows(
      AskedArchives archives,
      FlowQuery query,
      Expression whereAsOf,
      QueryOptions options,
      Deadline deadline,
      SegmentChoice choice,
      GroupMemory memory,
      RowSink sink)
      throws IOException {
    this.archives = archives;
    this.query = query;
    this.whereAsOf = whereAsOf;
    this.options = options;
    this.deadline = deadline;
    this.choice = choice;
    this.memory = memory;
    this.sink = sink;
    this.groupings = new Groupings(query);
    this.warnings.addAll(choice.warnings());
    long columns = (long) query.select().size() + query.orderBy().size();
    long fitting =
        options.groupMemory() / MEMORY_SHARE / options.threads() / (columns * BYTES_OF_VALUE);
    this.partRows = (int) Math.max(LEAST_ROWS, Math.min(MOST_ROWS, fitting));
    deadline.begin(choice.segments().size());
    this.parts = query.orderBy().isEmpty() ? pieces() : slices(query.orderBy().get(0));
  }

  /** Whether rows of a query can be delivered before all are known, and may be many. */
  static boolean answers(FlowQuery query) {
    boolean isInOrder =
        query.orderBy().isEmpty()
            || (query.orderBy().get(0).what() instanceof Expression.Column column
                && column.column() == FlowColumn.END_TIME);
    return !query.isAggregated() && isInOrder && (query.limit() < 0 || query.limit() > FEW);
  }

  private List<Part> pieces() {
    List<Part> all = new ArrayList<>();
    for (SealedSegment segment : choice.segments()) {
      int of = Math.max(1, segment.rows() / partRows);
      SegmentPiece.Findings findings = new SegmentPiece.Findings(of);
      for (int number = 0; number < of; number++) {
        SegmentPiece piece = new SegmentPiece(segment, number, of, findings);
        all.add(new Part(List.of(piece), Optional.empty()));
      }
    }
    return all;
  }

  private List<Part> slices(OrderItem order) throws IOException {
    TimeSlices slices = new TimeSlices(order, partRows);
    Constraints constraints = Constraints.of(whereAsOf);
    for (SealedSegment segment : choice.segments()) {
      deadline.check();
      try (SegmentLease lease = archives.open(segment)) {
        slices.add(lease, constraints.longs(FlowColumn.END_TIME));
      }
    }
    return slices.all().stream()
        .map(
            slice -> new Part(SegmentPiece.whole(slice.segments()), Optional.of(slice.condition())))
        .toList();
  }

  /** Delivers all rows. */
  StreamedAnswer run() throws IOException {
    deadline.check();
    sink.rows(new RowLookup(query).finish()); // so that the sink knows the columns
    int threads = Math.max(1, Math.min(options.threads(), parts.size()));
    Threads.run(threads, deadline, this::work);
    return new StreamedAnswer(rows, stats(), List.of());
  }

  private Void work() throws IOException {
    for (int p = next.getAndIncrement();
        p < parts.size() && !isDone();
        p = next.getAndIncrement()) {
      deadline.check();
      try (GroupMemory own = memory.part()) {
        handOn(p, collected(parts.get(p), own));
      }
    }
    return null;
  }

  private synchronized boolean isDone() {
    return query.limit() >= 0 && rows >= query.limit();
  }

  /** The rows of a part, in order. */
  private ResultTable collected(Part part, GroupMemory own) throws IOException {
    RowCollector collector = new RowCollector(groupings, new PackedGroups[0], own);
    SegmentScan scan =
        new SegmentScan(
            Filter.of(narrowed(query.where(), part.slice())),
            Filter.of(narrowed(whereAsOf, part.slice())),
            options.asOfArrival(),
            null,
            collector,
            deadline);
    AccessMeter meter = new AccessMeter(scan, query, whereAsOf, options.explain());
    for (SegmentPiece piece : part.pieces()) {
      deadline.check();
      String id = piece.segment().id();
      int readBefore = scan.segmentsRead();
      int byIndexBefore = scan.segmentsByIndex();
      boolean isFirst;
      long bytes;
      try (SegmentLease lease = archives.open(piece.segment())) {
        scan.run(lease, piece, null);
        piece.findings().pieceDone();
        bytes = meter.pieceRead(lease);
      }
      synchronized (this) {
        isFirst = opened.add(id);
        if (scan.segmentsRead() > readBefore) {
          read.add(id);
        }
        if (scan.segmentsByIndex() > byIndexBefore) {
          byIndex.add(id);
        }
      }
      deadline.pieceDone(isFirst, bytes);
    }
    count(scan, meter);
    return collector.rows(deadline::check);
  }

  private static Expression narrowed(Expression where, Optional<Expression> slice) {
    if (slice.isEmpty()) {
      return where;
    }
    return where == null ? slice.get() : new Expression.And(List.of(where, slice.get()));
  }

  private synchronized void count(SegmentScan scan, AccessMeter meter) {
    examined += scan.rowsExamined();
    matched += scan.rowsMatched();
    warnings.addAll(scan.warnings());
    if (options.explain()) {
      meters.add(meter);
    }
  }

  /** Delivers the rows of a part once it is its turn. */
  private void handOn(int part, ResultTable some) throws IOException {
    long left;
    synchronized (this) {
      while (turn < part && !isDone()) {
        deadline.check();
        try {
          wait(WAIT_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      if (isDone()) {
        return; // a thread that saw the limit may have dropped a part before this one
      }
      left = query.limit() < 0 ? Long.MAX_VALUE : query.limit() - rows;
    }
    deadline.check();
    ResultTable taken = some;
    if (some.rowCount() > left) {
      int[] first = new int[(int) Math.max(0, left)];
      Arrays.setAll(first, row -> row);
      taken = some.withRows(first);
    }
    if (taken.rowCount() > 0) {
      sink.rows(taken);
    }
    synchronized (this) {
      rows += taken.rowCount();
      turn++;
      notifyAll();
    }
  }

  private QueryStats stats() {
    return new QueryStats(
        archives.number(),
        archives.historyFrom(),
        archives.historyThrough(),
        archives.segments(),
        opened.size(),
        choice.byDirectory(),
        choice.uncovered(),
        0,
        0,
        0,
        read.size(),
        byIndex.size(),
        0,
        0,
        archives.rows(),
        examined,
        matched,
        deadline.bytes(),
        AccessMeter.ofSegments(meters),
        List.copyOf(warnings),
        deadline.elapsedNanos());
  }
}
