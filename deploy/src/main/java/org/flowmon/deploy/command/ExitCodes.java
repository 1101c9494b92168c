package org.flowmon.deploy.command;

/** The exit codes of all commands ({@code docs/running.md}). */
public final class ExitCodes {
  public static final int DONE = 0;

  /** Done, and the answer is no: damage was found, or a sum does not add up. */
  public static final int NO = 1;

  /** The command line is wrong; nothing was done. */
  public static final int USAGE = 2;

  /** Not or only partly done: a file, an archive or a broker is missing. */
  public static final int FAILED = 3;

  /** flowmon itself failed (no memory, no stack, a missing class, a defect): no answer. */
  public static final int ABORTED = 4;

  /** 128 + SIGPIPE, as for a program that writes without a reader. */
  public static final int OUTPUT_CLOSED = 141;

  private ExitCodes() {}
}
