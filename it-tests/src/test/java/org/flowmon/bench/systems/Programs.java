package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Installed programs, in UTC. */
final class Programs {
  private Programs() {}

  /** Which of these are not on the PATH; empty if all are. */
  static String missing(String... programs) {
    String missing =
        Stream.of(programs)
            .filter(
                program ->
                    Stream.of(System.getenv("PATH").split(":", -1))
                        .noneMatch(folder -> Files.isExecutable(Path.of(folder, program))))
            .collect(Collectors.joining(", "));
    return missing.isEmpty() ? "" : "not on the PATH: " + missing;
  }

  /** A program to start. */
  static ProcessBuilder of(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("TZ", "UTC");
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Runs programs, each of which reads the output of the one before; returns the last one's. */
  static List<String> lines(ProcessBuilder... programs) throws IOException, InterruptedException {
    List<Process> all = ProcessBuilder.startPipeline(List.of(programs));
    List<String> lines;
    try (var out = all.get(all.size() - 1).inputReader()) {
      lines = out.lines().toList();
    }
    for (int i = 0; i < programs.length; i++) {
      end(all.get(i), programs[i]);
    }
    return lines;
  }

  /** Waits for a program that must end with 0. */
  static void end(Process process, ProcessBuilder program)
      throws IOException, InterruptedException {
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", program.command()) + " ended with " + code);
    }
  }
}
