package org.flowmon.archive.rollup;

/** A sum reached 2^63 in a measure that was assumed to have none. */
public final class WideSumsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Measure measure;

  WideSumsException(Measure measure) {
    super("a sum of " + measure + " does not fit 63 bits", null, false, false);
    this.measure = measure;
  }

  public Measure measure() {
    return measure;
  }
}
