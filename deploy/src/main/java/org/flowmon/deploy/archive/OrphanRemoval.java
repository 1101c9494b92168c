package org.flowmon.deploy.archive;

import java.io.IOException;
import org.flowmon.archive.Archive;
import org.flowmon.archive.OrphanSweep;

/** Deletes files that dead writers left in an archive, and reports it. */
final class OrphanRemoval {
  private OrphanRemoval() {}

  static void sweep(Archive archive) throws IOException {
    OrphanSweep sweep = archive.sweepOrphans();
    if (!sweep.files().isEmpty()) {
      System.err.printf(
          "deleted %d files that writers left which are gone: %,d bytes%n",
          sweep.files().size(), sweep.bytes());
    }
  }
}
