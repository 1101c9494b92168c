package org.flowmon.archive.query.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.constraint.Constraints;

/** The archives, one or more, that a query reads as if they were one. */
public final class QueriedArchives {
  private final List<ArchiveSnapshot> snapshots;
  private final boolean verifyChecksums;
  // The snapshots of chosen segments; empty if there is one archive, which owns them all.
  private final IdentityHashMap<SealedSegment, ArchiveSnapshot> owners = new IdentityHashMap<>();

  /** {@code verifyChecksums}: of a column's bytes when this process first reads them. */
  public QueriedArchives(List<ArchiveSnapshot> snapshots, boolean verifyChecksums) {
    ArchivesSnapshot.requireDifferent(snapshots);
    this.snapshots = List.copyOf(snapshots);
    this.verifyChecksums = verifyChecksums;
  }

  public SegmentChoice choose(Constraints constraints) throws IOException {
    if (snapshots.size() == 1) {
      return SegmentChoice.of(snapshots.get(0), constraints);
    }
    SegmentChoice all = new SegmentChoice(new ArrayList<>(), 0, 0, new LinkedHashSet<>());
    for (ArchiveSnapshot snapshot : snapshots) {
      SegmentChoice choice = SegmentChoice.of(snapshot, constraints);
      choice.segments().forEach(segment -> owners.put(segment, snapshot));
      all = all.and(choice);
    }
    return all;
  }

  public List<ArchiveSnapshot> snapshots() {
    return snapshots;
  }

  public List<SealedSegment> chosenOf(ArchiveSnapshot snapshot, SegmentChoice choice) {
    return snapshots.size() == 1
        ? choice.segments()
        : choice.segments().stream().filter(s -> owners.get(s) == snapshot).toList();
  }

  public SegmentLease open(SealedSegment segment) throws IOException {
    ArchiveSnapshot owner =
        snapshots.size() == 1
            ? snapshots.get(0)
            : Objects.requireNonNull(owners.get(segment), "the archive of a chosen segment");
    return owner.open(segment, verifyChecksums);
  }

  public long number() {
    return snapshots.get(0).number();
  }

  public HistoryReach reach() {
    return ArchivesSnapshot.reachOf(snapshots);
  }

  public int segments() {
    return snapshots.stream().mapToInt(snapshot -> snapshot.segments().size()).sum();
  }

  public long rows() {
    return snapshots.stream().mapToLong(ArchiveSnapshot::rows).sum();
  }
}
