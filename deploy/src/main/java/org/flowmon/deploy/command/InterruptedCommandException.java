package org.flowmon.deploy.command;

/**
 * Signals that the process was told to end. This was reported already, so the command reports
 * nothing more.
 */
public final class InterruptedCommandException extends CommandException {
  private static final long serialVersionUID = 1L;

  public InterruptedCommandException() {
    super("interrupted");
  }

  /** Wraps the exception of an ended wait. */
  public InterruptedCommandException(Throwable cause) {
    this();
    initCause(cause);
  }
}
