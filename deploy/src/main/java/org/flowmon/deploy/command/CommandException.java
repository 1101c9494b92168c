package org.flowmon.deploy.command;

import org.jspecify.annotations.Nullable;

/** Fails a command with words for the user; exit code 3, 2 for a {@link UsageException}. */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** {@code message} may be that of a cause, which may have none. */
  public CommandException(@Nullable String message) {
    super(message);
  }
}
