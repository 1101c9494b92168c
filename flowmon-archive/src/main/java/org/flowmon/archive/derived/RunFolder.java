package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.flowmon.archive.log.LazyLogger;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/**
 * The open runs of one archive in this process. Looks for new ones with each new commit, and after
 * a while if segments are not covered or a run cannot be read. Safe for many threads.
 */
public abstract class RunFolder<R extends DerivedRun> implements AutoCloseable {
  // Cached: that of the newest snapshot, and some that are still read.
  private static final int MAX_VIEWS = 4;

  private static final LazyLogger LOG = new LazyLogger(RunFolder.class);

  private final ArchiveStore store;
  private final UUID archive;
  private final RunKind<R> kind;
  // Held while listing the folder and fetching; the fields below are guarded by this.
  private final ReentrantLock looking = new ReentrantLock();
  // By file name; this holds one reference of each.
  private final Map<String, R> runs = new HashMap<>();
  private final Map<String, String> problems = new TreeMap<>();
  private final Map<String, IOException> unread = new TreeMap<>();
  private final Map<String, String> foreign = new TreeMap<>();
  // By commit number, strictly least recently used first: a cache that rates entries by their use
  // would turn away the view of a new commit, and each query would make it again.
  private final Map<Long, Made<R>> views = new LinkedHashMap<>(8, 0.75f, true);
  private boolean closed;

  /** A view, and the time its folder was listed. */
  private record Made<R extends DerivedRun>(RunView<R> view, boolean isPartial, long nanos) {
    boolean mayBeBehind(Duration lookAgain) {
      return (isPartial || view.uncoveredCount() > 0)
          && System.nanoTime() - nanos > lookAgain.toNanos();
    }
  }

  protected RunFolder(ArchiveStore store, UUID archive, RunKind<R> kind) {
    this.store = store;
    this.archive = archive;
    this.kind = kind;
  }

  protected abstract RunContent<R, ?> content(String segmentsFolder, List<SealedSegment> segments);

  /**
   * Brings the folder up to a snapshot, held until this returns.
   *
   * @param toCover places of the segments to be covered
   * @param verify whether every byte of every run is checked first
   * @param stop asked before each file: if true the rest is left to the next update
   * @throws IOException if files cannot be written; files already written stay
   */
  public final RunUpdate.Done update(
      String segmentsFolder,
      List<SealedSegment> segments,
      BitSet toCover,
      boolean verify,
      BooleanSupplier stop)
      throws IOException {
    return new RunUpdate<>(content(segmentsFolder, segments), stop).run(toCover, verify);
  }

  /**
   * Finds runs that are unreadable, damaged, of another version, or different from their segments.
   * Passes over segments that are damaged or missing.
   *
   * @param segments of a snapshot, held until this returns
   * @throws IOException if the folder cannot be listed, or a segment exists and cannot be read
   */
  public final List<RunProblem> check(String segmentsFolder, List<SealedSegment> segments)
      throws IOException {
    RunContent<R, ?> content = content(segmentsFolder, segments);
    RunView<R> view = uncached(segments);
    try {
      List<RunProblem> found = new ArrayList<>(problems());
      for (RunCover.Share<R> share : view.shares()) {
        String run = share.run().name();
        try {
          content.difference(share).ifPresent(what -> found.add(RunProblem.wrong(run, what)));
        } catch (SegmentCorruptException e) {
          if (e.file().endsWith(run)) { // else it is reported for the segment
            found.add(RunProblem.damaged(run, String.valueOf(e.getMessage())));
          }
        }
      }
      return found;
    } finally {
      view.release();
    }
  }

  /**
   * Assigns a snapshot's segments, of commit {@code number}, to runs; to be released. One thread at
   * a time fetches runs; others use the runs known so far. A run that cannot be read becomes a
   * warning, and its segments are not covered. Throws if the folder cannot be listed.
   */
  public RunView<R> view(long number, List<SealedSegment> segments) throws IOException {
    RunView<R> known = upToDate(number);
    if (known != null) {
      return known;
    }
    if (!looking.tryLock()) {
      known = soFar(number, segments);
      if (known != null) {
        return known;
      }
      looking.lock();
    }
    try {
      known = upToDate(number); // another may have looked while this one waited
      if (known != null) {
        return known;
      }
      look();
      return make(number, segments);
    } finally {
      looking.unlock();
    }
  }

  /** A view that covers no segment; to be released. */
  public RunView<R> none(List<SealedSegment> segments) {
    RunCover<R> cover = new RunCover<>(segments, List.of());
    return new RunView<>(kind, segments, cover, List.of(), this::damaged);
  }

  private synchronized @Nullable RunView<R> upToDate(long number) {
    requireOpen();
    Made<R> made = views.get(number);
    return made == null || made.mayBeBehind(kind.lookAgain()) ? null : acquired(made.view());
  }

  /** A view of the open runs; null if there are none. */
  private synchronized @Nullable RunView<R> soFar(long number, List<SealedSegment> segments) {
    requireOpen();
    Made<R> made = views.get(number);
    if (made != null) {
      return acquired(made.view());
    }
    return runs.isEmpty() ? null : newView(segments);
  }

  /** A view that nobody else gets, of the runs that lie there now. */
  private RunView<R> uncached(List<SealedSegment> segments) throws IOException {
    looking.lock();
    try {
      look();
      synchronized (this) {
        requireOpen();
        return newView(segments);
      }
    } finally {
      looking.unlock();
    }
  }

  private RunView<R> acquired(RunView<R> view) {
    view.acquire();
    return view;
  }

