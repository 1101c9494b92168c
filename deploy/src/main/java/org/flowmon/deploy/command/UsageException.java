package org.flowmon.deploy.command;

/** Signals unusable arguments: the command line must be changed. Exit code 2. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String hint;
  private final String excerpt;

  /**
   * Creates an exception.
   *
   * @param message names the option, the value given and the value expected
   */
  public UsageException(String message) {
    this(message, null);
  }

  /**
   * Creates an exception with a place to read on.
   *
   * @param hint a line for people; null for the command's {@code --help}
   */
  public UsageException(String message, String hint) {
    this(message, hint, "");
  }

  /**
   * Creates an exception with a place to read on and an excerpt around the error.
   *
   * @param excerpt of {@code Excerpt}
   */
  public UsageException(String message, String hint, String excerpt) {
    super(message);
    this.hint = hint;
    this.excerpt = excerpt;
  }

  /** Lines to be shown verbatim after the message; empty if there are none. */
  String excerpt() {
    return excerpt;
  }

  /** Where to read on, null for the command's {@code --help}. */
  String hint() {
    return hint;
  }
}
