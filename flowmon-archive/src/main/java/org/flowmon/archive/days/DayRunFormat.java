package org.flowmon.archive.days;

import org.flowmon.archive.derived.RunFrame;
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
  public static final long DAY_MICROS = 24 * RollupFormat.HOUR_MICROS;

  /** The day of rows without {@code end_time}. */
  public static final long NO_DAY = RollupFormat.NO_HOUR;

  static final RunFrame FRAME =
      new RunFrame('F' | 'L' << 8 | 'D' << 16 | 'Y' << 24, 1, 2, 36, "tables");

  /** The first version with estimates. */
  static final int WITH_ESTIMATES = 2;

  static final int COLUMN_BYTES = 36;
  static final long COLUMNS_BYTES = (long) COLUMN_BYTES * RollupFormat.DIMENSIONS.size();
  // Minimum bytes of a segment entry: the segment, columns, number of days.
  static final int LEAST_SHARE_BYTES = RunFrame.LEAST_COVERED_BYTES + 1 + Integer.BYTES;
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
