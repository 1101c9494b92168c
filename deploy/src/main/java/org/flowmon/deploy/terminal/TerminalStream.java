package org.flowmon.deploy.terminal;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output or error through {@link ShownBytes}: outside text in messages, logs of libraries
 * and errors cannot steer a terminal. Exact bytes of CSV or Parquet go through {@link #exact}. All
 * text is UTF-8.
 */
public final class TerminalStream extends PrintStream {
  private final PrintStream beneath;
  private final boolean terminal;

  /** The stream stays open. If not a {@code terminal}, a program or a file takes it. */
  public TerminalStream(PrintStream beneath, boolean terminal) {
    super(new ShownBytes(beneath), true, StandardCharsets.UTF_8);
    this.beneath = beneath;
    this.terminal = terminal;
  }

  /**
   * Replaces standard output and error; the launcher says which of them is a terminal, by {@code
   * -Dflowmon.terminal.out} and {@code -Dflowmon.terminal}.
   */
  public static void install() {
    System.setOut(new TerminalStream(System.out, Boolean.getBoolean("flowmon.terminal.out")));
    System.setErr(new TerminalStream(System.err, Boolean.getBoolean("flowmon.terminal")));
  }

  /** Whether people see what is printed. */
  public static boolean isTerminal(PrintStream stream) {
    return stream instanceof TerminalStream shown && shown.terminal;
  }

  /** The stream for unchanged bytes of a format; on a terminal they are still escaped. */
  public static PrintStream exact(PrintStream stream) {
    return stream instanceof TerminalStream shown && !shown.terminal ? shown.beneath : stream;
  }

  /** The stream for a caller that steers the terminal itself and escapes every text. */
  public static PrintStream steered(PrintStream stream) {
    return stream instanceof TerminalStream shown ? shown.beneath : stream;
  }

  @Override
  public boolean checkError() {
    boolean failed = super.checkError();
    return beneath.checkError() || failed;
  }
}
