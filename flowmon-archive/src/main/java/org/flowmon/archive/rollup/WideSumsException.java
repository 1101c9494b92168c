package org.flowmon.archive.rollup;

import org.flowmon.flow.FlowColumn;

/** A sum reached 2^63 in a measure that was assumed to have none. */
public final class WideSumsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final FlowColumn measure;

  WideSumsException(FlowColumn measure) {
    super("a sum of " + measure.sqlName() + " does not fit 63 bits", null, false, false);
    this.measure = measure;
  }

  public FlowColumn measure() {
    return measure;
  }
}
