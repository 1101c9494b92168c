package org.flowmon.udaf.vector;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;

/**
 * The stretch of rows that something is known of, so that it need not be found out again for the
 * same one. A batch is immutable: the same object at the same place is the same rows. Of other
 * rows, which may be filled anew, nothing is remembered.
 */
public final class KnownRows {
  private FlowRows rows;
  private int from;
  private int count;

  /** Whether it is this one. */
  public boolean is(FlowRows otherRows, int otherFrom, int otherCount) {
    return rows != null && rows == otherRows && from == otherFrom && count == otherCount;
  }

  /** Nothing is known any more. */
  public void clear() {
    rows = null;
  }

  /** It is this one from now on; a batch is held until it is another. */
  public void set(FlowRows ofRows, int first, int number) {
    rows = ofRows instanceof FlowBatch ? ofRows : null;
    from = first;
    count = number;
  }
}
