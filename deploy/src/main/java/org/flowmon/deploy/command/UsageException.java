package org.flowmon.deploy.command;

/** Signals unusable arguments: the command line must be changed. Exit code 2. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String hint;
  private final String excerpt;

  /** The message names the option, the value given and the value expected. */
  public UsageException(String message) {
    this(message, null);
  }

  /** {@code hint} is a line for people; null for the command's {@code --help}. */
  public UsageException(String message, String hint) {
    this(message, hint, "");
  }

  /** {@code excerpt} is of {@code Excerpt}. */
  public UsageException(String message, String hint, String excerpt) {
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
