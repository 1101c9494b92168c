package org.flowmon.archive.segment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import org.flowmon.flow.FlowRows;

/**
 * Seals rows into a segment: sorts them by time, writes {@code <id>.parquet} and its sidecar {@code
 * <id>.idx}. Keeps its scratch arrays from call to call, so one writer per thread is to be reused.
 * Not thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentWriter {
  /** No segment has more rows. */
  public static final int MAX_ROWS = 1 << 24;

  /**
   * Writes all rows of all parts as one segment. When this returns, both files are complete under
   * their final names and, like their folder, synced to disk.
   *
   * @param directory the folder of segments, which must exist
   * @param parts flow batches, selections of archived rows or any other rows; together 1 … {@link
   *     #MAX_ROWS} rows. Order matters only where two rows have equal times: then the earlier one
   *     stays first.
   * @param provenance put into the file for people
   * @throws IOException where writing failed; nothing is left under a final name then
   */
  public SealedSegment seal(
      Path directory, Collection<? extends FlowRows> parts, Provenance provenance)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }
}
