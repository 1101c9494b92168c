package org.flowmon.deploy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.flowmon.deploy.terminal.TerminalStream;
import picocli.CommandLine;

/** The output and exit code of a command that ran in this JVM. */
public record CommandRun(int code, String out, String err) {
  /** Runs a command line; arguments are taken as text. */
  public static CommandRun of(Object... arguments) {
    try {
      return of(() -> execute(arguments));
    } catch (Exception e) {
      throw new AssertionError("a command throws nothing", e);
    }
  }

  /** Runs command lines, by {@link #execute}. */
  public static CommandRun of(Callable<Integer> commands) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    System.setOut(new TerminalStream(new PrintStream(out, true, StandardCharsets.UTF_8), false));
    System.setErr(new TerminalStream(new PrintStream(err, true, StandardCharsets.UTF_8), false));
    try {
      int code = commands.call();
      return new CommandRun(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
  }

  /** Runs a command line and returns its exit code; what it prints is the caller's. */
  public static int execute(Object... arguments) {
    CommandLine line = Flowmon.commandLine();
    line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    return line.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
  }
}
