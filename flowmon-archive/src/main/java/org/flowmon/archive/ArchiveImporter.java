package org.flowmon.archive;

import java.io.IOException;
import org.flowmon.archive.manifest.CommitResult;
import org.flowmon.archive.manifest.ImportedFile;
import org.flowmon.flow.FlowBatch;

/**
 * Takes the flows of one file into an archive: all of them when {@link #commit} returns, else none.
 *
 * <pre>{@code
 * try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
 *   reader.read(importer::add);
 *   importer.commit("flowmon import");
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class ArchiveImporter implements AutoCloseable {
  /** Rows of a segment where nothing else is said. */
  public static final int DEFAULT_SEGMENT_ROWS = 1 << 20;

  /** As the other constructor with {@link #DEFAULT_SEGMENT_ROWS}. */
  public ArchiveImporter(Archive archive, ImportedFile file, boolean force) throws IOException {
    this(archive, file, force, DEFAULT_SEGMENT_ROWS);
  }

  /**
   * Begins an import.
   *
   * @param force whether the file is imported again where it was imported before
   * @param segmentRows rows after which a segment is sealed
   * @throws org.flowmon.archive.manifest.CommitRefusedException where the file was imported before
   */
  public ArchiveImporter(Archive archive, ImportedFile file, boolean force, int segmentRows)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Takes a batch; it is kept until its segment is sealed. */
  public void add(FlowBatch batch) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows taken so far. */
  public long rows() {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Seals what is left and commits everything.
   *
   * @param note who imports, for people
   */
  public CommitResult commit(String note) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Deletes what was sealed where it was not committed. */
  @Override
  public void close() throws IOException {
    throw new UnsupportedOperationException("not yet");
  }
}
