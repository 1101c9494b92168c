package org.flowmon.archive.rollup;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * Sums a segment's rows by address, hour and outgoing during sealing. For each segment: {@link
 * #begin}, {@link #times}, {@link #outgoing}, {@link #rates}, {@link #addresses}, then {@link
 * #measure}, then the blobs. Values and ids are of the rows that are not NULL, {@code valid} has
 * these rows' bits, null if all are. Reuses its arrays. Not thread-safe.
 */
public final class RollupWriter {
  private final RowRuns runs = new RowRuns();
  private final Map<FlowColumn, DimensionCells> dimensions = new TreeMap<>();
  private int rows;
  private byte[] outgoingOf = {};
  private boolean outgoingVaries;
  private int sameOutgoing;
  private boolean isSampled;
  private boolean hasEstimates;
  private long[] rateOf = {};
  private long[] estimates = {};

  public RollupWriter() {
    RollupFormat.DIMENSIONS.forEach(column -> dimensions.put(column, new DimensionCells()));
  }

  /** Begins a segment; its times, {@code outgoing} and rates are NULL by default. */
  public void begin(int segmentRows) {
    rows = segmentRows;
    outgoingVaries = false;
    isSampled = false;
    hasEstimates = false;
    sameOutgoing = RollupFormat.OUTGOING_NULL;
    runs.all(rows);
    runs.hour[0] = RollupFormat.NO_HOUR;
    dimensions.values().forEach(DimensionCells::begin);
  }

  public void times(long[] values, int n, long @Nullable [] valid) {
    runs.hours(rows, values, n, valid);
  }

  /** Adds {@code outgoing}, 0 or 1. */
  public void outgoing(long[] values, int n, long @Nullable [] valid) {
    long first = values[0];
    boolean varies = n < rows;
    for (int i = 0; i < n; i++) {
      varies |= values[i] != first;
    }
    outgoingVaries = varies;
    sameOutgoing = (int) first;
    if (!varies) {
      return;
    }
    if (outgoingOf.length < rows) {
      outgoingOf = new byte[rows];
    }
    int next = 0;
    for (int row = 0; row < rows; row++) {
      boolean isNull = valid != null && (valid[row >>> 6] >>> row & 1) == 0;
      outgoingOf[row] = isNull ? RollupFormat.OUTGOING_NULL : (byte) values[next++];
    }
  }

  /** Adds sampling rates; a NULL is 1. */
  public void rates(long[] values, int n, long @Nullable [] valid) {
    long others = 0;
    for (int i = 0; i < n; i++) {
      others |= values[i] ^ 1;
    }
    isSampled = others != 0;
    if (!isSampled) {
      return;
    }
    if (rateOf.length < rows) {
      rateOf = new long[rows];
      estimates = new long[rows];
    }
    int next = 0;
    for (int row = 0; row < rows; row++) {
      boolean isNull = valid != null && (valid[row >>> 6] >>> row & 1) == 0;
      rateOf[row] = isNull ? 1 : values[next++];
    }
  }

  /** Adds a {@link RollupFormat#DIMENSIONS} column; ids are below the dictionary's {@code size}. */
  public void addresses(FlowColumn column, int[] ids, long @Nullable [] valid, int size) {
    byte[] outgoing = outgoingVaries ? outgoingOf : null;
    cells(column).number(runs, rows, outgoing, sameOutgoing, ids, valid, size);
  }

  private DimensionCells cells(FlowColumn column) {
    return Objects.requireNonNull(dimensions.get(column), column.sqlName());
  }

  /** Adds a {@link RollupFormat#MEASURES} column, in the order of ids; none is negative. */
  public void measure(FlowColumn column, long[] values, int n, long @Nullable [] valid) {
    sum(Measure.of(column), values, n, valid);
    if (isSampled && estimate(values, n, valid)) {
      sum(Measure.estimateOf(column), estimates, n, valid);
      hasEstimates = true;
    }
  }

  private void sum(Measure measure, long[] values, int n, long @Nullable [] valid) {
    long max = 0;
    for (int i = 0; i < n; i++) {
      max = Math.max(max, values[i]);
    }
    boolean wide = Math.multiplyHigh(max, rows) != 0 || max * rows < 0;
    for (DimensionCells cells : dimensions.values()) {
      cells.measure(measure, values, n, valid, wide);
    }
  }

  /** Multiplies values by the rates of their rows; false if a product is 2^63 or more. */
  private boolean estimate(long[] values, int n, long @Nullable [] valid) {
    long beyond = 0;
    int row = -1;
    for (int i = 0; i < n; i++) {
      row++;
      while (valid != null && (valid[row >>> 6] >>> row & 1) == 0) {
        row++;
      }
      estimates[i] = values[i] * rateOf[row];
      beyond |= Math.multiplyHigh(values[i], rateOf[row]) | estimates[i] >>> 63;
    }
    return beyond == 0;
  }

  /** Whether the blobs have estimates: they are of the second version then. */
  public boolean hasEstimates() {
    return hasEstimates;
  }

  /** Appends {@link RollupFormat#TOTALS} of an address column; false if there is none. */
  public boolean writeTotals(FlowColumn column, ByteSink out) {
    return cells(column).writeTotals(out);
  }

  /** Appends {@link RollupFormat#HOURS} of an address column; false if there is none. */
  public boolean writeHours(FlowColumn column, ByteSink out) {
    return cells(column).writeHours(runs, out);
  }
}
