package org.flowmon.jobs.replay;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.FlowRows.Presence;

/** Converts rows of the archive to batches of flows, column by column. Not thread-safe. */
final class ArchivedBatches {
  static final int ROWS = 1024;

  private final FlowColumn[] columns;
  private final FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
  private final long[] low = new long[ROWS];
  private final long[] high = new long[ROWS];
  private final long[] valid = new long[ROWS >>> 6];
  private final byte[][] texts = new byte[ROWS][];

  ArchivedBatches(Set<FlowColumn> columns) {
    this.columns = columns.toArray(FlowColumn[]::new);
  }

  /** Returns a batch of 1 … {@link #ROWS} rows. */
  FlowBatch batch(FlowRows rows, int from, int count) {
    builder.clear();
    builder.beginRows(count);
    for (FlowColumn column : columns) {
      if (rows.presence(column) != Presence.ABSENT) {
        copy(rows, column, from, count);
      }
    }
    builder.endRows();
    return FlowBatch.open(builder.build(0, 0, 0, 0));
  }

  private void copy(FlowRows rows, FlowColumn column, int from, int count) {
    long[] set = FlowBatchBuilder.ALL_SET;
    if (rows.presence(column) == Presence.NULLABLE) {
      rows.readValidity(column, from, count, valid);
      set = valid;
    }
    switch (column.type()) {
      case ADDRESS -> {
        rows.readAddresses(column, from, count, high, low);
        builder.setAddressColumn(column, high, low, set);
      }
      case TEXT -> {
        for (int i = 0; i < count; i++) {
          String text = rows.text(column, from + i);
          texts[i] = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }
        builder.setTextColumn(column, texts, set);
      }
      default -> {
        rows.readLongs(column, from, count, low);
        builder.setColumn(column, low, set);
      }
    }
  }
}
