package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;

/**
 * Slices by arrival. The archive has no order of arrivals, so each is a scan of its own and holds
 * its windows' groups at once: as many slides as fit the limit of rows, counted beforehand, at
 * least one.
 */
final class ArrivalSlices implements ReplaySlices {
  static final long ROWS = 4_000_000;

  private static final long BUCKETS = 10_000;

  private final ReplaySpec spec;
  private final ArchiveSnapshot snapshot;
  private final long slide;
  private final long most;
  // The width of the buckets in which arrivals are counted.
  private long unit;
  private ResultTable counts;
  private long countedFrom;
  private long countedTo;
  private long position;

  /** {@code most}: rows of a slice that is longer than a slide. */
  ArrivalSlices(ReplaySpec spec, ArchiveSnapshot snapshot, long position, long most) {
    this.spec = spec;
    this.snapshot = snapshot;
    this.slide = spec.window().slideMicros();
    this.position = position;
    this.most = most;
  }

  @Override
  public long next(Flows out) throws IOException {
    long next = end();
    try (FlowScan scan =
        ReplaySlices.scan(spec, snapshot)
            .where(ReplaySlices.within(FlowColumn.ARRIVAL, position, next))
            .open()) {
      for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
        for (int row = 0; row < block.rows(); row += ArchivedBatches.ROWS) {
          out.take(block, row, Math.min(ArchivedBatches.ROWS, block.rows() - row));
        }
      }
    }
    position = next;
    return next;
  }

  private long end() throws IOException {
    if (counts == null || position < countedFrom || position >= countedTo) {
      count(position, spec.to());
    }
    while (true) {
      long rows = 0;
      long tooMany = Long.MAX_VALUE; // start of the bucket that exceeds the limit
      for (int row = 0; row < counts.rowCount() && tooMany == Long.MAX_VALUE; row++) {
        long bucket = counts.longValue(row, 0);
        if (bucket + unit > position) {
          rows += counts.longValue(row, 1);
          tooMany = rows > most ? bucket : tooMany;
        }
      }
      if (tooMany > position) {
        return Math.min(countedTo, tooMany);
      }
      long end = Math.min(countedTo, tooMany + unit);
      if (unit == slide) {
        return end;
      }
      count(position, end);
    }
  }

  private void count(long from, long to) throws IOException {
    unit = -Math.floorDiv(from - to, BUCKETS * slide) * slide;
    Expression bucket = new Expression.TimeBucket(new Expression.Column(FlowColumn.ARRIVAL), unit);
    FlowQuery query =
        new FlowQuery(
            List.of(
                new SelectItem("bucket", bucket),
                new SelectItem("n", new AggregateCall(AggregateFunction.COUNT, List.of()))),
            ReplaySlices.within(FlowColumn.ARRIVAL, from, to),
            List.of(bucket),
            List.of(new OrderItem(bucket, false, false)),
            -1);
    counts = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table();
    countedFrom = from;
    countedTo = to;
  }

  @Override
  public void close() {}
}
