package org.flowmon.archive.rollup;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.flowmon.flow.FlowColumn;

/** The measures of a rollup and their streams in a slice. Immutable. */
public final class RollupMeasures {
  /**
   * One measure and its streams: of the count of its values, that of rows if none is NULL; of its
   * sums' lowest 64 bits; of the bits from 64 on, −1 if sums are below 2^63.
   */
  record Measure(FlowColumn column, boolean hasNulls, int values, int sum, int high) {
    int flags() {
      return (hasNulls ? RollupFormat.FLAG_NULLS : 0) | (high >= 0 ? RollupFormat.FLAG_WIDE : 0);
    }
  }

  static final int ROWS = 1;

  private final List<Measure> measures = new ArrayList<>();
  private final int streams;

  /**
   * The measures of several rollups together: a measure that one lacks is NULL in its rows. Sums of
   * {@code wide} columns may reach 2^63, if that does not follow from the rollups.
   */
  public RollupMeasures(Collection<Rollup> rollups, Collection<FlowColumn> wide) {
    int next = RollupFormat.FIRST_MEASURE_STREAM;
    for (FlowColumn column : RollupFormat.MEASURES) {
      boolean any = false;
      boolean nulls = false;
      boolean isWide = wide.contains(column);
      for (Rollup rollup : rollups) {
        boolean has = rollup.has(column);
        any |= has;
        nulls |= !has || rollup.valuesStream(column) != rollup.rowsStream();
        isWide |= has && rollup.highStream(column) >= 0;
      }
      if (any) {
        int values = nulls ? next++ : ROWS;
        int sum = next++;
        measures.add(new Measure(column, nulls, values, sum, isWide ? next++ : -1));
      }
    }
    streams = next;
  }

  List<Measure> measures() {
    return measures;
  }

  public int streams() {
    return streams;
  }
}
