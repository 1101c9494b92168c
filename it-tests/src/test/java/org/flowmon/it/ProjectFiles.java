package org.flowmon.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Where the project, its job jar and the real traces lie. */
public final class ProjectFiles {
  private ProjectFiles() {}

  /** The folder that holds the launcher. */
  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.isRegularFile(folder.resolve("mvnw"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException(
          "no folder above " + Path.of("").toAbsolutePath() + " is the project's root");
    }
    return folder;
  }

  /** The project's own files with names that end so, without what is built and hidden. */
  static List<Path> files(String suffix) throws IOException {
    Path root = root();
    try (Stream<Path> files = Files.walk(root, 16)) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .filter(file -> !root.relativize(file).toString().matches("(.*/)?(target|\\.[^/]+)/.*"))
          .sorted()
          .toList();
    }
  }

  /** The jar for Flink clusters, which the build makes before the tests of the whole run. */
  static Path jobJar() {
    Path jar = root().resolve("flowmon-jobs/target/flowmon-job.jar");
    Assertions.assertTrue(Files.isRegularFile(jar), jar + " is missing: run ./flowmon build");
    return jar;
  }

  /**
   * The folder of real traces. Where it is missing the test is skipped and says so; with {@code
   * FLOWMON_REQUIRE_DATA} set it fails.
   */
  public static Path data() {
    String place = System.getenv("FLOWMON_DATA");
    Path data = place == null ? root().resolve("../shared/data").normalize() : Path.of(place);
    if (System.getenv("FLOWMON_REQUIRE_DATA") != null) {
      Assertions.assertTrue(Files.isDirectory(data), "no traces at " + data);
    }
    Assumptions.assumeTrue(
        Files.isDirectory(data),
        "skipped: no traces at " + data + "; FLOWMON_DATA names their folder");
    return data;
  }

  /**
   * A program of the machine. Where it is missing the test is skipped and says so; with {@code
   * FLOWMON_REQUIRE_TOOLS} set it fails.
   */
  static Path tool(String name) {
    for (String folder : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":", -1)) {
      Path program = Path.of(folder, name);
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") != null) {
      Assertions.fail(name + " is not installed");
    }
    Assumptions.abort("skipped: " + name + " is not installed");
    throw new AssertionError();
  }

  /** A file's bytes, decompressed if it ends in {@code .gz}. */
  public static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }

  /** The lines of a text in UTF-8, decompressed if it ends in {@code .gz}. */
  static List<String> lines(Path file) throws IOException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8))) {
      return in.lines().toList();
    }
  }

  /** Deletes a folder and everything in it. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (var paths = Files.walk(folder)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
