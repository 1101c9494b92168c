package org.flowmon.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the files of one input, in memory if the machine has such a place. */
final class ScratchFolder implements AutoCloseable {
  private static final Path IN_MEMORY = Path.of("/dev/shm");

  private final Path path;

  ScratchFolder() throws IOException {
    path =
        Files.isWritable(IN_MEMORY)
            ? Files.createTempDirectory(IN_MEMORY, "flowmon-fuzz")
            : Files.createTempDirectory("flowmon-fuzz");
  }

  Path path() {
    return path;
  }

  /** A file with these bytes. */
  Path file(String name, byte[] bytes) throws IOException {
    return Files.write(path.resolve(name), bytes);
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(path)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }
}
