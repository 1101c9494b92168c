package org.flowmon.archive.block;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/** Reads any rows into blocks. */
public final class BlockReader {
  private BlockReader() {}

  /** Reads rows {@code from … from + count − 1}. */
  static FlowBlock read(FlowRows rows, Set<FlowColumn> columns, int from, int count) {
    Map<FlowColumn, BlockColumn> values = new TreeMap<>();
    for (FlowColumn column : columns) {
      values.put(column, read(rows, column, from, count));
    }
    return new FlowBlock(
        new BlockColumns(values), times(rows, values, from, count), null, 0, 0, count);
  }

  private static BlockColumn read(FlowRows rows, FlowColumn column, int from, int count) {
    boolean[] isNull = isNull(rows, column, from, count);
    if (column.type() == ColumnType.TEXT) {
      String[] text = new String[count];
      rows.readTexts(column, from, count, text);
      return new BlockColumn(new long[0], new long[0], text, isNull);
    }
    long[] low = new long[count];
    long[] high = {};
    if (column.type() == ColumnType.ADDRESS) {
      high = new long[count];
      rows.readAddresses(column, from, count, high, low);
    } else {
      rows.readLongs(column, from, count, low);
    }
    return new BlockColumn(low, high, new String[0], isNull);
  }

  private static boolean @Nullable [] isNull(
      FlowRows rows, FlowColumn column, int from, int count) {
    FlowRows.Presence presence = rows.presence(column);
    if (presence == FlowRows.Presence.DENSE || presence == FlowRows.Presence.CONSTANT) {
      return null;
    }
    long[] valid = new long[(count + 63) >>> 6];
    rows.readValidity(column, from, count, valid);
    boolean[] isNull = new boolean[count];
    for (int i = 0; i < count; i++) {
      isNull[i] = (valid[i >>> 6] >>> i & 1) == 0;
    }
    return isNull;
  }

  private static long[] times(
      FlowRows rows, Map<FlowColumn, BlockColumn> read, int from, int count) {
    BlockColumn ends = read.get(FlowColumn.END_TIME);
    ends = ends != null ? ends : read(rows, FlowColumn.END_TIME, from, count);
    BlockColumn arrivals = read.get(FlowColumn.ARRIVAL);
    arrivals = arrivals != null ? arrivals : read(rows, FlowColumn.ARRIVAL, from, count);
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      long arrival = arrivals.low[i];
      boolean isUnknown = ends.isNull != null && ends.isNull[i];
      times[i] = isUnknown ? arrival : TimeKey.of(ends.low[i], arrival);
    }
    return times;
  }
}
