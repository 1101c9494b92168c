package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.segment.SealedSegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Segments that replace others. Closing deletes them, unless their commit stands or may stand. */
final class Replacement implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replacement.class);

  private final Archive archive;
  private final List<SealedSegment> written = new ArrayList<>();
  private boolean mayStand;

  Replacement(Archive archive) {
    this.archive = archive;
  }

  void add(SealedSegment segment) {
    written.add(segment);
  }

  List<SealedSegment> written() {
    return written;
  }

  /**
   * Puts the written segments in place of others, without the {@code dropped} hidden rows. False if
   * in vain: another replaced one of them first, or rows expired.
   */
  boolean commit(List<SealedSegment> replaced, RowSums dropped, String note) throws IOException {
    List<String> ids = replaced.stream().map(SealedSegment::id).toList();
    // If this fails in any way but a refusal, the commit may still stand.
    mayStand = true;
    try {
      archive.commit(ArchiveCommit.ofReplacement(written, ids, dropped, note));
      return true;
    } catch (CommitRefusedException e) {
      mayStand = false;
      if (e.reason() != CommitRefusedException.Reason.SEGMENT_GONE
          && e.reason() != CommitRefusedException.Reason.CUTOFF_MOVED) {
        throw e;
      }
      LOG.info("{} was discarded: {}", note, e.getMessage());
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    if (!mayStand) {
      for (SealedSegment segment : written) {
        archive.discard(segment);
      }
    }
  }
}
