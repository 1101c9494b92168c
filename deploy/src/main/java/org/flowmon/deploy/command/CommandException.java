package org.flowmon.deploy.command;

/** Fails a command with words for the user; exit code 3, 2 for a {@link UsageException}. */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }
}
