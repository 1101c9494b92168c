package org.flowmon.udaf.state;

/** Bytes that are no state of a function; says what was found, where, and what was expected. */
public final class StateFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StateFormatException(String message) {
    super(message);
  }
}
