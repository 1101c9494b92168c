package org.flowmon.archive.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseWarningsTest {
  private static final Path ARCHIVE = Path.of("/srv/archive");
  private final IOException denied =
      new FileNotFoundException("/srv/archive/leases/1.2.lease (Permission denied)");

  private final List<String> said = new ArrayList<>();
  private final LeaseWarnings warnings = new LeaseWarnings(said::add);

  @Test
  void anArchiveThatIsReadWithoutALeaseIsSaidOnceHoweverOftenItIsOpened() {
    warnings.notMade(ARCHIVE, denied);
    warnings.notMade(ARCHIVE, denied);
    warnings.notMade(Path.of("/srv/../srv/archive"), new IOException("No space left on device"));
    assertEquals(1, said.size(), said::toString);
    warnings.notMade(Path.of("/srv/other"), denied);
    assertEquals(2, said.size(), "each archive once: " + said);
  }

  @Test
  void aMissingRightIsSaidInPlainWordsWithWhatItMeans() {
    warnings.notMade(ARCHIVE, denied);
    assertEquals(
        "reading /srv/archive without a lease: this user may not write to /srv/archive/leases"
            + " (docs/archive.md, Rights, says how). Answers are right, but a file that another"
            + " process merges away or expires may be deleted while it is being read, and the"
            + " command then ends with an error",
        said.get(0));
    warnings.notMade(Path.of("/srv/b"), new AccessDeniedException("/srv/b/leases"));
    assertTrue(said.get(1).contains("may not write to /srv/b/leases"), said.get(1));
  }

  @Test
  void aFullDiskIsNotTakenForAMissingRight() {
    warnings.notMade(ARCHIVE, new IOException("No space left on device"));
    assertTrue(said.get(0).contains("No space left on device"), said.get(0));
    assertFalse(said.get(0).contains("Rights"), said.get(0));
  }

  /** Like {@code verify}, which opens the archive three times. */
  @Test
  void leasesOfOneProcessShareTheirWarnings(@TempDir Path archive) throws IOException {
    Files.writeString(archive.resolve(ReaderLease.FOLDER), "in the way");
    for (int i = 0; i < 3; i++) {
      try (ReaderLease lease = ReaderLease.take(archive, file -> null, warnings)) {
        assertFalse(lease.protects());
      }
    }
    assertEquals(1, said.size(), said::toString);
  }
}
