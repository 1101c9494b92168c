package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.region.SyncedFolders;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a folder of runs up to a snapshot: covers its new segments, merges runs, deletes damaged
 * and unneeded ones. If a process dies in between, two runs may cover the same segments; the next
 * update tidies up. For single use; not thread-safe.
 */
public abstract class RunUpdate<R extends DerivedRun> {
  /** A run of this size is not merged any more. */
  protected static final long MAX_MERGED_BYTES = 1L << 30;

  // The next larger run is merged if it is at most so many times as large as all smaller ones.
  private static final int GROWTH = 3;
  // Files that another process may still need: it is writing them, or saw a commit that this one
  // did not.
  private static final Duration LEFT_ALONE = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(RunUpdate.class);

  private final RunFolder<R> folder;
  private final List<SealedSegment> segments;
  private final BooleanSupplier stop;
  private final Set<String> broken = new LinkedHashSet<>();
  private final List<R> held = new ArrayList<>();
  private int covered;
  private int merged;

  /**
   * The result of an update.
   *
   * @param covered segments that were added
   * @param merged runs that were merged into others
   * @param damaged runs that were damaged and deleted
   * @param uncovered segments that are still not covered: damaged ones, or all the rest if it was
   *     stopped
   */
  public record Done(int covered, int merged, int damaged, int uncovered) {
    /** Whether no file changed. */
    public boolean isNothing() {
      return covered == 0 && merged == 0 && damaged == 0;
    }
  }

  /** Writes a run. */
  @FunctionalInterface
  protected interface Content {
    /** Writes the file under its name, synced. */
    void write(Path file) throws IOException;
  }

  /**
   * Prepares an update.
   *
   * @param segments of the newest snapshot, held until {@link #run} returns
   * @param stop asked before each file: if it is true the rest is left to the next update
   */
  protected RunUpdate(RunFolder<R> folder, List<SealedSegment> segments, BooleanSupplier stop) {
    this.folder = folder;
    this.segments = segments;
    this.stop = stop;
  }

  /**
   * Updates the folder.
   *
   * @param verify whether every byte of every run is checked first
   * @throws IOException if files cannot be written; files already written stay
   */
  protected final Done run(boolean verify) throws IOException {
    try {
      return update(verify);
    } finally {
      held.forEach(DerivedRun::release);
      folder.forgetViews();
    }
  }

  private Done update(boolean verify) throws IOException {
    List<R> runs = new ArrayList<>(folder.acquireRuns(broken));
    held.addAll(runs);
    if (verify) {
      runs.removeIf(run -> !isSound(run));
    }
    RunCover<R> cover = RunCover.of(segments, runs);
    BitSet uncovered = cover.uncovered();
    uncovered.and(toCover());
    if (uncovered.isEmpty() && runs.isEmpty() && broken.isEmpty()) {
      return new Done(0, 0, 0, 0);
    }
    int damaged = 0;
    for (String name : broken) {
      damaged += delete(name) ? 1 : 0;
    }
    deleteIdle(cover.idle());
    cover.idle().forEach(share -> runs.remove(share.run()));
    int left = uncovered.cardinality();
    for (int next = uncovered.nextSetBit(0); next >= 0 && !stop.getAsBoolean(); ) {
      List<SealedSegment> some = new ArrayList<>();
      next = cover(uncovered, next, some, runs);
      covered += some.size();
      left -= some.size();
    }
    while (!stop.getAsBoolean() && mergeSome(runs)) {
      LOG.debug("{} runs are left", runs.size());
    }
    removeTemporary();
    return new Done(covered, merged, damaged, left);
  }

  private boolean isSound(R run) {
    String problem;
    try {
      problem = problem(run);
    } catch (SegmentCorruptException e) {
      problem = e.getMessage();
    }
    if (problem != null) {
      LOG.warn("a run of {} is made again: {}", folder.kind().what(), problem);
      broken.add(run.name());
    }
    return problem == null;
  }

  /**
   * Reads every byte of a run.
   *
   * @return its problem, null if there is none
   * @throws SegmentCorruptException if the run is damaged
   */
  protected abstract String problem(R run);

  /** Places of the segments to be covered. */
  protected BitSet toCover() {
    BitSet all = new BitSet(segments.size());
    all.set(0, segments.size());
    return all;
  }

  /**
   * Writes one run over the next segments, as many as fit.
   *
   * @param wanted places of the segments to be covered
   * @param from the first of them that is not covered yet
   * @param taken takes the segments that are covered now
   * @param runs takes the new run
   * @return the next place to look at, −1 if there is none
   */
  protected abstract int cover(BitSet wanted, int from, List<SealedSegment> taken, List<R> runs)
      throws IOException;

  /**
   * Writes one run in place of others.
   *
   * @return the new run, null if they are to be made again from the segments
   * @throws SegmentCorruptException if one of them is damaged
   */
  protected abstract R merge(List<RunCover.Share<R>> parts) throws IOException;

  /**
   * Whether runs can be merged into one within the memory.
   *
   * @throws SegmentCorruptException if one of them is damaged
   */
  protected boolean fit(List<RunCover.Share<R>> parts) {
    return true;
  }

