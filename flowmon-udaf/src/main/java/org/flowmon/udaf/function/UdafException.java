package org.flowmon.udaf.function;

/** A call that a function rejects, or a function that does not exist. */
public final class UdafException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int argument;

  public UdafException(String message) {
    this(message, -1);
  }

  /** {@code argument} is its place from 0; −1 for none. */
  public UdafException(String message, int argument) {
    super(message);
    this.argument = argument;
  }

  /** −1 if there is none. */
  public int argument() {
    return argument;
  }
}
