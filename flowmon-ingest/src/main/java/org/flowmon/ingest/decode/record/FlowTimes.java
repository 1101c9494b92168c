package org.flowmon.ingest.decode.record;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/**
 * Derives start, end and duration of a block of records from their fields: absolute times, times of
 * the exporter's uptime, times before the export.
 */
final class FlowTimes {
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final long[] start = new long[RecordBlock.ROWS];
  private final long[] end = new long[RecordBlock.ROWS];
  private final long[] duration = new long[RecordBlock.ROWS];
  private final long[] word = new long[1];

  /** Sets the three columns of the open rows. */
  void write(RecordBlock block, DatagramHeader header, FlowBatchBuilder builder) {
    for (int i = 0; i < block.rows(); i++) {
      tell(block, header, i);
    }
    put(builder, FlowColumn.START_TIME, start, block.rows());
    put(builder, FlowColumn.END_TIME, end, block.rows());
    put(builder, FlowColumn.DURATION, duration, block.rows());
  }

  private void tell(RecordBlock block, DatagramHeader header, int row) {
    boolean hasFirst = block.isSet(Slot.START_UPTIME, row);
    boolean hasLast = block.isSet(Slot.END_UPTIME, row);
    long first = block.values(Slot.START_UPTIME)[row];
    long last = block.values(Slot.END_UPTIME)[row];
    if (hasFirst && first == 0 && last != 0 && hasLast && header.zeroStartIsUnknown) {
      hasFirst = false;
    }
    long from = absolute(block, header, row, Slot.START, hasFirst, first, Slot.START_DELTA);
    long to = absolute(block, header, row, Slot.END, hasLast, last, Slot.END_DELTA);
    long lasted =
        block.isSet(Slot.DURATION, row)
            ? block.values(Slot.DURATION)[row]
            : hasFirst && hasLast && (int) (last - first) >= 0
                ? (int) (last - first) * 1000L
                : UNKNOWN;
    if (from != UNKNOWN && to != UNKNOWN) {
      if (from > to || to - from < 0) {
        block.countImplausible();
        from = UNKNOWN;
        lasted = UNKNOWN;
      } else {
        lasted = to - from;
      }
    } else if (to != UNKNOWN && lasted != UNKNOWN && to - lasted <= to) {
      from = to - lasted;
    } else if (from != UNKNOWN && lasted != UNKNOWN && from + lasted >= from) {
      to = from + lasted;
    }
    if (to == UNKNOWN && header.exportTime != 0) {
      to = from == UNKNOWN ? header.exportTime : Math.max(from, header.exportTime);
    }
    start[row] = from;
    end[row] = to;
    duration[row] = lasted;
  }

  private static long absolute(
      RecordBlock block,
      DatagramHeader header,
      int row,
      Slot absolute,
      boolean hasSwitched,
      long switched,
      Slot delta) {
    if (block.isSet(absolute, row)) {
      return block.values(absolute)[row];
    }
    if (header.exportTime == 0) {
      return UNKNOWN;
    }
    if (hasSwitched && header.hasUptime) {
      return header.timeOfUptime(switched);
    }
    return block.isSet(delta, row) ? header.exportTime - block.values(delta)[row] : UNKNOWN;
  }

  private void put(FlowBatchBuilder builder, FlowColumn column, long[] values, int rows) {
    long set = 0;
    for (int i = 0; i < rows; i++) {
      if (values[i] != UNKNOWN) {
        set |= 1L << i;
      } else {
        values[i] = 0;
      }
    }
    if (set != 0) {
      word[0] = set;
      builder.setColumn(column, values, set == -1L >>> (64 - rows) ? null : word);
    }
  }
}
