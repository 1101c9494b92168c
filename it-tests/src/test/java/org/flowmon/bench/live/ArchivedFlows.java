package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Run;

/** The archives of jobs. */
final class ArchivedFlows {
  private ArchivedFlows() {}

  /** Checks the archive's rows: a fast job that archives less is no result. */
  static void checkAndDelete(Path directory, long rows) throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      Run.require(
          snapshot.rows() == rows, "the archive holds %d of %d flows", snapshot.rows(), rows);
    }
    BenchFolder.delete(directory);
  }

  /** Copies an archive that nobody writes to. */
  static Path copy(Path from, Path to) throws IOException {
    try (var paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
    return to;
  }
}
