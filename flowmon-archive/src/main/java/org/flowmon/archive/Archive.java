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
import org.flowmon.archive.region.SyncedFolders;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.FetchCounts;
import org.flowmon.archive.store.NoRoomException;
import org.flowmon.flow.FlowRows;

/**
 * The exact history of flows in one place, a directory or a folder of an object store: {@code
 * segments/}, and {@code manifest/}, which lists the segments that belong to it ({@code
 * docs/archive.md}).
 *
 * <p>Opening an archive that this process has open already is cheap: both share the manifest's
 * state and the open segments, with the options of the first. The last {@link #close} closes them.
 * Safe for many threads; several processes may read and commit at the same time.
 *
 * <p>A missing or damaged part of the manifest is a {@link
 * org.flowmon.archive.manifest.ManifestCorruptException}.
 */
public final class Archive implements AutoCloseable {
  /** The folder of segments within an archive. */
  public static final String SEGMENTS = "segments";

  private final SharedArchive shared;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final UncommittedSegments uncommitted;

  private Archive(SharedArchive shared) {
    this.shared = shared;
    this.uncommitted = new UncommittedSegments(shared);
  }

  /** As {@link #create(ArchiveLocation, ArchiveOptions)}, in a directory. */
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
          location.toString(), null, "there is an archive already");
    }
    return open(location, options);
  }

  /** As {@link #open(Path, ArchiveOptions)} with the defaults. */
  public static Archive open(Path directory) throws IOException {
    return open(directory, ArchiveOptions.DEFAULTS);
  }

  /** As {@link #open(ArchiveLocation, ArchiveOptions)}, of a directory. */
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
          location.toString(), null, "no archive: there is no such directory");
    }
    return new Archive(SharedArchive.acquire(location, options));
  }

  /** As {@link #openOrCreate(ArchiveLocation, ArchiveOptions)}, in a directory. */
  public static Archive openOrCreate(Path directory, ArchiveOptions options) throws IOException {
    return openOrCreate(ArchiveLocation.of(directory), options);
  }

  /**
   * Opens an archive, or creates it if there is none. Several processes may call this at the same
   * time.
   *
   * @throws IOException also if nothing could be committed here
   */
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

  /** As {@link #exists(ArchiveLocation)}, of a directory. */
  public static boolean exists(Path directory) {
    return exists(ArchiveLocation.of(directory));
  }

  /**
   * Whether an archive exists, sound or not.
   *
   * @throws UncheckedIOException if that cannot be told
   */
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

  /** The archive's location. */
  public ArchiveLocation location() {
    return shared.location();
  }

  /**
   * The archive's directory.
   *
   * @throws IllegalStateException if it lies in another store
   */
  public Path directory() {
    return shared.location().directory();
  }

  /**
   * The options that new segments of this archive are sealed with: those of {@link
   * #setSegmentOptions}, else {@link SegmentOptions#LOOKUP}. Existing segments may have others.
   */
  public SegmentOptions segmentOptions() throws IOException {
    return new ArchiveSettings(shared().store()).segments();
  }

  /** Sets the options of new segments: of imports, of merges and of jobs that start later. */
  public void setSegmentOptions(SegmentOptions options) throws IOException {
    new ArchiveSettings(shared().store()).setSegments(options);
  }

  /** A writer of {@link #segmentOptions}. */
  public SegmentWriter newSegmentWriter() throws IOException {
    return new SegmentWriter(segmentOptions());
  }

  /**
   * The folder for sealing segments before they are committed. A segment that {@link #seal} did not
   * seal must be {@link #publish}ed; until it is committed it is an orphan, which others may
   * delete.
   */
  public Path segmentsDirectory() throws IOException {
    return shared().store().writeFolder(SEGMENTS);
  }

  /**
   * Seals rows into a segment of this archive's store, to be committed. Its files are no orphans
   * until it is committed or discarded, or this archive is closed. If the disk is full, unneeded
   * files are deleted first.
   *
   * @see SegmentWriter#seal
   * @throws NoRoomException if that was not enough
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
   * Deletes a sealed segment that will never be committed (again). A segment that the newest commit
   * {@linkplain ManifestState#knows knows} stays: a refused writer may have committed it before
   * without learning of it.
   *
   * @throws IOException also if the newest commit cannot be read: then nothing is deleted
   */
  public void discard(SealedSegment segment) throws IOException {
    if (!shared().manifest().refresh().knows(segment.id())) {
      shared().store().delete(SEGMENTS + "/" + segment.fileName());
      shared().store().delete(SEGMENTS + "/" + segment.indexFileName());
    }
    uncommitted.disown(segment.id());
  }

  /**
   * The lock for compaction and expiration of this archive; null if another holds it. In a store
   * that is not local, it keeps out processes of this host only.
   */
  public MaintenanceLock tryMaintenance() throws IOException {
    return MaintenanceLock.tryTake(shared().store().hostFolder());
  }

  /**
   * This process's fetches from the archive's store since it opened the archive; zeros for a local
   * one.
   */
  public FetchCounts fetched() {
    return shared.store().fetched();
  }

  /** The archive at its newest commit. Cheap: looks for newer commits, opens no segment. */
  public ArchiveSnapshot snapshot() throws IOException {
    ManifestState state = shared().hold();
    try {
      return new ArchiveSnapshot(shared.acquire(), state);
    } catch (RuntimeException e) {
      shared.release(state);
      throw e;
    }
  }

  /**
   * Makes segments part of the archive, durably. If another process commits at the same time, this
   * commit is checked again against the other.
   *
   * <p>If all positions were committed before, nothing changes and the result says so. Skipped
   * positions are counted in the result and kept as gaps of the source; a later commit may fill
   * them.
   *
   * <p>If the archive has retention limits, the commit also hides the rows beyond them.
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
    return shared().manifest().refresh().committedEnd(sourceKey);
  }

  /** {@link ArchiveSnapshot#historyThrough()} of the newest commit. */
  public long historyThrough() throws IOException {
    return shared().manifest().refresh().historyThrough();
  }

  /**
   * Files that no commit names: not committed yet, or left by a process that died. They are no
   * damage, and no query sees them.
   *
   * @return absolute paths or URLs
   */
  public List<String> orphans() throws IOException {
    return new UnneededFiles(shared()).orphans();
  }

  /**
   * Deletes files that no reader needs any more: those of replaced segments, and commits and
   * snapshots before the newest snapshot but one. A segment's files are deleted before a commit
   * says so. If a process dies in between, the next call deletes the rest.
   *
   * @param grace how long files stay after their replacement, for readers on other hosts, whose
   *     leases cannot be seen from here; the store may ask for more
   * @return ids of the segments whose files are gone
   */
  public List<String> removeReplaced(Duration grace) throws IOException {
    return new UnneededFiles(shared()).removeReplaced(grace);
  }

  /**
   * Brings the host directory up to the newest commit. It makes lookups of addresses faster and
   * changes no answer. Cheap if nothing is to be done. Called by maintenance.
   *
   * @param verify whether every byte of the directory is checked first, and damaged files are made
   *     again
   * @param stop asked before each file is written: if it is true the rest is left
   */
  public RunUpdate.Done updateDirectory(boolean verify, BooleanSupplier stop) throws IOException {
    return update(shared().hosts(), Archive::all, verify, stop);
  }

  /**
   * Brings the day sums up to the newest commit. They make sums over whole days faster and change
   * no answer. Cheap if nothing is to be done. Called by maintenance.
   *
   * @param settled gives the places of those segments that are not about to be merged: others are
   *     not covered
   * @param verify whether every byte of the sums is checked first, and damaged files are made again
   * @param stop asked before each file is written: if it is true the rest is left
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
   * other hosts: there only orphans that were not written to for a day are deleted, and those on
   * the disk of this host whose processes are gone.
   */
  public OrphanSweep sweepOrphans() throws IOException {
    return new UnneededFiles(shared()).sweep();
  }

  /**
   * As {@link #sweepOrphans()}, but only orphans that were not written to for so long. For use
   * while segments may be on their way from a writer that has ended to their committer.
   */
  public OrphanSweep sweepOrphans(Duration olderThan) throws IOException {
    return new UnneededFiles(shared()).sweep(olderThan);
  }

  /**
   * Deletes orphans that were not written to for so long, whoever owns them.
   *
   * @param olderThan longer than any segment waits for its commit: a job that is down recommits
   *     from its checkpoint when it is up again
   * @return deleted files: absolute paths or URLs
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
