package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.input.LiveOptions;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A live import that commits at each wait, and ends after a commit as if it were killed. */
final class LiveImportTest {
  @TempDir private Path folder;

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private void follow(Path log, LiveImport.Going going) throws IOException {
    LiveOptions live = CommandLine.populateCommand(new LiveOptions(), "--follow", log.toString());
    FileReadOptions options = FileReadOptions.defaults().withBiflowsSplit(true);
    Optional<Path> places = Optional.of(folder.resolve("places"));
    try (Archive archive =
        Archive.openOrCreate(folder.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      LiveImport running = new LiveImport(archive, log.toString(), places, Duration.ZERO, going);
      var unused = running.read(live.open(running.begin(), Map.of(), options), options);
    }
  }

  private long rows() throws IOException {
    try (Archive archive = Archive.open(folder.resolve("archive"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    }
  }

  @Test
  void bothWaysOfAFollowedLogsFlowsAreInTheArchiveWhenItsPlaceIs() throws Exception {
    Path log = folder.resolve("flows.csv");
    StringBuilder lines = new StringBuilder("end_time,src_addr,dst_addr,bytes,reverse_bytes\n");
    for (int i = 0; i < 10; i++) {
      lines.append(1_700_000_000 + i).append(",192.0.2.1,192.0.2.2,10,90\n");
    }
    Files.writeString(log, lines);
    assertThrows(
        Killed.class,
        () ->
            follow(
                log,
                taken -> {
                  if (taken == lines.length()) {
                    throw new Killed();
                  }
                  return true;
                }));
    assertEquals(20, rows());
    follow(log, taken -> false);
    assertEquals(20, rows(), "after a restart");
    Files.writeString(log, "1700000010,192.0.2.1,192.0.2.2,10,90\n", StandardOpenOption.APPEND);
    follow(log, taken -> false);
    assertEquals(22, rows(), "with what came since");
  }
}
