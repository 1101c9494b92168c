package org.flowmon.deploy.command;

/**
 * A command cannot do what was asked; the message is for the person who asked. Exit code 3; 2 where
 * it is a {@link UsageException}.
 */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }
}
