package org.flowmon.deploy.terminal;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output or standard error, as {@link ShownBytes} lets it through: messages, logs of
 * libraries and errors that quote what came from outside cannot steer a terminal, whoever prints
 * them. Bytes that must be exact, of CSV or Parquet, take {@link #exact}. All text is UTF-8.
 */
public final class TerminalStream extends PrintStream {
  private final PrintStream beneath;
  private final boolean terminal;

  /**
   * A stream over another, which stays open.
   *
   * @param terminal whether a person looks at it; else a program or a file takes it
   */
  public TerminalStream(PrintStream beneath, boolean terminal) {
    super(new ShownBytes(beneath), true, StandardCharsets.UTF_8);
    this.beneath = beneath;
    this.terminal = terminal;
  }

  /**
   * Puts one in the place of standard output and of standard error. The launcher says which of them
   * is a terminal: {@code -Dflowmon.terminal.out} and {@code -Dflowmon.terminal}.
   */
  public static void install() {
    System.setOut(new TerminalStream(System.out, Boolean.getBoolean("flowmon.terminal.out")));
    System.setErr(new TerminalStream(System.err, Boolean.getBoolean("flowmon.terminal")));
  }

  /** Where bytes of a format stay as they are; on a terminal they are escaped all the same. */
  public static PrintStream exact(PrintStream stream) {
    return stream instanceof TerminalStream shown && !shown.terminal ? shown.beneath : stream;
  }

  /** Where a caller steers the terminal itself: it takes care of every text that it writes. */
  public static PrintStream steered(PrintStream stream) {
    return stream instanceof TerminalStream shown ? shown.beneath : stream;
  }

  @Override
  public boolean checkError() {
    boolean failed = super.checkError();
    return beneath.checkError() || failed;
  }
}
