package org.flowmon.deploy.command;

/** Signals that the process was told to end, which was reported already. */
public final class InterruptedCommandException extends CommandException {
  private static final long serialVersionUID = 1L;

  public InterruptedCommandException() {
    super("interrupted");
  }

  public InterruptedCommandException(Throwable cause) {
    this();
    initCause(cause);
  }
}
