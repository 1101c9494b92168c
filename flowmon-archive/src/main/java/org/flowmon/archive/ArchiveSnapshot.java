package org.flowmon.archive;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.days.DayRun;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.FetchCounts;

/**
 * The archive as of one commit: what is committed later does not show. Immutable and safe for many
 * threads. To be closed; until then its archive's open segments stay usable, and its {@link #files}
 * stay if they are, though they may be merged into others meanwhile.
 */
public final class ArchiveSnapshot implements AutoCloseable {
  private final SharedArchive shared;
  private final ManifestState state;
  private final AtomicBoolean closed = new AtomicBoolean();

  ArchiveSnapshot(SharedArchive shared, ManifestState state) {
    this.shared = shared;
    this.state = state;
  }

  /** Where the archive lies. */
  public ArchiveLocation location() {
    return shared.location();
  }

  /** What was fetched for this process's reads of the archive, since it was opened. */
  public FetchCounts fetched() {
    return shared.store().fetched();
  }

  /** The archive's own number, which its copies share. */
  public UUID archive() {
    return state.archive();
  }

  /** Number of the commit. */
  public long number() {
    return state.number();
  }

  /** The segments in the order of their commits. */
  public List<SealedSegment> segments() {
    return state.segments();
  }

  /**
   * The Parquet files of {@link #segments}, absolute paths or URLs, for other readers: the rows of
   * this state, and before the {@link #firstRow} of each what has expired. The folder may hold
   * more: what was merged into others, and what is not committed.
   */
  public List<String> files() {
    return segments().stream()
        .map(segment -> shared.store().describe(Archive.SEGMENTS + "/" + segment.fileName()))
        .toList();
  }

  /**
   * Whether other processes know of this snapshot and delete none of its files until it is closed.
   * Not so if the archive's folder cannot be written ({@code docs/format/manifest.md}, Leases),
   * nor in a store that is not local: there they stay for a time of grace.
   */
  public boolean keepsFiles() {
    return shared.isLeased();
  }

  /** Visible rows: all of the segments' but those that have expired. */
  public long rows() {
    return state.rows();
  }

  /** Rows of all segments, with those that have expired and are not trimmed away yet. */
  public long storedRows() {
    return state.storedRows();
  }

  /**
   * The first visible row of one of {@link #segments}: those before it have expired and belong to
   * no answer, nor do sums that they are in. 0 if none has.
   */
  public int firstRow(SealedSegment segment) {
    return state.firstRow(segment.id());
  }

  /**
   * The number of the commit that brought the newest rows of one of {@link #segments}, or of a
   * later one: a snapshot of that number or a larger one has all of its rows, but for those that
   * have expired, whichever segments hold them.
   */
  public long newestRows(SealedSegment segment) {
    return state.newestRows(segment.id());
  }

  /** How much of the past is kept. */
  public RetentionOptions retention() {
    return state.retention();
  }

  /**
   * No row with a smaller {@link org.flowmon.archive.segment.TimeKey} (µs) is visible, {@link
   * Long#MIN_VALUE} if nothing has expired.
   */
  public long cutoff() {
    return state.cutoff();
  }

  /** Rows that were committed once and have expired, {@link #lateRows} too. */
  public long expiredRows() {
    return state.expiredRows();
  }

  /** Rows that were below the cutoff when they were committed, so were never visible. */
  public long lateRows() {
    return state.lateRows();
  }

  /** Bytes of all segments and sidecars. */
  public long bytesOnDisk() {
    return state.bytesOnDisk();
  }

  /** Bytes of the host directory as it lies there now. */
  public long directoryBytes() throws IOException {
    requireOpen();
    return shared.hosts().storedBytes();
  }

  /** Bytes of the day sums as they lie there now. */
  public long daySumBytes() throws IOException {
    requireOpen();
    return shared.days().storedBytes();
  }

  /** The position after the last committed one of a source, −1 if it is unknown. */
  public long committedEnd(String sourceKey) {
    return state.committedEnd(sourceKey);
  }

  /** The first committed position of a source, −1 if it is unknown. */
  public long committedFirst(String sourceKey) {
    return state.committedFirst(sourceKey);
  }

  /** {@link #committedEnd} of every source. */
  public SortedMap<String, Long> committedEnds() {
    return state.committedEnds();
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    return state.gaps();
  }

  /** Whether a file of this SHA-256 (64 lower-case hexadecimal digits) was imported. */
  public boolean isImported(String sha256) {
    return state.imported(sha256) != null;
  }

  /** The first arrival stored (µs), {@link Long#MAX_VALUE} if none is. */
  public long historyFrom() {
    return state.historyFrom();
  }

  /**
   * Since when (µs) everything that arrived from these sources is here, but for {@link #gaps}:
   * their first arrival, or a later one if positions before a source's first one here were left
   * out. {@link Long#MAX_VALUE} if no arrival is known.
   *
   * @param disorder by how much (µs) what was left out may have arrived later than what followed
   */
  public long historyFrom(Collection<String> sourceKeys, long disorder) {
    return state.historyFrom(sourceKeys, disorder);
  }

  /**
   * The stretches of arrivals (µs) that imported files hold, from the first to the last of each;
   * those that overlap are one. Last arrival by first, ascending.
   */
  public NavigableMap<Long, Long> importedArrivals() {
    return state.importedArrivals();
  }

  /**
   * Before which arrival (µs) everything is here: the smallest over all sources from which more may
   * come of their largest committed arrival. Without such a source the largest arrival known;
   * {@link Long#MIN_VALUE} if none is.
   */
  public long historyThrough() {
    return state.historyThrough();
  }

  /**
   * As {@link #historyThrough()}, for these sources; {@link Long#MIN_VALUE} if one is unknown.
   */
  public long historyThrough(Collection<String> sourceKeys) {
    return state.historyThrough(sourceKeys);
  }

  /**
   * Whether everything that arrived from these sources up to a time (µs) is here, but for {@link
   * #gaps}: each is known, and has a later arrival or ended. If a source's arrivals are out of
   * order by up to a bound, ask for a time that much later.
   */
  public boolean reaches(Collection<String> sourceKeys, long arrival) {
    return state.reaches(sourceKeys, arrival);
  }

  /**
   * What the host directory says of {@link #segments}, whose places are those in the list.
   *
   * @return to be released
   */
  public HostView hosts() throws IOException {
    requireOpen();
    return shared.hosts().hosts(state.number(), state.segments());
  }

  /**
   * What the day sums say of {@link #segments}, whose places are those in the list.
   *
   * @return to be released
   */
  public RunView<DayRun> days() throws IOException {
    requireOpen();
    return shared.days().view(state.number(), state.segments());
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this snapshot was closed: " + this);
    }
  }

  /**
   * Opens one of {@link #segments}, or shares it if this process has it open.
   *
   * @param verifyChecksums whether a column's bytes are checked when it is first read
   * @return to be closed
   * @throws org.flowmon.archive.region.SegmentCorruptException if its file is missing or damaged
   */
  public SegmentLease open(SealedSegment segment, boolean verifyChecksums) throws IOException {
    requireOpen();
    return shared.segments().lease(segment, verifyChecksums, firstRow(segment));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      shared.release(state);
      shared.release();
    }
  }

  @Override
  public String toString() {
    return "ArchiveSnapshot[" + location() + ", commit " + number() + "]";
  }
}
