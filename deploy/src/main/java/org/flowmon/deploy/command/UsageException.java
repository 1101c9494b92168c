package org.flowmon.deploy.command;

/** A command was given what it cannot work with: the command line is to be changed. Exit code 2. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String hint;
  private final String excerpt;

  /**
   * Why it cannot.
   *
   * @param message names the option, what was given and what was expected
   */
  public UsageException(String message) {
    this(message, null);
  }

  /**
   * As the other, with a place to read on.
   *
   * @param hint a line for people; null for the command's {@code --help}
   */
  public UsageException(String message, String hint) {
    this(message, hint, "");
  }

  /**
   * Likewise, with what stands around the place.
   *
   * @param excerpt of {@code Excerpt}
   */
  public UsageException(String message, String hint, String excerpt) {
    super(message);
    this.hint = hint;
    this.excerpt = excerpt;
  }

  /** Lines to be shown behind the message as they are; empty if there are none. */
  String excerpt() {
    return excerpt;
  }

  /** Where to read on, null for the command's {@code --help}. */
  String hint() {
    return hint;
  }
}
