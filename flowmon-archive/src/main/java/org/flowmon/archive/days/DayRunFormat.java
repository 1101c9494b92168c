package org.flowmon.archive.days;

import org.flowmon.archive.rollup.RollupFormat;

/**
 * Constants of the layout; {@code docs/format/days.md} is the specification.
 *
 * <pre>
 *   header | dictionary, rollup by source | dictionary, rollup by destination | tables | tail
 *   tables: of each column: parts of the dictionary, places, checksums | segments
 * </pre>
 */
public final class DayRunFormat {
  /** Microseconds of a day. */
  public static final long DAY_MICROS = 24 * RollupFormat.HOUR_MICROS;

  /** The day of rows without {@code end_time}. */
  public static final long NO_DAY = RollupFormat.NO_HOUR;

  static final int MAGIC = 'F' | 'L' << 8 | 'D' << 16 | 'Y' << 24;
  static final int VERSION = 1;
  static final int HEADER_BYTES = 8;
  static final int TAIL_BYTES = 36;
  static final int COLUMN_BYTES = 36;
  static final int MAX_DAYS = 4096;
  static final String SUFFIX = ".days";

  private DayRunFormat() {}

  /** The UTC day of a time in µs. */
  public static long day(long micros) {
    return Math.floorDiv(micros, DAY_MICROS);
  }

  /** The day of an hour, {@link #NO_DAY} of {@link RollupFormat#NO_HOUR}. */
  static long dayOfHour(long hour) {
    return hour == RollupFormat.NO_HOUR ? NO_DAY : Math.floorDiv(hour, 24);
  }
}
