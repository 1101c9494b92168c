package org.flowmon.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.days.DayRun;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.manifest.ManifestHistory;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.archive.segment.format.ThriftStruct;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.FetchCounts;
import org.flowmon.flow.bytes.Crc32c;

/**
 * The archive at one commit: later commits do not show. Immutable and safe for many threads. Until
 * it is closed, its archive's open segments stay usable and its {@link #files} stay in place, even
 * if merged into others. Cutoff: see {@link ManifestState}; history and arrivals: see {@link
 * HistoryReach}.
 */
public final class ArchiveSnapshot implements AutoCloseable {
  private final SharedArchive shared;
  private final ManifestState state;
  private final boolean isPart;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** {@code isPart}: some segments of a commit, perhaps of an earlier one. */
  ArchiveSnapshot(SharedArchive shared, ManifestState state, boolean isPart) {
    this.shared = shared;
    this.state = state;
    this.isPart = isPart;
  }

  public ArchiveLocation location() {
    return shared.location();
  }

  public FetchCounts fetched() {
    return shared.store().fetched();
  }

  /** The archive's own id, which its copies share. */
  public UUID archive() {
    return state.archive();
  }

  public long number() {
    return state.number();
  }

  /** The segments in the order of their commits. */
  public List<SealedSegment> segments() {
    return state.segments();
  }

  /**
   * The Parquet files, absolute paths or URLs. They hold the rows of this state and, before each
   * {@link #firstRow}, expired ones. The folder may also hold merged and uncommitted files.
   */
  public List<String> files() {
    return segments().stream().map(this::file).toList();
  }

  /**
   * Whether other processes see this snapshot's lease and delete none of its files. False if the
   * archive's folder cannot be written ({@code docs/format/manifest.md}, Leases), and in a store
   * that is not local: there files stay for a time of grace.
   */
  public boolean keepsFiles() {
    return shared.isLeased();
  }

  /** The Parquet footer of one of {@link #segments}, read alone, and checked. */
  public FileMetaData footer(SealedSegment segment) throws IOException {
    requireOpen();
    String name = Archive.SEGMENTS + "/" + segment.fileName();
    FileIdentity file = segment.segmentFile();
    byte[] footer =
        shared.store().readRange(name, file.length() - file.footerLength(), file.footerLength());
    if (Crc32c.of(footer, 0, footer.length) != file.footerCrc32c()) {
      throw new SegmentCorruptException(
          shared.store().describe(name), "footer", "its CRC32C is not the sealed one", null);
    }
    return ThriftStruct.parse(footer, "the footer of " + name, Util::readFileMetaData);
  }

  /** The place of a segment's Parquet file: an absolute path or a URL. */
  public String file(SealedSegment segment) {
    return shared.store().describe(Archive.SEGMENTS + "/" + segment.fileName());
  }

  /**
   * The states after a commit and up to this one, ascending, of many the last {@code most}. Those
   * whose commits were deleted are missing; this one never is. Files of segments that {@link
   * ManifestState#knows this state knows} may still exist, other files do not.
   */
  public List<ManifestState> history(long after, int most) throws IOException {
    requireOpen();
    List<ManifestState> states =
        new ArrayList<>(ManifestHistory.states(shared.store(), after, number(), most));
    if (states.isEmpty() || states.get(states.size() - 1).number() < number()) {
      states.add(state);
    }
    return states;
  }

  /** Visible rows: all rows of the segments but expired ones. */
  public long rows() {
    return state.rows();
  }

  /** Rows of all segments, including expired ones that are not trimmed yet. */
  public long storedRows() {
    return state.storedRows();
  }

  /** The first visible row, 0 if none expired. No answer or sum may include earlier ones. */
  public int firstRow(SealedSegment segment) {
    return state.firstRow(segment.id());
  }

  /** For {@link Archive#snapshotOf} in this or another process. */
  public VisibleSegment visible(SealedSegment segment) {
    return new VisibleSegment(segment, firstRow(segment));
  }

  /** The commit of a segment's newest rows, or a later one: snapshots since have the unexpired. */
  public long newestRows(SealedSegment segment) {
    return state.newestRows(segment.id());
  }

  public RetentionOptions retention() {
    return state.retention();
  }

  public long cutoff() {
    return state.cutoff();
  }

  /** Rows that were committed once and have expired, including {@link #lateRows}. */
  public long expiredRows() {
    return state.expiredRows();
  }

  /** Rows below the cutoff when they were committed, so never visible. */
  public long lateRows() {
    return state.lateRows();
  }

  public long bytesOnDisk() {
    return state.bytesOnDisk();
  }

  /** Bytes of the host directory now, not at this commit. */
  public long directoryBytes() throws IOException {
    requireOpen();
    return shared.hosts().storedBytes();
  }

  /** Bytes of the day sums now, not at this commit. */
  public long daySumBytes() throws IOException {
    requireOpen();
    return shared.days().storedBytes();
  }

  public HistoryReach reach() {
    return state.reach();
  }

  /** The position after the last committed one of a source, −1 if the source is unknown. */
  public long committedEnd(String sourceKey) {
    return state.reach().committedEnd(sourceKey);
  }

  /** The first committed position of a source, −1 if the source is unknown. */
  public long committedFirst(String sourceKey) {
    return state.reach().committedFirst(sourceKey);
  }

  public SortedMap<String, Long> committedEnds() {
    return state.reach().committedEnds();
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    return state.reach().gaps();
  }

  /** Whether a file of this SHA-256 (64 lower-case hexadecimal digits) was imported. */
  public boolean isImported(String sha256) {
    return state.imported(sha256) != null;
  }

  public long historyFrom() {
    return state.reach().historyFrom();
  }

  public NavigableMap<Long, Long> importedArrivals() {
    return state.reach().importedArrivals();
  }

  public long historyThrough() {
    return state.reach().historyThrough();
  }

  public boolean reaches(Collection<String> sourceKeys, long arrival) {
    return state.reach().reaches(sourceKeys, arrival);
  }

  /** The host directory by places in {@link #segments}; to be released. */
  public HostView hosts() throws IOException {
    requireOpen();
    return isPart
        ? shared.hosts().noHosts(state.segments())
        : shared.hosts().hosts(state.number(), state.segments());
  }

  /** The day sums by places in {@link #segments}; to be released. */
  public RunView<DayRun> days() throws IOException {
    requireOpen();
    return isPart
        ? shared.days().none(state.segments())
        : shared.days().view(state.number(), state.segments());
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this snapshot was closed: " + this);
    }
  }

  /**
   * Opens one of {@link #segments}, or shares it if this process has it open; to be closed.
   *
   * @param verifyChecksums whether a column's bytes are checked when it is first read
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