  /**
   * Whether so much of a run is useless that it is to be written again.
   *
   * @throws SegmentCorruptException if it is damaged
   */
  protected boolean isWorn(RunCover.Share<R> share) {
    return 2L * share.live() < share.run().segments().size();
  }

  /** The segments of the snapshot. */
  protected final List<SealedSegment> segments() {
    return segments;
  }

  /** The store of the runs. */
  protected final ArchiveStore store() {
    return folder.store();
  }

  /** The archive of the runs. */
  protected final UUID archive() {
    return folder.archive();
  }

  /** Writes a run under a new name and opens it, until the update ends. */
  protected final R write(Content content) throws IOException {
    String kind = folder.kind().folder();
    String name = UUID.randomUUID() + folder.kind().suffix();
    Path path = SyncedFolders.create(store().writeFolder(kind));
    content.write(path.resolve(name));
    SyncedFolders.sync(path);
    store().publish(kind + "/" + name);
    R run = folder.openRun(name);
    held.add(run);
    return run;
  }

  private boolean delete(String name) throws IOException {
    return store().delete(folder.kind().folder() + "/" + name);
  }

  /**
   * Deletes runs that answer for no segment. A run that names segments outside this snapshot may be
   * of a process that saw a later commit: it is kept for a while.
   */
  private void deleteIdle(List<RunCover.Share<R>> idle) throws IOException {
    if (idle.isEmpty()) {
      return;
    }
    long before = System.currentTimeMillis() - LEFT_ALONE.toMillis();
    Map<String, Long> modified =
        store().list(folder.kind().folder()).stream()
            .collect(Collectors.toMap(StoredFile::fileName, StoredFile::modifiedMillis));
    for (RunCover.Share<R> share : idle) {
      String name = share.run().name();
      if (!share.namesOthers() || modified.getOrDefault(name, Long.MIN_VALUE) < before) {
        delete(name);
      }
    }
  }

  /** Merges the runs that should be one; false if there are none. */
  private boolean mergeSome(List<R> runs) throws IOException {
    List<RunCover.Share<R>> shares = new ArrayList<>(RunCover.of(segments, runs).shares());
    shares.sort(Comparator.comparingInt(share -> share.run().bytes()));
    int n = mergeable(shares.stream().mapToLong(share -> share.run().bytes()).toArray());
    while (n > 1 && !fitOrDamaged(shares.subList(0, n))) {
      n--;
    }
    List<RunCover.Share<R>> parts = n > 1 ? shares.subList(0, n) : List.of();
    if (parts.isEmpty()) {
      parts = shares.stream().filter(this::isWornOrDamaged).limit(1).toList();
    }
    if (parts.isEmpty()) {
      return false;
    }
    replace(parts, runs);
    return true;
  }

  // Damage that shows while runs are weighed shows again when they are merged, which repairs it.

  private boolean fitOrDamaged(List<RunCover.Share<R>> parts) {
    try {
      return fit(parts);
    } catch (SegmentCorruptException e) {
      return true;
    }
  }

  private boolean isWornOrDamaged(RunCover.Share<R> share) {
    try {
      return isWorn(share);
    } catch (SegmentCorruptException e) {
      return true;
    }
  }

  private void replace(List<RunCover.Share<R>> parts, List<R> runs) throws IOException {
    Set<R> replaced = new HashSet<>();
    parts.forEach(part -> replaced.add(part.run()));
    R one = null;
    try {
      one = merge(parts);
    } catch (SegmentCorruptException e) {
      // The error names the damaged run; all are made again, from the segments.
      LOG.warn("runs of {} are made again: {}", folder.kind().what(), e.getMessage());
    }
    if (one != null) {
      runs.add(one);
      merged += replaced.size();
    } else {
      BitSet places = new BitSet(segments.size());
      parts.forEach(part -> part.markAll(places));
      for (int next = places.nextSetBit(0); next >= 0; ) {
        next = cover(places, next, new ArrayList<>(), runs);
      }
    }
    runs.removeAll(replaced);
    for (R run : replaced) {
      delete(run.name());
    }
  }

  /**
   * The number of smallest runs to be merged into one, 0 for none: afterwards each run is larger
   * than three times all smaller ones together.
   *
   * @param bytes of the runs, ascending
   */
  static int mergeable(long[] bytes) {
    int n = 0;
    long sum = 0;
    for (int i = 0; i < bytes.length && sum + bytes[i] <= MAX_MERGED_BYTES; i++) {
      if (i > 0 && bytes[i] <= GROWTH * sum) {
        n = i + 1;
      }
      sum += bytes[i];
    }
    return n;
  }

  private void removeTemporary() throws IOException {
    long before = System.currentTimeMillis() - LEFT_ALONE.toMillis();
    for (StoredFile file : store().list(folder.kind().folder())) {
      if (file.fileName().endsWith(".tmp") && file.modifiedMillis() < before) {
        delete(file.fileName());
      }
    }
  }
}
