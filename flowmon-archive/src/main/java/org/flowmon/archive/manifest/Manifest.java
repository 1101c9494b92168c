package org.flowmon.archive.manifest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.log.LazyLogger;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.flow.time.FlowTime;

/**
 * The commits of one archive, with the newest state in memory ({@code docs/format/manifest.md}).
 * Safe for many threads; other processes may commit at the same time.
 */
public final class Manifest {
  public static final String FOLDER = "manifest";

  private static final LazyLogger LOG = new LazyLogger(Manifest.class);
  private static final ArchiveCommit CREATION = ArchiveCommit.empty("created");

  private final ArchiveStore store;
  private final int snapshotEvery;
  private volatile ManifestState state;

  private Manifest(ArchiveStore store, int snapshotEvery, ManifestState state) {
    this.store = store;
    this.snapshotEvery = snapshotEvery;
    this.state = state;
  }

  /** Creates a manifest; false if there is one. */
  public static boolean create(ArchiveStore store) throws IOException {
    byte[] bytes =
        CommitRecord.toBytes(0, UUID.randomUUID(), 0, nowMicros(), CREATION, Expiration.NONE);
    if (!store.putIfAbsent(ManifestFrame.Kind.COMMIT.fileName(0), bytes)) {
      return false;
    }
    LatestCommit.write(store, 0);
    return true;
  }

  /**
   * Opens a manifest; a snapshot is written every {@code snapshotEvery} commits.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws ManifestCorruptException if a commit that is needed is missing or damaged
   */
  public static Manifest open(ArchiveStore store, int snapshotEvery) throws IOException {
    Manifest manifest = new Manifest(store, snapshotEvery, ManifestLoader.load(store));
    manifest.refresh();
    return manifest;
  }

  public ManifestState state() {
    return state;
  }

  public ManifestState refresh() throws IOException {
    ManifestState now = state;
    return hasCommit(now.number() + 1) || !hasCommit(now.number()) ? readOn() : now;
  }

  private boolean hasCommit(long number) throws IOException {
    return store.exists(ManifestFrame.Kind.COMMIT.fileName(number));
  }

  private synchronized ManifestState readOn() throws IOException {
    ManifestSum builder = new ManifestSum(state);
    boolean any = ManifestLoader.readOn(store, builder);
    if (!hasCommit(builder.number())) {
      // Commits up to a snapshot were deleted since this process last read.
      state = ManifestLoader.load(store);
    } else if (any) {
      state = builder.build();
    }
    return state;
  }

  /**
   * Deletes commits and snapshots before the newest snapshot but one; returns the number of files.
   *
   * @param before none of this number or above is deleted
   * @param writtenBefore the remaining snapshot is older than this (milliseconds since 1970 UTC),
   *     for readers that no lease shows
   */
  public synchronized int prune(long before, long writtenBefore) throws IOException {
    List<StoredFile> files = store.list(FOLDER);
    List<StoredFile> old =
        files.stream().filter(file -> file.modifiedMillis() < writtenBefore).toList();
    NavigableSet<Long> snapshots = ManifestLoader.numbers(old, ManifestFrame.Kind.SNAPSHOT);
    if (snapshots.size() < 2) {
      return 0;
    }
    long keep = snapshots.lower(snapshots.last());
    // If a lease is in the way, an earlier snapshot may do.
    Long snapshot = before > keep ? Long.valueOf(keep) : snapshots.floor(before);
    if (snapshot == null
        || ManifestLoader.numbers(files, ManifestFrame.Kind.COMMIT).first() >= snapshot) {
      return 0;
    }
    keep = snapshot;
    String mark = ManifestFrame.Kind.PRUNED.fileName(keep);
    store.putIfAbsent(
        mark,
        new ManifestFrame.Writer(ManifestFrame.Kind.PRUNED, keep, state.archive(), 0, nowMicros())
            .toBytes());
    settle();
    int deleted = 0;
    // Ascending, and commits first: a slow reader finds neither the next commit nor its own.
    for (ManifestFrame.Kind kind : ManifestFrame.Kind.values()) {
      for (long number : ManifestLoader.numbers(files, kind).headSet(keep)) {
        deleted += store.delete(kind.fileName(number)) ? 1 : 0;
      }
    }
    return deleted;
  }

