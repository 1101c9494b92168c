package org.flowmon.archive.derived;

/** A run of a version that this program does not read. */
public final class ForeignRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ForeignRunException(String message) {
    super(message);
  }
}
