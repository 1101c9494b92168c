package org.flowmon.deploy.generate;

import java.io.IOException;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.Sha256;
import org.flowmon.flow.FlowBatch;

/** Imports batches into an archive as if they were a file. */
final class ArchiveRows implements BatchTarget {
  private final Archive archive;
  private final ArchiveImporter importer;
  private final String name;

  /**
   * Opens or creates the archive.
   *
   * @param identity equal for equal flows, which are taken once unless {@code force} says otherwise
   */
  ArchiveRows(ArchiveLocation location, String name, String identity, boolean force)
      throws IOException {
    this.name = name;
    this.archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
    try {
      this.importer =
          new ArchiveImporter(archive, new ImportedFile(Sha256.of(identity), name, 0), force);
    } catch (IOException | RuntimeException e) {
      archive.close();
      throw e;
    }
  }

  @Override
  public void add(FlowBatch batch) throws IOException {
    importer.add(batch);
  }

  @Override
  public void finish() throws IOException {
    if (importer.rows() > 0) {
      importer.commit("flowmon generate: " + name);
    }
  }

  @Override
  public void close() throws IOException {
    try (archive;
        importer) {
      // Both are closed, the importer first.
    }
  }
}
