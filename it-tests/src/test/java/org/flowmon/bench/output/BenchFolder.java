package org.flowmon.bench.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.flowmon.deploy.command.UsageException;

/** A folder for a benchmark's data, deleted with its content on close, or kept. */
public final class BenchFolder implements AutoCloseable {
  private final Path path;
  private final boolean kept;

  private BenchFolder(Path path, boolean kept) {
    this.path = path;
    this.kept = kept;
  }

  /**
   * Creates a folder.
   *
   * @param name of the benchmark
   * @param keep the folder to create and leave, which must not exist; null for a temporary one
   */
  public static BenchFolder of(String name, Path keep) throws IOException {
    if (keep == null) {
      return new BenchFolder(Files.createTempDirectory("flowmon-bench-" + name + "-"), false);
    }
    if (Files.exists(keep)) {
      throw new UsageException("--keep " + keep + " exists already");
    }
    return new BenchFolder(Files.createDirectories(keep), true);
  }

  public Path path() {
    return path;
  }

  /** Bytes of all files in a folder; 0 if it does not exist. */
  public static long bytes(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (var files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Deletes a folder and its content. */
  public static void delete(Path folder) throws IOException {
    try (var paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (!kept) {
      delete(path);
    }
  }
}
