package org.flowmon.bench.machine;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.command.CommandException;

/** Runs a program in a separate JVM with its own heap. */
public final class ChildJvm {
  private static final String COMPILER = "-XX:TieredStopAtLevel=";

  /** The launcher's memory for a command. */
  public static final List<String> LAUNCHER =
      List.of("-Xms128m", "-Xmx1g", "-XX:MaxDirectMemorySize=384m");

  /** The launcher's options for a server. */
  public static final List<String> SERVE =
      List.of("-Xms128m", "-Xmx1g", "-XX:MaxDirectMemorySize=384m", "-XX:ParallelGCThreads=1");

  /** The launcher's options for an import. */
  public static final List<String> IMPORT =
      List.of("-Xms128m", "-Xmx1g", "-XX:MaxDirectMemorySize=384m", "-XX:+UseParallelGC");

  private ChildJvm() {}

  /**
   * The Java of this JVM and the options that a child inherits: it may open the same packages of
   * the JDK, and in a short test its code is compiled as little.
   */
  public static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--") || argument.startsWith(COMPILER))
        .forEach(command::add);
    return command;
  }

  /**
   * Runs a main class; its standard error is passed on.
   *
   * @param heap its most, as in {@code -Xmx}
   * @return its standard output
   * @throws CommandException if it fails
   */
  public static byte[] run(Class<?> main, String heap, List<String> arguments) throws IOException {
    return run(main, List.of("-Xmx" + heap), arguments);
  }

  /**
   * Runs a main class; its standard error is passed on.
   *
   * @param memory options of the JVM that bound its memory
   */
  public static byte[] run(Class<?> main, List<String> memory, List<String> arguments)
      throws IOException {
    List<String> command = java();
    command.addAll(memory);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var printed = process.getInputStream()) {
      process.getOutputStream().close();
      byte[] output = printed.readAllBytes();
      int code = await(process);
      if (code != 0) {
        throw new CommandException(
            "a JVM with "
                + String.join(" ", memory)
                + " ended with "
                + code
                + ": "
                + String.join(" ", arguments));
      }
      return output;
    } finally {
      process.destroyForcibly(); // no effect if it has ended
    }
  }

  static int await(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while another process ran");
    }
  }
}
