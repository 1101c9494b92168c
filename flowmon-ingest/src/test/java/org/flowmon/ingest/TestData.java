package org.flowmon.ingest;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Real exports and logs, which are not part of the project: {@code FLOWMON_DATA} or {@code
 * ../shared/data} beside it. Tests that need them are skipped if they are missing, unless {@code
 * FLOWMON_REQUIRE_DATA} is set.
 */
public final class TestData {
  private TestData() {}

  /** A file or folder of the data; skips (or fails) the test if it is missing. */
  public static Path path(String name) {
    Path path = folder().resolve(name);
    if (!Files.exists(path)) {
      String message = "no data at " + path.toAbsolutePath().normalize() + " (set FLOWMON_DATA)";
      if (System.getenv("FLOWMON_REQUIRE_DATA") != null) {
        fail(message);
      }
      abort(message);
    }
    return path;
  }

  private static Path folder() {
    String named = System.getenv("FLOWMON_DATA");
    if (named != null) {
      return Path.of(named);
    }
    Path root = Path.of("").toAbsolutePath();
    while (root.getParent() != null && !Files.exists(root.resolve("docs/format"))) {
      root = root.getParent();
    }
    return root.resolve("../shared/data");
  }

  /** The files and folders in a folder, in the order of their names. */
  public static List<Path> list(String name) {
    try (Stream<Path> files = Files.list(path(name))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All files below a folder, in the order of their names. */
  public static List<Path> walk(String name) {
    try (Stream<Path> files = Files.walk(path(name))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bytes of a file, decompressed from gzip. */
  public static byte[] read(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      if (!file.toString().endsWith(".gz")) {
        return bytes;
      }
      try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
        return in.readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
