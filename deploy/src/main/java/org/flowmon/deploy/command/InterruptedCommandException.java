package org.flowmon.deploy.command;

/**
 * The process was told to end, which it has said already: a command that ends by it says no more.
 */
final class InterruptedCommandException extends CommandException {
  private static final long serialVersionUID = 1L;

  InterruptedCommandException() {
    super("interrupted");
  }

  /** What was waited for was ended. */
  InterruptedCommandException(Throwable cause) {
    this();
    initCause(cause);
  }
}
