package org.flowmon.deploy.command;

/** A command was given what it cannot work with: the command line is to be changed. Exit code 2. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String hint;

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
  UsageException(String message, String hint) {
    super(message);
    this.hint = hint;
  }

  /** Where to read on, null for the command's {@code --help}. */
  String hint() {
    return hint;
  }
}
