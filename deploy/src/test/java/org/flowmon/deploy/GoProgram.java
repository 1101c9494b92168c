package org.flowmon.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program in Go among the test resources, which checks files by the libraries of those who read
 * them. Without Go, or without its modules in the cache or by a proxy, the test is skipped.
 */
public final class GoProgram {
  private static final Path GO =
      Stream.of("/usr/local/go/bin/go", "/usr/bin/go")
          .map(Path::of)
          .filter(Files::isExecutable)
          .findFirst()
          .orElse(Path.of("go"));

  private final Path binary;

  private GoProgram(Path binary) {
    this.binary = binary;
  }

  /** What a run printed, and its exit code. */
  public record Run(int code, String out, String err) {}

  /**
   * Builds it.
   *
   * @param resources the folder of {@code go.mod.txt}, {@code go.sum.txt} and {@code main.go.txt}
   * @param what is not checked without it, for the message
   */
  public static GoProgram build(Path folder, String resources, String what) throws Exception {
    assumeTrue(Files.isExecutable(GO), "Go is missing: not checked: " + what);
    for (String name : List.of("go.mod", "go.sum", "main.go")) {
      String resource = resources + "/" + name + ".txt";
      try (InputStream in = GoProgram.class.getResourceAsStream(resource)) {
        assertTrue(in != null, resource);
        Files.write(folder.resolve(name), in.readAllBytes());
      }
    }
    GoProgram program = new GoProgram(folder.resolve("check"));
    Run run = program.compile(folder, ".");
    assumeTrue(run.code() == 0, "modules of Go are missing: not checked: " + what + ": " + run);
    return program;
  }

  /** Builds a file that needs the standard library alone. */
  public static GoProgram build(Path folder, Path source) throws Exception {
    assumeTrue(Files.isExecutable(GO), "Go is missing: not checked: " + source);
    GoProgram program = new GoProgram(folder.resolve("check"));
    Run run = program.compile(folder, source.toAbsolutePath().toString());
    assertEquals(0, run.code(), run.err());
    return program;
  }

  private Run compile(Path folder, String what) throws Exception {
    return run(folder, List.of(GO.toString(), "build", "-o", binary.toString(), what), new byte[0]);
  }

  public List<String> command() {
    return List.of(binary.toString());
  }

  public Run run(List<String> arguments) throws Exception {
    return run(arguments, new byte[0]);
  }

  /** Runs it with standard input. */
  public Run run(List<String> arguments, byte[] input) throws Exception {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(arguments);
    return run(binary.getParent(), command, input);
  }

  /** Runs a program of another language likewise. */
  public static Run run(Path folder, List<String> command, byte[] input) throws Exception {
    Path err = folder.resolve("errors");
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectError(err.toFile()).start();
    try (var in = process.getOutputStream()) {
      in.write(input);
    }
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(15, TimeUnit.MINUTES), command + " does not end");
    return new Run(process.exitValue(), out, Files.readString(err));
  }
}
