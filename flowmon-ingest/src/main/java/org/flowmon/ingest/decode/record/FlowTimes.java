package org.flowmon.ingest.decode.record;

/** A block's start, end and duration from absolute times, uptimes and times before the export. */
final class FlowTimes {
  private static final long UNKNOWN = Long.MIN_VALUE;

  final long[] start = new long[RecordBlock.ROWS];
  final long[] end = new long[RecordBlock.ROWS];
  final long[] duration = new long[RecordBlock.ROWS];
  // Bit i: row i has the time. A time that is not there is 0.
  long hasStart;
  long hasEnd;
  long hasDuration;

  void derive(RecordBlock block, DatagramHeader header) {
    hasStart = 0;
    hasEnd = 0;
    hasDuration = 0;
    for (int i = 0; i < block.rows(); i++) {
      derive(block, header, i);
    }
  }

  private void derive(RecordBlock block, DatagramHeader header, int row) {
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
    start[row] = from == UNKNOWN ? 0 : from;
    end[row] = to == UNKNOWN ? 0 : to;
    duration[row] = lasted == UNKNOWN ? 0 : lasted;
    hasStart |= bit(from, row);
    hasEnd |= bit(to, row);
    hasDuration |= bit(lasted, row);
  }

  private static long bit(long time, int row) {
    return time == UNKNOWN ? 0 : 1L << row;
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
}
