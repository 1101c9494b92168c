package org.flowmon.udaf.function;

/** A call that a function cannot take, or a function that cannot be found. */
public final class UdafException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int argument;

  /** An error of no argument in particular. */
  public UdafException(String message) {
    this(message, -1);
  }

  /**
   * An error of an argument.
   *
   * @param argument its place among the call's arguments, from 0; −1 where it is none's
   */
  public UdafException(String message, int argument) {
    super(message);
    this.argument = argument;
  }

  /** The place of the argument that is wrong, −1 where none is. */
  public int argument() {
    return argument;
  }
}
