package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Vector;

/**
 * A filter of several queries and the rows that it chose of the stretch that was asked for last.
 * Made by {@link SharedExpressions}. Not thread-safe.
 */
public final class SharedSelection {
  private final CompiledPredicate filter;
  private final int[] rows = new int[Vector.CAPACITY];
  private final KnownRows stretch = new KnownRows();
  private int chosen;

  SharedSelection(CompiledPredicate filter) {
    this.filter = filter;
  }

  /**
   * Chooses rows as {@link CompiledPredicate#select(FlowRows, int, int, int[])}, where that has not
   * been done.
   *
   * @return how many were chosen; they are in {@link #rows}
   */
  public int select(FlowRows of, int from, int count) {
    if (!stretch.is(of, from, count)) {
      stretch.clear(); // should it fail, nothing is known
      chosen = filter.select(of, from, count, rows);
      stretch.set(of, from, count);
    }
    return chosen;
  }

  /** The chosen rows relative to the first, ascending; only read. */
  public int[] rows() {
    return rows;
  }
}