  /**
   * Adds a commit, durably; if another process is first, checks and prepares it again on the state
   * after that commit.
   *
   * @throws CommitRefusedException if it neither fits nor is a repeat
   */
  public synchronized CommitResult commit(ArchiveCommit commit, CommitPreparation preparation)
      throws IOException {
    while (true) {
      ManifestState before = refresh();
      if (commit.isEmpty()) {
        return CommitResult.repeated(before.number());
      }
      CommitCheck check = check(before, commit);
      if (check.repeat()) {
        return CommitResult.repeated(before.number());
      }
      Expiration expiration = preparation.prepare(before, commit);
      if (commit.retention() != null
          && expiration.isEmpty()
          && (commit.retention().options() == null
              || commit.retention().options().equals(before.retention()))) {
        return CommitResult.repeated(before.number());
      }
      long number = before.number() + 1;
      String file = ManifestFrame.Kind.COMMIT.fileName(number);
      byte[] bytes =
          CommitRecord.toBytes(
              number, before.archive(), before.checksum(), nowMicros(), commit, expiration);
      // A network file system may have stored it and lost the answer: the stored bytes are read.
      boolean written =
          store.putIfAbsent(file, bytes)
              || Arrays.equals(bytes, store.read(file, ManifestFrame.MAX_BYTES));
      if (written && !wasPruned(number)) {
        state = before.with(file, CommitRecord.fromBytes(file, bytes, number));
        writeHints();
        return committed(number, check, expiration);
      }
      if (written) {
        state = ManifestLoader.load(store);
      }
      ManifestState now = refresh();
      if (stands(now, commit, expiration) || (written && holds(now, before, commit, expiration))) {
        return committed(number, check, expiration);
      }
      if (written) {
        store.delete(file);
      }
      preparation.discard(expiration, now);
    }
  }

  /** Checks a commit; reports a repeat or refusal once the commits it rests on are durable. */
  private CommitCheck check(ManifestState before, ArchiveCommit commit) throws IOException {
    CommitCheck check = null;
    try {
      check = CommitCheck.of(before, commit);
      return check;
    } finally {
      if (check == null || check.repeat()) {
        settle();
      }
    }
  }

  /** Makes the last read state durable, even if its writer was killed in between. */
  public void settle() throws IOException {
    store.settle(FOLDER);
  }

  private static CommitResult committed(long number, CommitCheck check, Expiration expiration) {
    return new CommitResult(
        CommitResult.Outcome.COMMITTED,
        number,
        check.gaps(),
        expiration.rows(),
        expiration.lateRows());
  }

  /**
   * Whether a commit became part of a state though its file is gone: others may have followed and
   * deleted it before its writer looked. Ids are never used again, so a known segment tells. If all
   * were replaced and deleted since, the commit is tried anew, and is a repeat or refused.
   */
  private static boolean stands(ManifestState now, ArchiveCommit commit, Expiration expiration) {
    return Stream.concat(commit.segments().stream(), expiration.trimmed().values().stream())
            .anyMatch(segment -> now.knows(segment.id()))
        || (commit.segments().isEmpty() && !commit.ranges().isEmpty() && now.holdsAll(commit));
  }

  /**
   * Whether all effects of a commit of retention alone happened after it was written. No id tells
   * whether it stands, but if others had the same effect it need not be repeated.
   */
  private static boolean holds(
      ManifestState now, ManifestState before, ArchiveCommit commit, Expiration expiration) {
    RetentionChange change = commit.retention();
    return change != null
        && commit.segments().isEmpty()
        && expiration.trimmed().isEmpty()
        && (change.options() == null || change.options().equals(now.retention()))
        && now.cutoff() >= expiration.cutoff()
        && now.expiredRows() >= before.expiredRows() + expiration.rows();
  }

  /**
   * Whether a commit of this number existed and was, or may be, deleted: another's, so that the one
   * just written is void, or the latter. A lease rules that out. If leases do not show everyone, a
   * writer asleep for longer than the time of grace finds out here: the mark is written before
   * commits are deleted.
   */
  private boolean wasPruned(long number) throws IOException {
    return !store.grace().isZero()
        && !ManifestLoader.numbers(store.list(FOLDER), ManifestFrame.Kind.PRUNED)
            .tailSet(number)
            .isEmpty();
  }

  /** Writes files that make the next open faster or safer; the commit stands without them. */
  private void writeHints() {
    try {
      LatestCommit.write(store, state.number());
      if (state.number() % snapshotEvery == 0) {
        store.putIfAbsent(
            ManifestFrame.Kind.SNAPSHOT.fileName(state.number()), ManifestSnapshot.toBytes(state));
      }
    } catch (IOException e) {
      LOG.get()
          .warn(
              "commit {} is complete, but the files that speed up the next open were not written",
              state.number(),
              e);
    }
  }

  private static long nowMicros() {
    return FlowTime.now();
  }
}
