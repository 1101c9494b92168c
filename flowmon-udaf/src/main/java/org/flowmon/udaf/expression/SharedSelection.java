package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Vector;

/** A filter of {@link SharedExpressions}, the last stretch's rows chosen. Not thread-safe. */
public final class SharedSelection {
  private final CompiledPredicate filter;
  private final int[] rows = new int[Vector.CAPACITY];
  private final KnownRows stretch = new KnownRows();
  private int chosen;

  SharedSelection(CompiledPredicate filter) {
    this.filter = filter;
  }

  /** Like {@link CompiledPredicate#select(FlowRows, int, int, int[])}, into {@link #rows}. */
  public int select(FlowRows of, int from, int count) {
    if (!stretch.is(of, from, count)) {
      stretch.clear(); // if evaluation fails, no result is valid
      chosen = filter.select(of, from, count, rows);
      stretch.set(of, from, count);
    }
    return chosen;
  }

  /** Relative to the first, ascending; read-only. */
  public int[] rows() {
    return rows;
  }
}
