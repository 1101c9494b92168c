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
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.plan.SegmentAccesses;
import org.flowmon.archive.query.plan.TimeSlices;
import org.flowmon.archive.query.scan.ColumnBytes;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.archive.query.scan.SegmentWorker;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * Answers a query of single rows part by part, so that only some parts for each thread are in
 * memory. Parts are pieces of segments in sequence or, to order by {@code end_time}, {@link
 * TimeSlices}. Threads work on the next parts; each delivers its rows after those of all parts
 * before.
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

  private final QueryPlan plan;
  private final FlowQuery query;
  private final QueryOptions options;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final RowSink sink;
  private final ColumnBytes columns;
  private final int partRows;
  private final List<Part> parts;
  private final AtomicInteger next = new AtomicInteger();

  // Guarded by this.
  private int turn;
  private long rows;
  private final Set<String> opened = new HashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final SegmentAccesses accesses = new SegmentAccesses();

  /** Charges parts to {@code memory}; {@link #answers} holds for the plan's query. */
  StreamedRows(QueryPlan plan, Deadline deadline, GroupMemory memory, RowSink sink)
      throws IOException {
    this.plan = plan;
    this.query = plan.query();
    this.options = plan.options();
    this.deadline = deadline;
    this.memory = memory;
    this.sink = sink;
    this.warnings.addAll(plan.choice().warnings());
    this.columns = new ColumnBytes(query, plan.whereAsOf());
    long values = (long) query.select().size() + query.orderBy().size();
    long fitting =
        options.groupMemory() / MEMORY_SHARE / options.threads() / (values * BYTES_OF_VALUE);
    this.partRows = (int) Math.max(LEAST_ROWS, Math.min(MOST_ROWS, fitting));
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
    for (SealedSegment segment : plan.choice().segments()) {
      int of = Math.max(1, segment.rows() / partRows);
      SegmentPiece.SharedAccess access = new SegmentPiece.SharedAccess(of);
      for (int number = 0; number < of; number++) {
        SegmentPiece piece = new SegmentPiece(segment, number, of, access);
        all.add(new Part(List.of(piece), Optional.empty()));
      }
    }
    return all;
  }

  private List<Part> slices(OrderItem order) throws IOException {
    TimeSlices slices = new TimeSlices(order, partRows);
    Constraints constraints = Constraints.of(plan.whereAsOf());
    for (SealedSegment segment : plan.choice().segments()) {
      deadline.check();
      try (SegmentLease lease = plan.archives().open(segment)) {
        slices.add(lease, constraints);
      }
    }
    return slices.all().stream()
        .map(
            slice -> new Part(SegmentPiece.whole(slice.segments()), Optional.of(slice.condition())))
        .toList();
  }

  StreamedAnswer run() throws IOException {
    deadline.check();
    sink.rows(new RowLookup(query).finish()); // so that the sink knows the columns
    QueryPlan run = plan.withThreads(Math.max(1, Math.min(options.threads(), parts.size())));
    Threads.run(run.threads(), deadline, this::work);
    return new StreamedAnswer(rows, QueryStats.of(run, accesses, 0, warnings, deadline), List.of());
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

  private ResultTable collected(Part part, GroupMemory own) throws IOException {
    RowLookup lookup = new RowLookup(query, own);
    SegmentWorker worker =
        new SegmentWorker(
            columns,
            narrowed(query.where(), part.slice()),
            narrowed(plan.whereAsOf(), part.slice()),
            options.asOfArrival(),
            Optional.empty(),
            new LookupCollector(lookup),
            deadline);
    for (SegmentPiece piece : part.pieces()) {
      deadline.check();
      SegmentLease lease = plan.archives().open(piece.segment());
      long bytes = worker.run(lease, piece, Optional.empty());
      deadline.pieceDone(isFirst(piece.segment()), bytes);
    }
    synchronized (this) {
      accesses.addAll(worker.accesses());
      warnings.addAll(worker.warnings());
    }
    return lookup.finish(deadline::check);
  }

  private synchronized boolean isFirst(SealedSegment segment) {
    return opened.add(segment.id());
  }

  private static @Nullable Expression narrowed(
      @Nullable Expression where, Optional<Expression> slice) {
    if (slice.isEmpty()) {
      return where;
    }
    return where == null ? slice.get() : new Expression.And(List.of(where, slice.get()));
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
}
