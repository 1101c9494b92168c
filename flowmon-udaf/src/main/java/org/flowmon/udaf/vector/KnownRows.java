package org.flowmon.udaf.vector;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/**
 * The stretch of rows of a cached result. A batch is immutable: the same object and place are the
 * same rows. Others may be filled anew, and are never remembered.
 */
public final class KnownRows {
  private @Nullable FlowRows rows;
  private int from;
  private int count;

  public boolean is(@Nullable FlowRows otherRows, int otherFrom, int otherCount) {
    return rows != null && rows == otherRows && from == otherFrom && count == otherCount;
  }

  public void clear() {
    rows = null;
  }

  /** The batch is held until the next one. */
  public void set(@Nullable FlowRows ofRows, int first, int number) {
    rows = ofRows instanceof FlowBatch ? ofRows : null;
    from = first;
    count = number;
  }
}
