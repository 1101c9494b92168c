package org.flowmon.archive.rollup;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.flowmon.flow.FlowColumn;

/** The measures of a rollup and their streams in a slice. Immutable. */
public final class RollupMeasures {
  /**
   * The streams of a measure: of the count of its values if some are NULL, which an estimate leaves
   * to its column; of its sums' lowest 64 bits; of the bits from 64 on, −1 if sums are below 2^63.
   */
  record Streams(Measure measure, boolean hasNulls, int values, int sum, int high) {
    /** The measure of a rollup that is added to this one, empty if it is NULL in all its rows. */
    Optional<Measure> in(Rollup rollup) {
      Measure plain = Measure.of(measure.column());
      return Optional.of(rollup.has(measure) ? measure : plain).filter(rollup::has);
    }
  }

  static final int ROWS = 1;

  private final List<Streams> measures = new ArrayList<>();
  private int streams = RollupFormat.FIRST_MEASURE_STREAM;

  /**
   * The measures of several rollups together: a measure that one lacks is NULL in its rows, an
   * estimate its column. Sums of {@code wide} measures may reach 2^63, if that does not follow from
   * the rollups.
   */
  public RollupMeasures(Collection<Rollup> rollups, Collection<Measure> wide) {
    for (FlowColumn column : RollupFormat.MEASURES) {
      add(Measure.of(column), rollups, wide);
      add(Measure.estimateOf(column), rollups, wide);
    }
  }

  private void add(Measure measure, Collection<Rollup> rollups, Collection<Measure> wide) {
    boolean any = false;
    boolean nulls = false;
    boolean isWide = wide.contains(measure);
    for (Rollup rollup : rollups) {
      boolean has = rollup.has(measure);
      any |= has;
      nulls |= !has || rollup.valuesStream(measure) != rollup.rowsStream();
      Measure added = has ? measure : Measure.of(measure.column());
      isWide |= rollup.highStream(added) >= 0;
    }
    if (any) {
      boolean hasNulls = nulls && !measure.isEstimate();
      int values = hasNulls ? streams++ : ROWS;
      int sum = streams++;
      measures.add(new Streams(measure, hasNulls, values, sum, isWide ? streams++ : -1));
    }
  }

  List<Streams> measures() {
    return measures;
  }

  public int streams() {
    return streams;
  }
}
