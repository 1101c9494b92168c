package org.flowmon.archive.query.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.value.Value;

/**
 * Cuts segments' rows, which are sorted by {@code end_time}, into slices of it with about as many
 * rows each, in the order of a query. Rows without a time are a slice of their own.
 *
 * <pre>
 *   segments   ├──────────┤
 *                   ├───────────────┤
 *                             ├───────────────┤
 *   slices     │      │     │    │    │   │    │  NULL
 * </pre>
 */
public final class TimeSlices {
  private static final int SAMPLES_PER_SLICE = 8;

  /** Rows that satisfy a condition, and no row of another slice does. */
  public record Slice(Expression condition, List<SealedSegment> segments) {}

  private final OrderItem order;
  private final int rowsOfSlice;
  private final List<long[]> keys = new ArrayList<>(); // of sampled rows
  private final List<SealedSegment> segments = new ArrayList<>();
  private final List<SealedSegment> withNulls = new ArrayList<>();

  /** {@code rowsOfSlice} is estimated; more if many have the same time. */
  public TimeSlices(OrderItem order, int rowsOfSlice) {
    this.order = order;
    this.rowsOfSlice = rowsOfSlice;
  }

  private int step() {
    return Math.max(1, rowsOfSlice / SAMPLES_PER_SLICE);
  }

  /** Adds the rows of a segment within the constraints' times. */
  public void add(SegmentLease lease, Constraints constraints) throws IOException {
    SealedSegment segment = lease.rows().sealed();
    segments.add(segment);
    if (lease.rows().nullCount(FlowColumn.END_TIME) > 0) {
      withNulls.add(segment);
    }
    RowRanges ranges = RowRanges.asked(lease, constraints);
    TimeKeys times = new TimeKeys(lease.rows());
    long[] sampled = new long[(int) (ranges.total() / step()) + ranges.count()];
    int n = 0;
    for (int r = 0; r < ranges.count(); r++) {
      // From the middle of the first step on, so that a sample stands for a step's rows.
      for (long row = (long) ranges.from(r) + step() / 2; row < ranges.to(r); row += step()) {
        sampled[n++] = times.at((int) row);
      }
    }
    keys.add(Arrays.copyOf(sampled, n));
  }

  public List<Slice> all() {
    long[] sampled = keys.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    List<Slice> slices = new ArrayList<>();
    long from = Long.MIN_VALUE;
    for (int i = SAMPLES_PER_SLICE; i < sampled.length; i += SAMPLES_PER_SLICE) {
      if (sampled[i] > from) {
        add(slices, from, sampled[i] - 1);
        from = sampled[i];
      }
    }
    add(slices, from, Long.MAX_VALUE);
    if (order.descending()) {
      Collections.reverse(slices);
    }
    if (!withNulls.isEmpty()) {
      Expression isNull = new Expression.IsNull(new Expression.Column(FlowColumn.END_TIME));
      slices.add(order.nullsFirst() ? 0 : slices.size(), new Slice(isNull, withNulls));
    }
    return slices;
  }

  private void add(List<Slice> slices, long from, long to) {
    List<SealedSegment> some =
        segments.stream().filter(segment -> segment.endTime().overlaps(from, to)).toList();
    if (!some.isEmpty()) {
      List<Expression> both =
          List.of(
              compare(ComparisonOperator.GREATER_OR_EQUAL, from),
              compare(ComparisonOperator.LESS_OR_EQUAL, to));
      slices.add(new Slice(new Expression.And(both), some));
    }
  }

  private static Expression compare(ComparisonOperator operator, long micros) {
    return new Expression.Comparison(
        operator,
        new Expression.Column(FlowColumn.END_TIME),
        new Expression.Literal(Value.ofTimestamp(micros)));
  }
}
