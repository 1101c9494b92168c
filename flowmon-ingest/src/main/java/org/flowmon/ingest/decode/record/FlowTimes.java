package org.flowmon.ingest.decode.record;

import org.flowmon.ingest.decode.record.InformationElement.Transform;

/**
 * A block's start, end and duration from absolute times, uptimes and times before the export.
 *
 * <p>No time is believed that lies after export and arrival by more than a day, or before the year
 * 2000. One that another unit or epoch puts near the export is corrected so: exporters write
 * seconds for milliseconds, or 1970's microseconds for NTP's. An exporter whose clock is not set,
 * or more than a year ahead, is corrected by the arrival. Each correction is in {@code time_flags}.
 */
final class FlowTimes {
  static final int START_CORRECTED = 1;
  static final int END_CORRECTED = 2;
  static final int START_DROPPED = 4;
  static final int END_DROPPED = 8;
  static final int CLOCK_IS_OFF = 16;

  /** 2000-01-01: before it an exporter's clock was not set. */
  private static final long LEAST = 946_684_800_000_000L;

  private static final long UNKNOWN = Long.MIN_VALUE;
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final long LONGEST = 50 * DAY; // an uptime's 2^32 ms
  private static final long UPTIME_WRAP = (1L << 32) * 1000;
  private static final long NTP_TO_1970_SECONDS = 2_208_988_800L;
  private static final long HALF = 1L << 31; // half of the fraction's unit: round

  final long[] start = new long[RecordBlock.ROWS];
  final long[] end = new long[RecordBlock.ROWS];
  final long[] duration = new long[RecordBlock.ROWS];
  final long[] flags = new long[RecordBlock.ROWS];
  // Bit i: row i has the time. A time that is not there is 0.
  long hasStart;
  long hasEnd;
  long hasDuration;
  long hasFlags;

  // Of the datagram. The export by a clock that is right, 0 if there is none.
  private long now;
  private long shift;
  private long latest;
  private boolean clockIsOff;

  // Of the row.
  private int rowFlags;

  void derive(RecordBlock block, DatagramHeader header) {
    readClock(header);
    hasStart = 0;
    hasEnd = 0;
    hasDuration = 0;
    hasFlags = 0;
    for (int i = 0; i < block.rows(); i++) {
      derive(block, header, i);
    }
  }

  private void readClock(DatagramHeader header) {
    // A file without exporters arrives by its own export times.
    boolean arrived = header.exporter != null && header.received >= LEAST;
    boolean isSet = header.exportTime >= LEAST;
    boolean isAhead = header.exportTime - header.received > 366 * DAY;
    now = arrived && (!isSet || isAhead) ? header.received : header.exportTime;
    shift = now - header.exportTime;
    latest = Math.max(now, arrived ? header.received : 0) + DAY;
    clockIsOff = arrived && Math.abs(header.exportTime - header.received) > HOUR;
  }

  private void derive(RecordBlock block, DatagramHeader header, int row) {
    rowFlags = 0;
    boolean hasFirst = block.isSet(Slot.START_UPTIME, row);
    boolean hasLast = block.isSet(Slot.END_UPTIME, row);
    long first = block.values(Slot.START_UPTIME)[row];
    long last = block.values(Slot.END_UPTIME)[row];
    if (hasFirst && first == 0 && last != 0 && hasLast && header.zeroStartIsUnknown) {
      hasFirst = false;
    }
    long from =
        block.isSet(Slot.START, row)
            ? absolute(block, Slot.START, row, START_CORRECTED, START_DROPPED)
            : relative(block, header, row, hasFirst, first, Slot.START_DELTA, START_CORRECTED);
    long to =
        block.isSet(Slot.END, row)
            ? absolute(block, Slot.END, row, END_CORRECTED, END_DROPPED)
            : relative(block, header, row, hasLast, last, Slot.END_DELTA, END_CORRECTED);
    long lasted =
        block.isSet(Slot.DURATION, row)
            ? block.values(Slot.DURATION)[row]
            : hasFirst && hasLast && (int) (last - first) >= 0
                ? (int) (last - first) * 1000L
                : UNKNOWN;
    if (from != UNKNOWN && to != UNKNOWN) {
      if (from > to || to - from < 0) {
        block.countImplausible();
        rowFlags |= START_DROPPED;
        from = UNKNOWN;
        lasted = UNKNOWN;
      } else {
        lasted = to - from;
      }
    } else if (to != UNKNOWN && lasted != UNKNOWN && lasted <= LONGEST) {
      from = to - lasted;
    } else if (from != UNKNOWN && lasted != UNKNOWN && lasted <= LONGEST) {
      to = from + lasted;
    }
    if (to == UNKNOWN && now != 0) {
      to = from == UNKNOWN ? now : Math.max(from, now);
    }
    start[row] = from == UNKNOWN ? 0 : from;
    end[row] = to == UNKNOWN ? 0 : to;
    duration[row] = lasted == UNKNOWN ? 0 : lasted;
    hasStart |= bit(from, row);
    hasEnd |= bit(to, row);
    hasDuration |= bit(lasted, row);
    flags[row] = rowFlags | (clockIsOff ? CLOCK_IS_OFF : 0);
    hasFlags |= flags[row] != 0 ? 1L << row : 0;
    if ((rowFlags & (START_CORRECTED | END_CORRECTED)) != 0) {
      block.countCorrectedTimes();
    }
  }