  private synchronized RunView<R> make(long number, List<SealedSegment> segments) {
    requireOpen();
    Made<R> made = new Made<>(newView(segments), !unread.isEmpty(), System.nanoTime());
    Made<R> before = views.put(number, made);
    if (before != null) {
      before.view().release();
    }
    if (views.size() > MAX_VIEWS) {
      Iterator<Made<R>> all = views.values().iterator();
      all.next().view().release();
      all.remove();
    }
    return acquired(made.view());
  }

  private RunView<R> newView(List<SealedSegment> segments) {
    RunCover<R> cover = new RunCover<>(segments, runs.values());
    List<String> warnings = new ArrayList<>();
    problems.values().forEach(problem -> warnings.add(kind.warning(problem)));
    unread
        .values()
        .forEach(e -> warnings.add(e.getMessage() + ": segments were read instead this time"));
    return new RunView<>(kind, segments, cover, warnings, this::damaged);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException(kind.what() + " is closed: " + store.describe(kind.folder()));
    }
  }

  /** Drops a run that turned out to be damaged: the next view is without it. */
  private synchronized void damaged(R run, String problem) {
    if (runs.remove(run.name(), run)) {
      run.release();
      problems.put(run.name(), problem);
      forgetViews();
    }
  }

  private synchronized List<RunProblem> problems() {
    List<RunProblem> all = new ArrayList<>();
    problems.forEach((run, what) -> all.add(RunProblem.damaged(run, what)));
    unread.forEach((run, e) -> all.add(RunProblem.unread(run, e.toString())));
    foreign.forEach((run, what) -> all.add(RunProblem.foreign(run, what)));
    return all;
  }

  /** Opens new runs and drops vanished ones under {@code looking}; queries go on meanwhile. */
  private void look() throws IOException {
    Set<String> there = new HashSet<>();
    for (StoredFile file : store.list(kind.folder())) {
      if (isRun(file.fileName())) {
        there.add(file.fileName());
      }
    }
    for (String name : fresh(there)) {
      open(name);
    }
    // Last: runs merged into one that is being fetched answer meanwhile.
    letGo(run -> !there.contains(run.name()));
  }

  private synchronized List<String> fresh(Set<String> there) {
    problems.keySet().retainAll(there);
    foreign.keySet().retainAll(there);
    unread.clear();
    List<String> fresh = new ArrayList<>(there);
    fresh.removeIf(
        name -> runs.containsKey(name) || problems.containsKey(name) || foreign.containsKey(name));
    return fresh;
  }

  private synchronized void letGo(Predicate<R> which) {
    for (Iterator<R> all = runs.values().iterator(); all.hasNext(); ) {
      R run = all.next();
      if (which.test(run)) {
        run.release();
        all.remove();
      }
    }
  }

  /** Opens a run, or notes its problem; throws if interrupted: others can read it. */
  private void open(String name) throws ClosedByInterruptException {
    try {
      keep(name, openRun(name));
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (NoSuchFileException e) {
      LOG.get().debug("{} was merged into another", name);
    } catch (ForeignRunException e) {
      LOG.get().info("a run of {} is ignored: {}", kind.what(), e.getMessage());
      synchronized (this) {
        foreign.put(name, String.valueOf(e.getMessage()));
      }
    } catch (SegmentCorruptException e) {
      synchronized (this) {
        problems.put(name, String.valueOf(e.getMessage()));
      }
    } catch (IOException e) {
      synchronized (this) {
        unread.put(name, e);
      }
    }
  }

  private synchronized void keep(String name, R run) {
    if (closed) {
      run.release();
    } else {
      runs.put(name, run);
    }
  }

  /** Opens a run for the caller. Once mapped, it stays readable even if its file is deleted. */
  R openRun(String name) throws IOException {
    try (HeldFolder held = store.asStored(List.of(kind.folder() + "/" + name))) {
      return kind.opener().open(held.folder().resolve(name), archive);
    }
  }

  /** Bytes of the runs that lie in the folder, used or not; opens none. */
  public long storedBytes() throws IOException {
    return store.list(kind.folder()).stream()
        .filter(file -> isRun(file.fileName()))
        .mapToLong(StoredFile::bytes)
        .sum();
  }

  private boolean isRun(String fileName) {
    return fileName.endsWith(kind.suffix()) && !fileName.startsWith(".");
  }

  /**
   * The readable runs, each with a reference for the caller, for maintenance; {@code broken} takes
   * the names of damaged ones. Throws if one could not be read this time: it would be made twice.
   */
  List<R> acquireRuns(Set<String> broken) throws IOException {
    looking.lock();
    try {
      look();
      return acquireAll(broken);
    } finally {
      looking.unlock();
    }
  }

  private synchronized List<R> acquireAll(Set<String> broken) throws IOException {
    if (!unread.isEmpty()) {
      throw unread.values().iterator().next();
    }
    List<R> all = new ArrayList<>(runs.values());
    all.forEach(DerivedRun::acquire);
    broken.addAll(problems.keySet());
    return all;
  }

  public RunKind<R> kind() {
    return kind;
  }

  synchronized void forgetViews() {
    views.values().forEach(made -> made.view().release());
    views.clear();
  }

  ArchiveStore store() {
    return store;
  }

  UUID archive() {
    return archive;
  }

  /** Drops all runs; views that were handed out stay usable. */
  @Override
  public synchronized void close() {
    closed = true;
    forgetViews();
    runs.values().forEach(DerivedRun::release);
    runs.clear();
  }
}
