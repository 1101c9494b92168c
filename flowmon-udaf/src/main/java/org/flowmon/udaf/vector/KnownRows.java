package org.flowmon.udaf.vector;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/**
 * The stretch of rows of a cached result. A batch is immutable: the same object and place are the
 * same rows. {@link ChosenRows} say which choice they hold. Others are never remembered.
 */
public final class KnownRows {
  private @Nullable FlowRows rows;
  private int from;
  private int count;
  private long choice;

  public boolean is(@Nullable FlowRows otherRows, int otherFrom, int otherCount) {
    return rows != null
        && rows == otherRows
        && from == otherFrom
        && count == otherCount
        && choice == choiceOf(otherRows);
  }

  private static long choiceOf(@Nullable FlowRows rows) {
    return rows instanceof ChosenRows chosen ? chosen.choice() : 0;
  }

  public void clear() {
    rows = null;
  }

  /** The rows are held until the next ones. */
  public void set(@Nullable FlowRows ofRows, int first, int number) {
    choice = choiceOf(ofRows);
    boolean isKnown = ofRows instanceof FlowBatch || choice > 0;
    rows = isKnown ? ofRows : null;
    from = first;
    count = number;
  }
}
