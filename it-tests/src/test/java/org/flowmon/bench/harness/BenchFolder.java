package org.flowmon.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.flowmon.deploy.command.UsageException;

/** A folder for a benchmark's data, deleted with its content on close, or kept. */
public final class BenchFolder implements AutoCloseable {
  private final Path path;
  private final boolean kept;

  private BenchFolder(Path path, boolean kept) {
    this.path = path;
    this.kept = kept;
  }

  /** Creates a temporary folder. */
  public static BenchFolder of(String name) throws IOException {
    return in(Optional.empty(), "bench-" + name);
  }

  /**
   * Creates a folder.
   *
   * @param keep the folder to create and leave, which must not exist; a temporary one if empty
   */
  public static BenchFolder of(String name, Optional<Path> keep) throws IOException {
    if (keep.isEmpty()) {
      return of(name);
    }
    if (Files.exists(keep.get())) {
      throw new UsageException("--keep " + keep.get() + " exists already");
    }
    return new BenchFolder(Files.createDirectories(keep.get()), true);
  }

  /** Creates a folder in another, or among the temporary ones; it is deleted on close. */
  public static BenchFolder in(Optional<Path> parent, String name) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    return new BenchFolder(
        Files.createTempDirectory(parent.orElse(temporary), "flowmon-" + name + "-"), false);
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
