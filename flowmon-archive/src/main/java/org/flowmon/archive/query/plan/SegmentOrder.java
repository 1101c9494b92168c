package org.flowmon.archive.query.plan;

import java.util.Comparator;
import java.util.List;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;

/**
 * Reads segments by {@code end_time}, and backwards if the newest rows come first. For {@code ORDER
 * BY end_time … LIMIT} later segments are not read once there are enough rows.
 */
public final class SegmentOrder {
  private final boolean descending;
  private final boolean canStop;
  private final long limit;

  private SegmentOrder(boolean descending, boolean canStop, long limit) {
    this.descending = descending;
    this.canStop = canStop;
    this.limit = limit;
  }

  public static SegmentOrder of(FlowQuery query) {
    boolean byEndTime = false;
    boolean descending = false;
    boolean nullsFirst = false;
    if (!query.isAggregated() && !query.orderBy().isEmpty()) {
      OrderItem first = query.orderBy().get(0);
      byEndTime =
          first.what() instanceof Expression.Column column
              && column.column() == FlowColumn.END_TIME;
      descending = byEndTime && first.descending();
      nullsFirst = first.nullsFirst();
    }
    return new SegmentOrder(
        descending, byEndTime && !nullsFirst && query.limit() >= 0, query.limit());
  }

  public void sort(List<SealedSegment> segments) {
    Comparator<SealedSegment> order =
        descending
            ? Comparator.comparingLong((SealedSegment s) -> s.endTime().max()).reversed()
            : Comparator.comparingLong(s -> s.endTime().min());
    segments.sort(order.thenComparing(SealedSegment::id));
  }

  /**
   * Whether no row from {@code next} on can be among the first: {@code matched} rows have known
   * times; {@code min … max} are those of the segments read.
   */
  public boolean isDone(long matched, long min, long max, SealedSegment next) {
    return canStop
        && matched >= limit
        && (descending ? next.endTime().max() < min : next.endTime().min() > max);
  }
}
