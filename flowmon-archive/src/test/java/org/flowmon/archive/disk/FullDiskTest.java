package org.flowmon.archive.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive on a disk without a block left. */
class FullDiskTest {
  private static final int ROWS = 1000;

  @TempDir Path folder;

  private static void commit(Archive archive, int i) throws IOException {
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(
                archive.seal(
                    archive.newSegmentWriter(), List.of(Flows.batch(i, ROWS)), Provenance.NONE)),
            List.of(new SourceRange("t:0", i, i + 1, i)),
            "test"));
  }

  private static long count(Archive archive) throws IOException {
    FlowQuery query =
        QueryParser.parse("SELECT count(*) FROM flows WHERE bytes >= 0").bind(Parameters.NONE);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table().longValue(0, 0);
    }
  }

  private static long leases(Path archive) throws IOException {
    try (Stream<Path> files = Files.list(archive.resolve("leases"))) {
      return files.filter(f -> f.toString().endsWith(".lease")).count();
    }
  }

  @Test
  void aFullDiskIsReadAndGivesItsLeaseBack() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"), 4)) {
      Path place = disk.root().resolve("archive");
      try (Archive archive = Archive.create(place, ArchiveOptions.DEFAULTS)) {
        commit(archive, 0);
      }
      disk.fill();
      assertTrue(ArchiveVerifier.verify(place).isSound());
      try (Archive archive = Archive.open(place, ArchiveOptions.DEFAULTS)) {
        assertEquals(ROWS, count(archive));
        try (ArchiveSnapshot snapshot = archive.snapshot()) {
          assertEquals(1, snapshot.files().size());
        }
        assertThrows(IOException.class, () -> commit(archive, 1));
        disk.free();
        commit(archive, 1);
        assertEquals(2 * ROWS, count(archive));
        assertEquals(1, leases(place));
      }
      assertEquals(0, leases(place));
    }
  }
}
