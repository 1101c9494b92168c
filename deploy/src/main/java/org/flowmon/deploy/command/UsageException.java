package org.flowmon.deploy.command;

import org.jspecify.annotations.Nullable;

/** Signals unusable arguments: the command line must be changed. Exit code 2. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String hint;
  private final String excerpt;

  /** The message names the option, the value given and the value expected. */
  public UsageException(@Nullable String message) {
    this(message, "");
  }

  /** {@code hint} is a line for people; empty for the command's {@code --help}. */
  public UsageException(@Nullable String message, String hint) {
    this(message, hint, "");
  }

  /** {@code excerpt} is of {@code Excerpt}. */
  public UsageException(@Nullable String message, String hint, String excerpt) {
    super(message);
    this.hint = hint;
    this.excerpt = excerpt;
  }

  String excerpt() {
    return excerpt;
  }

  String hint() {
    return hint;
  }
}
