package org.flowmon.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.FetchCounts;
import org.flowmon.archive.store.NoRoomException;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.files.SyncedFolders;
import org.jspecify.annotations.Nullable;

/**
 * The exact history of flows in one place, a directory or a folder of an object store: {@code
 * segments/}, and {@code manifest/}, which lists the segments that belong to it ({@code
 * docs/archive.md}). Safe for many threads; several processes may read and commit at the same time.
 * A missing or damaged part of the manifest is a {@link
 * org.flowmon.archive.manifest.ManifestCorruptException}.
 *
 * <p>Opening an archive again in this process is cheap: manifest state and open segments are
 * shared, with the options of the first opening, until the last {@link #close}.
 */
public final class Archive implements AutoCloseable {
  public static final String SEGMENTS = "segments";

  private final SharedArchive shared;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final UncommittedSegments uncommitted;

  private Archive(SharedArchive shared) {
    this.shared = shared;
    this.uncommitted = new UncommittedSegments(shared);
  }

  public static Archive create(Path directory, ArchiveOptions options) throws IOException {
    return create(ArchiveLocation.of(directory), options);
  }

  /**
   * Creates a new, empty archive, and its directory if that is missing.
   *
   * @throws FileAlreadyExistsException if there is an archive
   */
  public static Archive create(ArchiveLocation location, ArchiveOptions options)
      throws IOException {
    if (!makeWhereMissing(location)) {
      throw new FileAlreadyExistsException(
          location.toString(), null, "an archive exists there: open it, or choose another place");
    }
    return open(location, options);
  }

  public static Archive open(Path directory) throws IOException {
    return open(directory, ArchiveOptions.DEFAULTS);
  }

  public static Archive open(Path directory, ArchiveOptions options) throws IOException {
    return open(ArchiveLocation.of(directory), options);
  }

  /**
   * Opens an archive.
   *
   * @throws NoSuchFileException if there is none
   */
  public static Archive open(ArchiveLocation location, ArchiveOptions options) throws IOException {
    if (location.isLocal() && !location.directory().toFile().isDirectory()) {
      throw new NoSuchFileException(
          location.toString(), null, "no archive: this directory does not exist; check the path");
    }
    return new Archive(SharedArchive.acquire(location, options));
  }

  public static Archive openOrCreate(Path directory, ArchiveOptions options) throws IOException {
    return openOrCreate(ArchiveLocation.of(directory), options);
  }

  /** Opens or creates an archive, for any number of processes; fails if no commit is possible. */
  public static Archive openOrCreate(ArchiveLocation location, ArchiveOptions options)
      throws IOException {
    makeWhereMissing(location);
    return open(location, options);
  }

  private static boolean makeWhereMissing(ArchiveLocation location) throws IOException {
    try (ArchiveStore store = location.openStore()) {
      store.requireCommits();
      SyncedFolders.create(store.writeFolder(SEGMENTS));
      // A manifest that lost its beginning is damaged, not absent: no new one is begun on top.
      return !hasManifest(store) && Manifest.create(store);
    }
  }

  private static boolean hasManifest(ArchiveStore store) throws IOException {
    return store.list(Manifest.FOLDER).stream()
        .anyMatch(file -> !file.fileName().startsWith(ArchiveStore.TEMPORARY_PREFIX));
  }

  public static boolean exists(Path directory) {
    return exists(ArchiveLocation.of(directory));
  }

