package org.flowmon.deploy.command;

/**
 * Signals that a command cannot do its work; the message is for the user. Exit code 3, or 2 for a
 * {@link UsageException}.
 */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }
}