  private static long bit(long time, int row) {
    return time == UNKNOWN ? 0 : 1L << row;
  }

  private long absolute(RecordBlock block, Slot slot, int row, int corrected, int dropped) {
    long raw = block.values(slot)[row];
    long time = micros(raw, block.transform(slot));
    if (shift != 0 && time != UNKNOWN && isNear(time + shift)) {
      rowFlags |= corrected;
      return time + shift;
    }
    boolean isPlausible = now < LEAST ? time != UNKNOWN : time >= LEAST && time <= latest;
    if (isPlausible) {
      return time;
    }
    for (Transform other : Transform.TIMES) {
      time = micros(raw, other);
      if (now >= LEAST && isNear(time)) {
        rowFlags |= corrected;
        return time;
      }
    }
    rowFlags |= dropped;
    block.countImplausible();
    return UNKNOWN;
  }

  /** Within the longest time that a flow lasts before the export, or a day after it. */
  private boolean isNear(long time) {
    return time != UNKNOWN && time > now - LONGEST && time <= now + DAY;
  }

  /** To µs since 1970; unknown beyond 64 bits. */
  static long micros(long raw, Transform from) {
    return switch (from) {
      case MILLISECONDS -> scaled(raw, 1000);
      case SECONDS -> scaled(raw, 1_000_000);
      case MICROSECONDS -> scaled(raw, 1);
      case NANOSECONDS -> raw < 0 ? UNKNOWN : raw / 1000;
      case NTP -> {
        long seconds = (raw >>> 32) - NTP_TO_1970_SECONDS;
        // Negative: the era that begins in 2036.
        yield fixedPoint(seconds < 0 ? seconds + (1L << 32) : seconds, raw);
      }
      case NTP_OF_1970 -> fixedPoint(raw >>> 32, raw);
      default -> UNKNOWN;
    };
  }

  private static long scaled(long raw, long factor) {
    return raw < 0 || raw > Long.MAX_VALUE / factor ? UNKNOWN : raw * factor;
  }

  private static long fixedPoint(long seconds, long fraction) {
    return seconds * 1_000_000 + (((fraction & 0xFFFF_FFFFL) * 1_000_000 + HALF) >>> 32);
  }

  private long relative(
      RecordBlock block,
      DatagramHeader header,
      int row,
      boolean hasSwitched,
      long switched,
      Slot delta,
      int corrected) {
    if (hasSwitched && block.isSet(Slot.SYSTEM_INIT, row) && !header.uptimeIsHeaders) {
      return sinceInit(block.values(Slot.SYSTEM_INIT)[row], switched);
    }
    if (now == 0 || (!(hasSwitched && header.hasUptime) && !block.isSet(delta, row))) {
      return UNKNOWN;
    }
    rowFlags |= shift != 0 ? corrected : 0;
    return hasSwitched && header.hasUptime
        ? header.timeOfUptime(now, switched)
        : now - block.values(delta)[row];
  }

  /** The last time before the export that the uptime, which wraps, can mean. */
  private long sinceInit(long init, long switched) {
    long time = init + shift + switched * 1000;
    if (init < 0 || time > now + HOUR) {
      return UNKNOWN;
    }
    return now == 0 ? time : time + (now + HOUR - time) / UPTIME_WRAP * UPTIME_WRAP;
  }
}
