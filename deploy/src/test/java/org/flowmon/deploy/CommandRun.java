package org.flowmon.deploy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.deploy.terminal.TerminalStream;
import picocli.CommandLine;

/** The output and exit code of a command that ran in this JVM. */
public record CommandRun(int code, String out, String err) {
  /** Runs a command line; arguments are taken as text. */
  public static CommandRun of(Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    System.setOut(new TerminalStream(new PrintStream(out, true, StandardCharsets.UTF_8), false));
    System.setErr(new TerminalStream(new PrintStream(err, true, StandardCharsets.UTF_8), false));
    try {
      CommandLine line = Flowmon.commandLine();
      line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
      int code =
          line.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
      return new CommandRun(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
  }
}
