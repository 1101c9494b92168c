package org.flowmon.archive.manifest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.OffsetRanges;
import org.flowmon.archive.commit.Removal;
import org.flowmon.archive.commit.SourceState;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/** The sum of all commits up to one. Immutable. */
public final class ManifestState {
  private final ManifestSum sum; // not changed any more
  private final List<SealedSegment> segments;

  ManifestState(ManifestSum sum) {
    this.sum = sum;
    this.segments = List.copyOf(sum.segments.values());
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

  /** The position after the last committed one of a source, −1 if the source is unknown. */
  public long committedEnd(String sourceKey) {
    return source(sourceKey).committed().end();
  }

  /** The first committed position of a source, −1 if the source is unknown. */
  public long committedFirst(String sourceKey) {
    OffsetRanges committed = source(sourceKey).committed();
    return committed.isEmpty() ? -1 : committed.first(0);
  }

  /** {@link #committedEnd} of every source, by key. */
  public SortedMap<String, Long> committedEnds() {
    SortedMap<String, Long> ends = new TreeMap<>();
    sum.sources.forEach((key, source) -> ends.put(key, source.committed().end()));
    return ends;
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    List<CommitResult.Gap> gaps = new ArrayList<>();
    sum.sources.forEach(
        (key, source) -> {
          OffsetRanges ranges = source.committed();
          for (int i = 1; i < ranges.count(); i++) {
            gaps.add(ranges.gapBefore(i, key));
          }
        });
    return gaps;
  }

  /**
   * The first arrival stored (µs), {@link Long#MAX_VALUE} if none: since then flows were collected.
   * Not the smallest {@code end_time}, which one exporter with a clock from 1970 would move. Not
   * before the {@link #cutoff}: flows that arrived earlier have expired in part.
   */
  public long historyFrom() {
    return Math.max(sum.minArrival, cutoff());
  }

  /**
   * The time (µs) since which everything that arrived from these sources was committed, but for
   * gaps: their first arrival, or a later one if positions before a source's first committed one
   * were skipped; never before the {@link #cutoff}. Unknown sources have brought nothing yet.
   * {@link Long#MAX_VALUE} if no arrival is known.
   *
   * @param disorder by how much (µs) skipped flows may have arrived later than the flows after them
   */
  public long historyFrom(Collection<String> sourceKeys, long disorder) {
    long first = Long.MAX_VALUE;
    long late = Long.MIN_VALUE;
    for (String key : sourceKeys) {
      SourceState source = source(key);
      first = Math.min(first, source.firstArrival());
      if (source.beginsLate()) {
        // Unknown stays unknown.
        long begins = Math.min(source.firstArrival(), Long.MAX_VALUE - disorder) + disorder;
        late = Math.max(late, begins);
      }
    }
    return Math.max(Math.max(first, late), cutoff());
  }

  /**
   * The ranges of arrivals (µs) that imported files hold, first to last, overlapping ones joined:
   * last by first, ascending. None reaches before the {@link #cutoff}.
   */
  public NavigableMap<Long, Long> importedArrivals() {
    Map.Entry<Long, Long> cut = sum.imported.lowerEntry(cutoff());
    if (cut == null) {
      return Collections.unmodifiableNavigableMap(sum.imported);
    }
    NavigableMap<Long, Long> left = new TreeMap<>(sum.imported.tailMap(cutoff(), true));
    if (cut.getValue() >= cutoff()) {
      left.put(cutoff(), cut.getValue());
    }
    return Collections.unmodifiableNavigableMap(left);
  }

  /**
   * The arrival (µs) before which everything is here: the smallest of the largest committed ones of
   * sources that may bring more (neither retired nor ended). Without such a source the largest
   * arrival known; {@link Long#MIN_VALUE} if none is.
   */
  public long historyThrough() {
    return through(sum.sources.values(), sum.maxArrival);
  }

  /** For these sources only; {@link Long#MIN_VALUE} if one is unknown, or if there is none. */
  public long historyThrough(Collection<String> sourceKeys) {
    if (sourceKeys.stream().anyMatch(key -> source(key).committed().isEmpty())) {
      return Long.MIN_VALUE;
    }
    return through(sourceKeys.stream().map(this::source).toList(), Long.MIN_VALUE);
  }

  private static long through(Collection<SourceState> sources, long otherwise) {
    long through = Long.MAX_VALUE;
    long largest = otherwise;
    boolean any = false;
    for (SourceState source : sources) {
      largest = Math.max(largest, source.maxArrival());
      if (!source.isSilent()) {
        any = true;
        through = Math.min(through, source.maxArrival());
      }
    }
    return any ? through : largest;
  }

  /**
   * Whether everything that arrived from these sources up to a time (µs) was committed, but for
   * {@link #gaps}: each is known, and has a later arrival or ended. False without a source. If
   * arrivals are out of order by up to a bound, ask for a time that much later.
   */
  public boolean reaches(Collection<String> sourceKeys, long arrival) {
    return !sourceKeys.isEmpty()
        && sourceKeys.stream().allMatch(key -> source(key).reaches(arrival));
  }

  ManifestState with(String file, CommitRecord commit) {
    ManifestSum next = new ManifestSum(this);
    next.add(file, commit);
    return next.build();
  }
}
