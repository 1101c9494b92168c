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
import org.jspecify.annotations.Nullable;

/**
 * Slices by arrival. The archive has no order of arrivals, so each is a scan of its own and holds
 * its windows' groups at once: as many slides as fit the limit of rows, counted beforehand, at
 * least one.
 */
final class ArrivalSlices implements ReplaySlices {
  static final long ROWS = 4_000_000;

  private static final long BUCKETS = 10_000;

  private final ReplaySpec spec;
  private final List<ArchiveSnapshot> snapshots;
  private final long slide;
  private final long most;
  private @Nullable Counted counted; // null before the first slice
  private long position;

  /** The arrivals in a range by buckets of width {@code unit}. */
  private record Counted(ResultTable counts, long unit, long from, long to) {}

  /** {@code most}: rows of a slice that is longer than a slide. */
  ArrivalSlices(ReplaySpec spec, List<ArchiveSnapshot> snapshots, long position, long most) {
    this.spec = spec;
    this.snapshots = snapshots;
    this.slide = spec.window().slideMicros();
    this.position = position;
    this.most = most;
  }

  @Override
  public long next(Flows out) throws IOException {
    long next = end();
    try (FlowScan scan =
        ReplaySlices.scan(spec, snapshots)
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
    Counted of = counted;
    if (of == null || position < of.from() || position >= of.to()) {
      of = count(position, spec.to());
    }
    while (true) {
      long rows = 0;
      long tooMany = Long.MAX_VALUE; // start of the bucket that exceeds the limit
      for (int row = 0; row < of.counts().rowCount() && tooMany == Long.MAX_VALUE; row++) {
        long bucket = of.counts().longValue(row, 0);
        if (bucket + of.unit() > position) {
          rows += of.counts().longValue(row, 1);
          tooMany = rows > most ? bucket : tooMany;
        }
      }
      if (tooMany > position) {
        return Math.min(of.to(), tooMany);
      }
      long end = Math.min(of.to(), tooMany + of.unit());
      if (of.unit() == slide) {
        return end;
      }
      of = count(position, end);
    }
  }

  private Counted count(long from, long to) throws IOException {
    long unit = -Math.floorDiv(from - to, BUCKETS * slide) * slide;
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
    ResultTable counts = ArchiveQuery.run(snapshots, query, QueryOptions.DEFAULTS).table();
    Counted now = new Counted(counts, unit, from, to);
    counted = now;
    return now;
  }

  @Override
  public void close() {}
}
