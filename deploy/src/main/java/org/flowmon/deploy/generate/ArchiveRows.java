package org.flowmon.deploy.generate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
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
          new ArchiveImporter(archive, new ImportedFile(hash(identity), name, 0), force);
    } catch (IOException | RuntimeException e) {
      archive.close();
      throw e;
    }
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
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
