package org.flowmon.it.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/** Those flows of batches whose retention time is not before a cutoff: by their definition. */
final class VisibleRows implements FlowRows {
  private static final long HOUR = 3_600_000_000L;

  private final FlowBatch batch;
  private final int[] rows;

  private VisibleRows(FlowBatch batch, int[] rows) {
    this.batch = batch;
    this.rows = rows;
  }

  /** The smaller of {@code end_time} and an hour after {@code arrival}; else {@code arrival}. */
  private static long time(FlowBatch batch, int row) {
    long[] value = new long[1];
    batch.readLongs(FlowColumn.ARRIVAL, row, 1, value);
    long arrival = value[0];
    batch.readValidity(FlowColumn.END_TIME, row, 1, value);
    if (value[0] == 0) {
      return arrival;
    }
    batch.readLongs(FlowColumn.END_TIME, row, 1, value);
    return Math.min(value[0], arrival + HOUR);
  }

  /** The times of all flows, ascending. */
  static long[] times(List<FlowBatch> flows) {
    return flows.stream()
        .flatMapToLong(
            batch ->
                java.util.stream.LongStream.range(0, batch.rows()).map(r -> time(batch, (int) r)))
        .sorted()
        .toArray();
  }

  /** Views of the flows from a time on. */
  static List<FlowRows> from(List<FlowBatch> flows, long cutoff) {
    List<FlowRows> visible = new ArrayList<>();
    for (FlowBatch batch : flows) {
      int[] rows = new int[batch.rows()];
      int n = 0;
      for (int r = 0; r < batch.rows(); r++) {
        if (time(batch, r) >= cutoff) {
          rows[n++] = r;
        }
      }
      if (n > 0) {
        visible.add(new VisibleRows(batch, Arrays.copyOf(rows, n)));
      }
    }
    return visible;
  }

  @Override
  public int rows() {
    return rows.length;
  }

  @Override
  public Presence presence(FlowColumn column) {
    Presence all = batch.presence(column);
    return all == Presence.ABSENT ? all : Presence.NULLABLE;
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    long[] one = new long[1];
    for (int i = 0; i < count; i++) {
      batch.readLongs(column, rows[from + i], 1, one);
      out[i] = one[0];
    }
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    long[] high = new long[1];
    long[] low = new long[1];
    for (int i = 0; i < count; i++) {
      batch.readAddresses(column, rows[from + i], 1, high, low);
      hi[i] = high[0];
      lo[i] = low[0];
    }
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    Arrays.fill(words, 0, (count + 63) >>> 6, 0);
    long[] one = new long[1];
    for (int i = 0; i < count; i++) {
      batch.readValidity(column, rows[from + i], 1, one);
      words[i >>> 6] |= one[0] << i;
    }
  }

  @Override
  public String text(FlowColumn column, int row) {
    return column.type() == ColumnType.TEXT ? batch.text(column, rows[row]) : null;
  }
}
