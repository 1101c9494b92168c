package org.flowmon.deploy.command;

/**
 * The process was told to end, which it has said already: a command that ends by it says no more.
 */
public final class InterruptedCommandException extends CommandException {
  private static final long serialVersionUID = 1L;

  public InterruptedCommandException() {
    super("interrupted");
  }

  /** What was waited for was ended. */
  public InterruptedCommandException(Throwable cause) {
    this();
    initCause(cause);
  }
}
