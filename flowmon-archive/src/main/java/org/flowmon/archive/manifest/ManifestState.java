package org.flowmon.archive.manifest;

import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.UUID;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.Removal;
import org.flowmon.archive.commit.SourceState;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.VisibleSegment;
import org.jspecify.annotations.Nullable;

/** The sum of all commits up to one. Immutable. */
public final class ManifestState {
  private final ManifestSum sum; // not changed any more
  private final List<SealedSegment> segments;
  private final HistoryReach reach;

  ManifestState(ManifestSum sum) {
    this.sum = sum;
    this.segments = List.copyOf(sum.segments.values());
    this.reach = HistoryReach.of(sum);
  }

  ManifestSum sum() {
    return sum;
  }

  public UUID archive() {
    return sum.archive;
  }

  public long number() {
    return sum.number;
  }

  /** When the commit was written, by its writer's clock (µs). */
  public long timeMicros() {
    return sum.timeMicros;
  }

  int checksum() {
    return sum.checksum;
  }

  /** The segments in the order of their commits. */
  public List<SealedSegment> segments() {
    return segments;
  }

  /**
   * The commit that brought a segment's newest rows; if it replaced others of the same rows, the
   * newest of theirs. A later commit if only a snapshot of the manifest was read.
   */
  public long newestRows(String id) {
    return Objects.requireNonNull(sum.newestRows.get(id), id);
  }

  /** Visible rows of all segments; {@link #storedRows} counts hidden ones, too. */
  public long rows() {
    return sum.rows - sum.firstRows.values().stream().mapToLong(row -> row).sum();
  }

  public long storedRows() {
    return sum.rows;
  }

  /** The first visible row of a segment, 0 if none expired. */
  public int firstRow(String id) {
    return sum.firstRows.getOrDefault(id, 0);
  }

  public RetentionOptions retention() {
    return sum.retained.options();
  }

  /**
   * No row with a smaller {@link org.flowmon.archive.segment.TimeKey} (µs) is visible, {@link
   * Long#MIN_VALUE} if nothing has expired. It never falls.
   */
  public long cutoff() {
    return sum.retained.cutoff();
  }

  /** Rows that were committed and are no longer visible, including {@link #lateRows}. */
  public long expiredRows() {
    return sum.retained.expiredRows();
  }

  /** Rows that were below the cutoff when they were committed. */
  public long lateRows() {
    return sum.retained.lateRows();
  }

  /** Keys of visible rows, and hidden ones in the cutoff's bucket; null if unlimited; read-only. */
  public @Nullable TimestampHistogram keys() {
    return sum.retained.keys();
  }

  /** The newest arrival ever committed (µs), {@link Long#MIN_VALUE} if none was. */
  public long newestArrival() {
    return sum.maxArrival;
  }

  public long bytesOnDisk() {
    return sum.bytes;
  }

  /** Whether a segment is in the archive, or was and has readers: its files may not be deleted. */
  public boolean knows(String id) {
    return sum.segments.containsKey(id) || sum.removed.containsKey(id);
  }

  boolean holdsAll(ArchiveCommit commit) {
    return commit.ranges().stream()
        .allMatch(
            range ->
                source(range.sourceKey())
                    .committed()
                    .contains(range.firstOffset(), range.endOffset()));
  }

  /** The segment of this id, null if it is not part of the archive. */
  public @Nullable SealedSegment segment(String id) {
    return sum.segments.get(id);
  }

  /** Segments that were replaced and whose files may still exist, by id. */
  public NavigableMap<String, Removal> removed() {
    return Collections.unmodifiableNavigableMap(sum.removed);
  }

  SourceState source(String key) {
    return sum.sources.getOrDefault(key, SourceState.NEW);
  }

  boolean isRetiredOrUnknown(String key) {
    SourceState source = sum.sources.get(key);
    return source == null || source.retired();
  }

  /** The last imported file of this SHA-256, null if there was none. */
  public @Nullable ImportedFile imported(String sha256) {
    return sum.files.get(sha256);
  }

  /** Throws {@link CommitRefusedException}, naming it, if a file of this content was imported. */
  public void requireNotImported(ImportedFile file) {
    ImportedFile before = sum.files.get(file.sha256());
    if (before != null) {
      throw new CommitRefusedException(
          CommitRefusedException.Reason.ALREADY_IMPORTED,
          String.format(
              "%s was imported before, as %s (SHA-256 %s, %s bytes)",
              file.name(), before.name(), file.sha256(), before.bytes()));
    }
  }

  /** How far the archive's history reaches. */
  public HistoryReach reach() {
    return reach;
  }

  /** These segments and nothing else, under the same archive and number. */
  public ManifestState only(List<VisibleSegment> some) {
    ManifestSum part = new ManifestSum(sum.archive);
    part.number = sum.number;
    some.forEach(
        visible -> {
          part.addSegment(visible.segment());
          if (visible.firstRow() > 0) {
            part.firstRows.put(visible.segment().id(), visible.firstRow());
          }
        });
    return part.build();
  }

  ManifestState with(String file, CommitRecord commit) {
    ManifestSum next = new ManifestSum(this);
    next.add(file, commit);
    return next.build();
  }
}
