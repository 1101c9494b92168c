package org.flowmon.archive.rollup;

import java.util.List;
import org.flowmon.flow.FlowColumn;

/**
 * Names and sizes of rollup blobs; {@code docs/format/sidecar.md} is the specification.
 *
 * <pre>
 *   blob:  u32 d | u32 slices | u32 measures | measures × (u16 column, u16 flags)
 *          | slices × (i64 hour, u32 outgoing, u32 cells, u32 offset, u32 length) | data of slices
 *   slice: u32 first id of each block | u32 begin of each block of each stream, u32 length | blocks
 * </pre>
 */
public final class RollupFormat {
  /** Blob type: slices of all rows. */
  public static final String TOTALS = "flowmon-totals-v1";

  /** Blob type: slices by hour of {@code end_time}. */
  public static final String HOURS = "flowmon-hours-v1";

  /** As {@link #TOTALS}, with estimates. */
  public static final String TOTALS_2 = "flowmon-totals-v2";

  /** As {@link #HOURS}, with estimates. */
  public static final String HOURS_2 = "flowmon-hours-v2";

  public static final List<FlowColumn> DIMENSIONS =
      List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR);

  /** The columns of measures, each of which may have an estimate besides. */
  public static final List<FlowColumn> MEASURES =
      List.of(
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.REVERSE_BYTES,
          FlowColumn.REVERSE_PACKETS);

  public static final long HOUR_MICROS = 3_600_000_000L;

  /** The hour of rows without {@code end_time}. */
  public static final long NO_HOUR = Long.MAX_VALUE;

  /** {@code outgoing} of a slice if it is NULL; else 0 or 1. */
  public static final int OUTGOING_NULL = 2;

  public static final int BLOCK = 256;

  static final int HEADER_BYTES = 12;
  static final int MEASURE_BYTES = 4;
  static final int SLICE_BYTES = 24;
  static final int FLAG_NULLS = 1;
  static final int FLAG_WIDE = 2;
  static final int FLAG_ESTIMATE = 4;

  /** Number of streams before those of the measures: ids, rows. */
  static final int FIRST_MEASURE_STREAM = 2;

  private RollupFormat() {}

  /** The UTC hour of a time in µs. */
  public static long hour(long micros) {
    return Math.floorDiv(micros, HOUR_MICROS);
  }
}
