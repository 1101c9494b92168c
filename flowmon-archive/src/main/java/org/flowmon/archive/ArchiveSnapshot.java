package org.flowmon.archive;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.manifest.CommitResult;
import org.flowmon.archive.segment.SealedSegment;

/**
 * The archive as of one commit: what is committed later does not show. Immutable and safe for many
 * threads; to be closed, before its archive.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class ArchiveSnapshot implements AutoCloseable {
  private ArchiveSnapshot() {}

  /** Number of the commit. */
  public long number() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The segments in the order of their commits. */
  public List<SealedSegment> segments() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Rows of all segments. */
  public long rows() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Bytes of all segments and sidecars. */
  public long bytesOnDisk() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The position after the last committed one of a source, −1 where it is unknown. */
  public long committedEnd(String sourceKey) {
    throw new UnsupportedOperationException("not yet");
  }

  /** {@link #committedEnd} of every source. */
  public Map<String, Long> committedEnds() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Whether a file of this SHA-256 (64 lower-case hexadecimal digits) was imported. */
  public boolean isImported(String sha256) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The smallest {@code end_time} stored (µs), {@link Long#MAX_VALUE} where none is. */
  public long historyFrom() {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Up to which arrival (µs) everything is here: the smallest over all sources that are not retired
   * of their largest committed arrival. Without sources the largest arrival stored; {@link
   * Long#MIN_VALUE} where nothing is known.
   */
  public long historyThrough() {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * As {@link #historyThrough()}, for these sources; {@link Long#MIN_VALUE} where one is unknown.
   */
  public long historyThrough(Collection<String> sourceKeys) {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not yet");
  }
}
