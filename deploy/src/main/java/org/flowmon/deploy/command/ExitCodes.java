package org.flowmon.deploy.command;

/** What a command's exit code says, the same for all ({@code docs/running.md}). */
public final class ExitCodes {
  /** Done. */
  public static final int DONE = 0;

  /** Done, and the answer is no: damage was found, a sum does not add up. */
  public static final int NO = 1;

  /** The command line is wrong; nothing was done. */
  public static final int USAGE = 2;

  /** It could not be done, or not all of it: a file, an archive or a broker is not there. */
  public static final int FAILED = 3;

  /**
   * flowmon itself could not go on: no memory, no stack, a class is missing, a defect. Nothing is
   * said about what was asked.
   */
  public static final int ABORTED = 4;

  private ExitCodes() {}
}
