package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Real logs, which are not part of the project: {@code FLOWMON_DATA} or {@code ../shared/data}
 * beside it. Tests that need them are skipped if they are missing, unless {@code
 * FLOWMON_REQUIRE_DATA} is set.
 */
public final class RealData {
  private RealData() {}

  /** A file of the data; skips (or fails) the test if it is missing. */
  public static Path path(String name) {
    String named = System.getenv("FLOWMON_DATA");
    Path path = (named == null ? root().resolve("../shared/data") : Path.of(named)).resolve(name);
    if (!Files.exists(path)) {
      String message = "no data at " + path.toAbsolutePath().normalize() + " (set FLOWMON_DATA)";
      if (System.getenv("FLOWMON_REQUIRE_DATA") != null) {
        fail(message);
      }
      abort(message);
    }
    return path;
  }

  /** The project's folder. */
  static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (root.getParent() != null && !Files.exists(root.resolve("docs/format"))) {
      root = root.getParent();
    }
    return root;
  }
}
