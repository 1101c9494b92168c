package org.flowmon.archive.segment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;

/** The rows of batches as objects, sorted like a segment: slow and obviously right. */
public final class RowsOracle {
  private RowsOracle() {}

  /** Values by ordinal of the column; null, Long, IpAddress or String. */
  public static List<Object[]> sorted(List<FlowBatch> batches) {
    List<Object[]> rows = new ArrayList<>();
    for (FlowBatch batch : batches) {
      for (int row = 0; row < batch.rows(); row++) {
        Object[] values = new Object[FlowColumn.count()];
        for (FlowColumn column : FlowColumn.all()) {
          values[column.ordinal()] = value(batch, column, row);
        }
        rows.add(values);
      }
    }
    rows.sort(
        Comparator.comparingLong(RowsOracle::timeKey)
            .thenComparing(
                r -> (Long) r[FlowColumn.START_TIME.ordinal()],
                Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(r -> (Long) r[FlowColumn.ARRIVAL.ordinal()]));
    return rows;
  }

  private static long timeKey(Object[] row) {
    Long end = (Long) row[FlowColumn.END_TIME.ordinal()];
    long arrival = (Long) row[FlowColumn.ARRIVAL.ordinal()];
    return end == null
        ? Long.valueOf(arrival)
        : Long.valueOf(Math.min(end, arrival + 3_600_000_000L));
  }

  private static Object value(FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return null;
    }
    return switch (column.type()) {
      case ADDRESS -> batch.getAddress(column, row);
      case TEXT -> batch.text(column, row);
      default -> batch.getLong(column, row);
    };
  }
}