  /** Whether an archive exists, sound or not; {@link UncheckedIOException} if unknown. */
  public static boolean exists(ArchiveLocation location) {
    try (ArchiveStore store = location.openStore()) {
      return hasManifest(store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SharedArchive shared() {
    if (closed.get()) {
      throw new IllegalStateException("this archive was closed: " + shared.location());
    }
    return shared;
  }

  public ArchiveLocation location() {
    return shared.location();
  }

  /** The archive's directory; {@link IllegalStateException} if it lies in another store. */
  public Path directory() {
    return shared.location().directory();
  }

  /** The options for new segments, {@link SegmentOptions#LOOKUP} if none are set. */
  public SegmentOptions segmentOptions() throws IOException {
    return new ArchiveSettings(shared().store()).segments();
  }

  /** Sets the options of new segments: of imports, of merges and of jobs that start later. */
  public void setSegmentOptions(SegmentOptions options) throws IOException {
    new ArchiveSettings(shared().store()).setSegments(options);
  }

  public SegmentWriter newSegmentWriter() throws IOException {
    return new SegmentWriter(segmentOptions());
  }

  /**
   * The folder for sealing segments without {@link #seal}: {@link #publish} them. Until they are
   * committed they are orphans, which others may delete.
   */
  public Path segmentsDirectory() throws IOException {
    return shared().store().writeFolder(SEGMENTS);
  }

  /**
   * Seals rows into a segment of this archive's store. Its files are no orphans until it is
   * committed or discarded, or this archive is closed. On a full disk deletes unneeded files first,
   * or throws {@link NoRoomException} if that was not enough.
   */
  public SealedSegment seal(
      SegmentWriter writer, Collection<? extends FlowRows> parts, Provenance provenance)
      throws IOException {
    return new RoomMaker(shared()).run(() -> sealOnce(writer, parts, provenance));
  }

  private SealedSegment sealOnce(
      SegmentWriter writer, Collection<? extends FlowRows> parts, Provenance provenance)
      throws IOException {
    String[] id = new String[1];
    boolean done = false;
    try {
      SealedSegment segment =
          writer.seal(
              segmentsDirectory(),
              parts,
              provenance,
              made -> {
                uncommitted.own(made);
                id[0] = made;
              });
      publishOrDiscard(segment);
      done = true;
      return segment;
    } finally {
      if (!done && id[0] != null) {
        uncommitted.disown(id[0]);
      }
    }
  }

  private void publishOrDiscard(SealedSegment segment) throws IOException {
    try {
      publish(segment);
    } catch (IOException | RuntimeException | Error e) {
      try {
        discard(segment);
      } catch (IOException left) {
        e.addSuppressed(left); // an orphan
      }
      throw e;
    }
  }

  /** Moves a segment that was sealed in {@link #segmentsDirectory} into the archive's store. */
  public void publish(SealedSegment segment) throws IOException {
    shared().store().publish(SEGMENTS + "/" + segment.fileName());
    shared().store().publish(SEGMENTS + "/" + segment.indexFileName());
  }

  /**
   * Deletes a sealed segment that will never be committed (again), unless the newest commit
   * {@linkplain ManifestState#knows knows} it: a refused writer may have committed it without
   * learning of it. If the newest commit cannot be read, throws and deletes nothing.
   */
  public void discard(SealedSegment segment) throws IOException {
    if (!shared().manifest().refresh().knows(segment.id())) {
      shared().store().delete(SEGMENTS + "/" + segment.fileName());
      shared().store().delete(SEGMENTS + "/" + segment.indexFileName());
    }
    uncommitted.disown(segment.id());
  }

  /** The lock for compaction and expiration, null if taken; of a remote store, on this host. */
  public @Nullable MaintenanceLock tryMaintenance() throws IOException {
    return MaintenanceLock.tryTake(shared().store().hostFolder());
  }

  /** This process's fetches from the store since it opened the archive; zeros for a local one. */
  public FetchCounts fetched() {
    return shared.store().fetched();
  }

  /** The archive at its newest commit. Cheap: looks for newer commits, opens no segment. */
  public ArchiveSnapshot snapshot() throws IOException {
    return snapshot(state -> state, false);
  }

  /**
   * Some segments of a snapshot that another process may hold, and its files with it, even if they
   * have been merged into others since. Without host directory and day sums, and without what a
   * commit tells beside its segments.
   */
  public ArchiveSnapshot snapshotOf(List<VisibleSegment> segments) throws IOException {
    return snapshot(state -> state.only(segments), true);
  }

  private ArchiveSnapshot snapshot(UnaryOperator<ManifestState> chosen, boolean isPart)
      throws IOException {
    ManifestState state = shared().hold();
    try {
      return new ArchiveSnapshot(shared.acquire(), chosen.apply(state), isPart);
    } catch (RuntimeException e) {
      shared.release(state);
      throw e;
    }
  }

  /**
   * Makes segments part of the archive, durably, and hides the rows beyond its retention limits. If
   * another process commits meanwhile, this commit is checked again against the other. If all
   * positions were committed before, nothing changes and the result says so. Skipped positions are
   * counted in the result and kept as gaps, which a later commit may fill.
   *
   * @throws CommitRefusedException if a part of the positions was committed before, the file was
   *     imported before, or a segment's file is missing
   */
  public CommitResult commit(ArchiveCommit commit) throws IOException {
    return new RoomMaker(shared()).run(() -> commitOnce(commit));
  }

  private CommitResult commitOnce(ArchiveCommit commit) throws IOException {
    // A repeat is acknowledged even if its segments are gone: others hold its positions.
    ManifestState held = shared().hold();
    CommitRetention retention = new CommitRetention(shared);
    List<String> ids = commit.segments().stream().map(SealedSegment::id).toList();
    List<String> owned = List.of();
    try {
      // Held, so that nobody deletes commits that this one must not write again.
      shared.requireLease();
      shared.store().requireCommits();
      shared.keepColumns();
      // Owned before their files are looked for: their writer may be gone.
      owned = uncommitted.takeOver(ids);
      CommitResult result = shared.manifest().commit(commit, retention);
      uncommitted.committed(ids);
      return result;
    } catch (InternalError e) {
      throw MappedRegion.explain(e);
    } finally {
      shared.lease().disown(owned);
      retention.end();
      shared.release(held);
    }
  }

  void requireNotImported(ImportedFile file) throws IOException {
    try {
      shared().manifest().refresh().requireNotImported(file);
    } catch (CommitRefusedException e) {
      shared().manifest().settle();
      throw e;
    }
  }

  /** The position after the last committed one of a source, −1 if the source is unknown. */
  public long committedEnd(String sourceKey) throws IOException {
    return shared().manifest().refresh().reach().committedEnd(sourceKey);
  }

  public long historyThrough() throws IOException {
    return shared().manifest().refresh().reach().historyThrough();
  }

  /** Files that no commit names (yet), by path or URL: no damage, unseen by queries. */
  public List<String> orphans() throws IOException {
    return new UnneededFiles(shared()).orphans();
  }

  /**
   * Deletes files that no reader needs any more: of replaced segments, whose ids are returned, and
   * commits and snapshots before the newest snapshot but one. Files go before a commit says so: if
   * a process dies in between, the next call deletes the rest. They stay for {@code grace}, or
   * longer if the store asks for it, for readers on other hosts, whose leases cannot be seen here.
   */
  public List<String> removeReplaced(Duration grace) throws IOException {
    return new UnneededFiles(shared()).removeReplaced(grace);
  }

  /**
   * Brings the host directory up to the newest commit, for faster lookups of addresses; no answer
   * changes. Cheap if nothing is to be done.
   *
   * @param verify first checks every byte of the directory and makes damaged files again
   * @param stop asked before each file is written: if true the rest is left
   */
  public RunUpdate.Done updateDirectory(boolean verify, BooleanSupplier stop) throws IOException {
    return update(shared().hosts(), Archive::all, verify, stop);
  }

  /**
   * Brings the day sums up to the newest commit, for faster sums over whole days; otherwise like
   * {@link #updateDirectory}. {@code settled} gives the places of segments not about to be merged,
   * to be covered.
   */
  public RunUpdate.Done updateDays(
      Function<List<SealedSegment>, BitSet> settled, boolean verify, BooleanSupplier stop)
      throws IOException {
    return update(shared().days(), settled, verify, stop);
  }

  private static BitSet all(List<SealedSegment> segments) {
    BitSet all = new BitSet(segments.size());
    all.set(0, segments.size());
    return all;
  }

  private RunUpdate.Done update(
      RunFolder<?> runs,
      Function<List<SealedSegment>, BitSet> toCover,
      boolean verify,
      BooleanSupplier stop)
      throws IOException {
    // Held, so that nobody deletes a segment that is being read.
    ManifestState state = shared.hold();
    try {
      List<SealedSegment> segments = state.segments();
      return runs.update(SEGMENTS, segments, toCover.apply(segments), verify, stop);
    } finally {
      shared.release(state);
    }
  }

  /**
   * Deletes orphans that no live process owns, at once. A process owns the segments that it is
   * sealing, and those that it sealed and may still commit. An object store shows no owners of
   * other hosts: there only orphans that were not written to for a day go, and those on this host's
   * disk whose processes are gone.
   */
  public OrphanSweep sweepOrphans() throws IOException {
    return new UnneededFiles(shared()).sweep();
  }

  /**
   * Like {@link #sweepOrphans()}, but only orphans that were not written to for so long: while
   * segments may be on their way from a writer that has ended to their committer.
   */
  public OrphanSweep sweepOrphans(Duration olderThan) throws IOException {
    return new UnneededFiles(shared()).sweep(olderThan);
  }

  /**
   * Deletes orphans that were not written to for so long, whoever owns them; returns their absolute
   * paths or URLs. {@code olderThan} must exceed any wait for a commit: a job that is down
   * recommits from its checkpoint when it is up again.
   */
  public List<String> removeOrphans(Duration olderThan) throws IOException {
    return new UnneededFiles(shared()).removeOrphans(olderThan);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      uncommitted.close();
      shared.release();
    }
  }

  @Override
  public String toString() {
    return "Archive[" + location() + "]";
  }
}
