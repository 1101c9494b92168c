package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GapTextTest {
  @TempDir private Path directory;

  @Test
  void everyGapIsNamedAndManyAreCounted() throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      for (int i = 0; i < 23; i++) {
        SourceRange range = new SourceRange("t:0", 10L * i, 10L * i + 1, i * 1_000_000L);
        archive.commit(ArchiveCommit.ofRanges(List.of(), List.of(range), "test"));
        try (ArchiveSnapshot snapshot = archive.snapshot()) {
          assertEquals(Math.min(i, 21), GapText.lines(snapshot).size());
        }
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        List<String> lines = GapText.lines(snapshot);
        assertEquals(
            "gap: source t:0: offsets 1 … 9 were never archived, arrivals 1970-01-01T00:00:00Z …"
                + " 1970-01-01T00:00:01Z",
            lines.get(0));
        assertEquals("gap: and 2 more", lines.get(20));
      }
    }
  }
}
