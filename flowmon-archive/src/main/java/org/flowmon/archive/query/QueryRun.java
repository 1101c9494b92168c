package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;

/** One run of a query over the segments that may hold an answer, on one or more threads. */
final class QueryRun {
  private final ArchiveSnapshot snapshot;
  private final FlowQuery query;
  private final Expression whereAsOf;
  private final QueryOptions options;
  private final List<SealedSegment> segments;
  private final SegmentOrder order;
  private final Deadline deadline;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();

  QueryRun(
      ArchiveSnapshot snapshot,
      FlowQuery query,
      Expression whereAsOf,
      QueryOptions options,
      List<SealedSegment> segments,
      SegmentOrder order) {
    this.snapshot = snapshot;
    this.query = query;
    this.whereAsOf = whereAsOf;
    this.options = options;
    this.segments = segments;
    this.order = order;
    this.deadline = new Deadline(options.timeLimit(), options.rowLimit(), segments.size());
  }

  QueryAnswer answer() throws IOException {
    // Only groups can be merged; single rows are collected in order, by one thread.
    int threads =
        query.isAggregated() ? Math.max(1, Math.min(options.threads(), segments.size())) : 1;
    List<FutureTask<SegmentScan>> others = new ArrayList<>();
    for (int t = 1; t < threads; t++) {
      FutureTask<SegmentScan> task = new FutureTask<>(this::scan);
      Thread thread = new Thread(task, "archive-query-" + t);
      thread.setDaemon(true);
      thread.start();
      others.add(task);
    }
    List<SegmentScan> scans = new ArrayList<>();
    try {
      scans.add(scan());
    } finally {
      // Nobody reads on when this returns, whichever way: the snapshot may be closed then.
      scans.addAll(join(others));
    }
    return answer(scans);
  }

  private static List<SegmentScan> join(List<FutureTask<SegmentScan>> tasks) throws IOException {
    List<SegmentScan> scans = new ArrayList<>();
    Throwable failure = null;
    boolean interrupted = false;
    for (FutureTask<SegmentScan> task : tasks) {
      while (true) {
        try {
          scans.add(task.get());
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          failure = failure == null ? e.getCause() : failure;
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure instanceof IOException e) {
      throw e;
    } else if (failure instanceof RuntimeException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    }
    return scans;
  }

  /** Takes segments one by one until there is none left. */
  private SegmentScan scan() throws IOException {
    SegmentScan scan =
        new SegmentScan(
            Filter.of(query.where()),
            Filter.of(whereAsOf),
            options.asOfArrival(),
            new RowCollector(query),
            deadline);
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    boolean known = true;
    try {
      for (int i = next.getAndIncrement(); i < segments.size(); i = next.getAndIncrement()) {
        SealedSegment segment = segments.get(i);
        if (deadline.isCancelled()
            || scan.collector().isComplete()
            || (known && order.isDone(scan.rowsMatched(), min, max, segment))) {
          break;
        }
        deadline.check();
        try (SegmentLease lease = snapshot.open(segment, options.verifyChecksums())) {
          opened.incrementAndGet();
          scan.run(lease);
          known &= lease.rows().nullCount(FlowColumn.END_TIME) == 0;
        }
        min = Math.min(min, segment.endTime().min());
        max = Math.max(max, segment.endTime().max());
        deadline.segmentDone();
      }
      return scan;
    } catch (IOException | RuntimeException | Error e) {
      deadline.cancel();
      throw e;
    }
  }

  private QueryAnswer answer(List<SegmentScan> scans) {
    SegmentScan first = scans.get(0);
    int read = 0;
    int byIndex = 0;
    long examined = 0;
    long matched = 0;
    List<String> warnings = new ArrayList<>();
    for (SegmentScan scan : scans) {
      if (scan != first) {
        first.collector().merge(scan.collector());
      }
      read += scan.segmentsRead();
      byIndex += scan.segmentsByIndex();
      examined += scan.rowsExamined();
      matched += scan.rowsMatched();
      warnings.addAll(scan.warnings());
    }
    return new QueryAnswer(
        first.collector().finish(),
        new QueryStats(
            snapshot.number(),
            snapshot.historyFrom(),
            snapshot.historyThrough(),
            snapshot.segments().size(),
            opened.get(),
            read,
            byIndex,
            snapshot.rows(),
            examined,
            matched,
            warnings,
            deadline.elapsedNanos()));
  }
}
