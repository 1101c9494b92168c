package org.flowmon.ingest;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Programs that flowmon is compared with. Tests are skipped without them, unless {@code
 * FLOWMON_REQUIRE_TOOLS} is 1.
 */
public final class Tool {
  private Tool() {}

  /** The lines of its standard output, with times in UTC. */
  public static List<String> run(List<String> command) throws IOException, InterruptedException {
    Path out = Files.createTempFile("tool", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("TZ", "UTC");
      Process process;
      try {
        process = builder.start();
      } catch (IOException e) {
        return without(command.get(0));
      }
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), () -> command + " does not end");
      return Files.readAllLines(out, StandardCharsets.ISO_8859_1);
    } finally {
      Files.delete(out);
    }
  }

  private static List<String> without(String program) {
    String message = program + " is not installed";
    if ("1".equals(System.getenv("FLOWMON_REQUIRE_TOOLS"))) {
      fail(message + ", and FLOWMON_REQUIRE_TOOLS=1");
    }
    abort("skipped: " + message);
    return List.of();
  }
}
