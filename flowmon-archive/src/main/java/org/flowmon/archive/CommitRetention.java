package org.flowmon.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.manifest.CommitPreparation;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.NewestArrival;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.RetentionPlan;
import org.flowmon.archive.retention.SegmentKeys;
import org.flowmon.archive.retention.SegmentTrimmer;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares a commit: requires its files, and decides which rows it hides and trims, so that no more
 * is visible or stored than the archive's limits allow. All takes effect with the commit.
 */
final class CommitRetention implements CommitPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(CommitRetention.class);

  private final SharedArchive shared;
  // Of trimmed segments, until the commit is over.
  private final List<String> owned = new ArrayList<>();

  CommitRetention(SharedArchive shared) {
    this.shared = shared;
  }

  @Override
  public Expiration prepare(ManifestState before, ArchiveCommit commit) throws IOException {
    for (SealedSegment segment : commit.segments()) {
      requireFiles(segment);
    }
    try (Leases leases = new Leases()) {
      if (!commit.replaced().isEmpty()) {
        return ofReplacement(before, commit, leases);
      }
      RetentionChange change = commit.retention();
      if (change == null && commit.segments().isEmpty()) {
        return Expiration.NONE;
      }
      RetentionOptions options =
          change == null || change.options() == null ? before.retention() : change.options();
      boolean trims = change != null && change.trim();
      if (!options.isLimited() && before.cutoff() == Long.MIN_VALUE && !trims) {
        return Expiration.NONE;
      }
      return of(before, commit, options, leases);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void requireFiles(SealedSegment segment) throws IOException {
    requireFile(segment, segment.fileName(), segment.segmentFile().length());
    requireFile(segment, segment.indexFileName(), segment.indexFile().length());
  }

  private void requireFile(SealedSegment segment, String name, long expected) throws IOException {
    String path = Archive.SEGMENTS + "/" + name;
    long found = shared.store().length(path);
    if (found != expected) {
      throw new CommitRefusedException(
          CommitRefusedException.Reason.SEGMENT_MISSING,
          String.format(
              "%s %s, segment %s was sealed with %s",
              shared.store().describe(path),
              found < 0 ? "is missing" : "has " + found + " bytes",
              segment.id(),
              expected));
    }
  }

  private Expiration of(
      ManifestState before, ArchiveCommit commit, RetentionOptions options, Leases leases)
      throws IOException {
    List<SegmentKeys> segments = new ArrayList<>();
    for (SealedSegment segment : before.segments()) {
      segments.add(new SegmentKeys(segment, before.firstRow(segment.id()), leases));
    }
    int known = segments.size();
    for (SealedSegment segment : commit.segments()) {
      segments.add(new SegmentKeys(segment, 0, leases));
    }
    long newest = newestArrival(before, commit);
    RetentionPlan plan =
        RetentionPlan.of(options, segments, known, before.cutoff(), newest, before.keys());
    boolean all = commit.retention() != null && commit.retention().trim();
    Expiration expiration = new Step(before, segments, plan).expiration(options, all, leases);
    // A later cutoff alone is no change: ages are counted back from the clock again and again, and
    // would write commits while no flows come.
    boolean isAlone = commit.segments().isEmpty() && options.equals(before.retention());
    return isAlone && expiration.hidesNothing() ? Expiration.NONE : expiration;
  }

  private static long newestArrival(ManifestState before, ArchiveCommit commit) {
    NewestArrival newest = NewestArrival.asOfNow();
    newest.add(before.newestArrival(), before.newestArrival());
    if (before.newestArrival() > newest.latest()) {
      // Of the other segments that were ever committed, the remaining ones are known.
      before.segments().forEach(newest::add);
    }
    commit.segments().forEach(newest::add);
    long told = commit.retention() == null ? Long.MIN_VALUE : commit.retention().now();
    newest.add(told, told);
    return newest.get();
  }

  /** The segments of a plan by their fate: dropped, kept in part, rewritten. */
  private final class Step {
    private final ManifestState before;
    private final List<SegmentKeys> segments;
    private final RetentionPlan plan;
    private final List<String> expired = new ArrayList<>();
    private final Map<String, Integer> firstRows = new HashMap<>();
    private final Map<String, SealedSegment> trimmed = new HashMap<>();
    private long rows;
    private long stored;
    private long storedBytes;

    Step(ManifestState before, List<SegmentKeys> segments, RetentionPlan plan) {
      this.before = before;
      this.segments = segments;
      this.plan = plan;
    }

    Expiration expiration(RetentionOptions options, boolean all, Leases leases) throws IOException {
      List<Integer> straddling = new ArrayList<>();
      for (int i = 0; i < segments.size(); i++) {
        SealedSegment segment = segments.get(i).segment();
        int first = plan.firstRow(i);
        rows += first - before.firstRow(segment.id());
        if (first == segment.rows()) {
          expired.add(segment.id());
          continue;
        }
        stored += segment.rows();
        storedBytes += segment.bytesOnDisk();
        if (first > before.firstRow(segment.id())) {
          firstRows.put(segment.id(), first);
        }
        if (first > 0) {
          straddling.add(i);
        }
      }
      // Segments that free most for the bytes to be written come first.
      straddling.sort(Comparator.comparingDouble(this::visiblePart));
      try {
        for (int i : straddling) {
          if (all || stored > options.mostRows() || storedBytes > options.mostBytes()) {
            trim(segments.get(i).segment(), plan.firstRow(i), leases);
          }
        }
      } catch (IOException | RuntimeException e) {
        delete(trimmed.values());
        throw e;
      }
      long cutoff = Math.max(plan.cutoff(), before.cutoff());
      boolean isNothing =
          rows == 0
              && trimmed.isEmpty()
              && cutoff == before.cutoff()
              && (plan.keys() == null || (plan.keys().size() == 0 && before.keys() != null));
      return isNothing
          ? Expiration.NONE
          : new Expiration(cutoff, rows, plan.lateRows(), firstRows, expired, trimmed, plan.keys());
    }

    private double visiblePart(int i) {
      return 1 - (double) plan.firstRow(i) / segments.get(i).segment().rows();
    }

    private void trim(SealedSegment segment, int first, Leases leases) throws IOException {
      SegmentWriter writer = new SegmentWriter(new ArchiveSettings(shared.store()).segments());
      SealedSegment by;
      try {
        by =
            SegmentTrimmer.trim(
                writer,
                shared.store().writeFolder(Archive.SEGMENTS),
                leases.open(segment),
                first,
                CommitRetention.this::own);
      } catch (SegmentCorruptException e) {
        LOG.warn(
            "segment {} cannot be trimmed, so {} expired rows stay stored: {}",
            segment.id(),
            first,
            e.getMessage());
        return;
      }
      trimmed.put(segment.id(), by);
      for (String name : names(by)) {
        shared.store().publish(name);
      }
      firstRows.remove(segment.id());
      stored -= first;
      storedBytes += by.bytesOnDisk() - segment.bytesOnDisk();
    }
  }

  /**
   * Hides those rows of rewritten segments that were hidden since they were read: those below the
   * cutoff, or these and all equal to it. A single segment that replaces a single one has its rows
   * in the same order, so they are its first.
   */
  private Expiration ofReplacement(ManifestState before, ArchiveCommit commit, Leases leases) {
    long hidden = commit.replaced().stream().mapToLong(before::firstRow).sum();
    long since = hidden - commit.dropped().rows();
    if (since == 0) {
      return Expiration.NONE;
    }
    List<SegmentKeys> written =
        commit.segments().stream().map(s -> new SegmentKeys(s, 0, leases)).toList();
    boolean inOrder = commit.replaced().size() == 1 && written.size() == 1;
    int[] first =
        inOrder
            ? new int[] {(int) since}
            : written.stream().mapToInt(s -> s.lowerBound(before.cutoff())).toArray();
    if (IntStream.of(first).asLongStream().sum() != since) {
      first = written.stream().mapToInt(s -> s.upperBound(before.cutoff())).toArray();
    }
    if (IntStream.of(first).asLongStream().sum() != since) {
      throw new CommitRefusedException(
          CommitRefusedException.Reason.CUTOFF_MOVED,
          String.format(
              "%s rows of segments to be replaced were hidden since, but other rows of the same"
                  + " time were not: %s",
              since, commit.replaced()));
    }
    List<String> expired = new ArrayList<>();
    Map<String, Integer> firstRows = new HashMap<>();
    for (int i = 0; i < first.length; i++) {
      SealedSegment segment = written.get(i).segment();
      if (first[i] == segment.rows()) {
        expired.add(segment.id());
      } else if (first[i] > 0) {
        firstRows.put(segment.id(), first[i]);
      }
    }
    // They are counted as expired already.
    return new Expiration(before.cutoff(), 0, 0, firstRows, expired, Map.of(), null);
  }

  @Override
  public void discard(Expiration expiration, ManifestState now) throws IOException {
    delete(expiration.trimmed().values().stream().filter(s -> !now.knows(s.id())).toList());
  }

  private void own(String id) throws IOException {
    shared.lease().own(List.of(id));
    owned.add(id);
  }

  void end() {
    shared.lease().disown(owned);
    owned.clear();
  }

  private void delete(Iterable<SealedSegment> segments) throws IOException {
    for (SealedSegment segment : segments) {
      for (String name : names(segment)) {
        shared.store().delete(name);
      }
    }
  }

  private static List<String> names(SealedSegment segment) {
    return List.of(
        Archive.SEGMENTS + "/" + segment.fileName(),
        Archive.SEGMENTS + "/" + segment.indexFileName());
  }

  /** Segments that are open while a commit is prepared. */
  private final class Leases implements SegmentKeys.Opener, AutoCloseable {
    private final Map<String, SegmentLease> open = new HashMap<>();

    @Override
    public SegmentReader open(SealedSegment segment) throws IOException {
      SegmentLease lease = open.get(segment.id());
      if (lease == null) {
        lease = lease(segment);
        open.put(segment.id(), lease);
      }
      return lease.rows();
    }

    private SegmentLease lease(SealedSegment segment) throws IOException {
      try {
        return shared.segments().lease(segment, true, 0);
      } catch (SegmentCorruptException e) {
        String name = Archive.SEGMENTS + "/" + segment.fileName();
        if (e.getCause() instanceof NoSuchFileException && shared.store().length(name) >= 0) {
          // Its copy in the cache vanished, or the store was slow: the file is not lost.
          throw new IOException(
              shared.store().describe(name) + " exists but could not be opened; retry", e);
        }
        throw e;
      }
    }

    @Override
    public void release(SealedSegment segment) {
      SegmentLease lease = open.remove(segment.id());
      if (lease != null) {
        lease.close();
      }
    }

    @Override
    public void close() {
      SegmentLease.closeAll(open.values());
    }
  }
}
