package org.flowmon.bench.systems;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Runs installed programs, in UTC. */
final class Programs {
  private Programs() {}

  /** Takes a line of a program's output. */
  @FunctionalInterface
  interface LineSink {
    void accept(String line);
  }

  /** Which of these are not on the PATH, as a sentence; empty if all are. */
  static Optional<String> missing(String... programs) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    List<String> folders = Arrays.asList(path.split(":", -1));
    String missing =
        Arrays.stream(programs)
            .filter(
                program ->
                    folders.stream()
                        .noneMatch(folder -> Files.isExecutable(Path.of(folder, program))))
            .collect(Collectors.joining(", "));
    return missing.isEmpty() ? Optional.empty() : Optional.of("not installed: " + missing);
  }

  /** A program to start. */
  static ProcessBuilder of(String... command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("TZ", "UTC");
    return builder;
  }

  /** Runs programs, each of which reads the output of the one before; gives the last one's lines. */
  static void pipe(List<ProcessBuilder> programs, LineSink lines) throws IOException {
    List<Process> all = ProcessBuilder.startPipeline(programs);
    try (BufferedReader in = all.get(all.size() - 1).inputReader()) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.accept(line);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      end(all.get(i), programs.get(i));
    }
  }

  /** Waits for a program that must end with 0. */
  static void end(Process process, ProcessBuilder program) throws IOException {
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(String.join(" ", program.command()) + " ended with " + code);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + program.command().get(0) + " ran");
    }
  }

  /** Waits. */
  static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while another program ran");
    }
  }
}
