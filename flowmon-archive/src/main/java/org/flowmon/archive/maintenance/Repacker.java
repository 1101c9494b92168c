package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites every segment of the start, one by one and commit by commit: the same rows in this
 * version's format. Skips segments that others replace. Not thread-safe.
 */
public final class Repacker {
  private final Archive archive;
  private final SegmentWriter writer;
  private final Deque<String> left = new ArrayDeque<>();
  private final Set<String> damaged = new TreeSet<>();
  private int written;

  /** A rewritten segment: its rows, and its bytes including its sidecar's. */
  public record Step(long rows, long bytesBefore, long bytesAfter) {}

  public Repacker(Archive archive) throws IOException {
    this.archive = archive;
    this.writer = archive.newSegmentWriter();
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      snapshot.segments().forEach(segment -> left.add(segment.id()));
    }
  }

  public Set<String> damaged() {
    return Set.copyOf(damaged);
  }

  public int written() {
    return written;
  }

  /** Rewrites the next segment; null if all are done. */
  public @Nullable Step step() throws IOException {
    while (!left.isEmpty()) {
      String id = left.remove();
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        SealedSegment segment =
            snapshot.segments().stream().filter(s -> s.id().equals(id)).findFirst().orElse(null);
        Step step = segment == null ? null : repack(snapshot, segment);
        if (step != null) {
          written++;
          return step;
        }
      } catch (SegmentCorruptException e) {
        damaged.add(id);
      }
    }
    return null;
  }

  private @Nullable Step repack(ArchiveSnapshot snapshot, SealedSegment segment)
      throws IOException {
    try (Replacement by = new Replacement(archive)) {
      try (SegmentLease lease = snapshot.open(segment, true)) {
        by.add(
            archive.seal(writer, List.of(lease.rows()), Provenance.of("repacked", segment.id())));
      }
      return by.commit(List.of(segment), RowSums.NONE, "repack")
          ? new Step(segment.rows(), segment.bytesOnDisk(), by.written().get(0).bytesOnDisk())
          : null;
    }
  }
}
