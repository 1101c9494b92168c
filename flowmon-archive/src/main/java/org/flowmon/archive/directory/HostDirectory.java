package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs of one archive that this process has open. Looks for new ones with each new commit, and
 * once a second while segments are not covered or a run cannot be read. Safe for many threads.
 */
public final class HostDirectory implements AutoCloseable {
  /** The folder of runs within an archive. */
  public static final String FOLDER = "directory";

  // Snapshots of which views are kept: the newest, and some that are still read.
  private static final int MAX_VIEWS = 4;
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(HostDirectory.class);

  private final ArchiveStore store;
  private final UUID archive;
  // Held by who lists the folder and fetches; all below is guarded by this.
  private final ReentrantLock looking = new ReentrantLock();
  // By file name; each with one reference of this.
  private final Map<String, HostRun> runs = new HashMap<>();
  private final Map<String, String> problems = new TreeMap<>();
  private final Map<String, IOException> unread = new TreeMap<>();
  private final Set<HostRun> damaged = ConcurrentHashMap.newKeySet();
  private final Set<String> foreign = new HashSet<>();
  // By number of the commit, least recently used first.
  private final Map<Long, Made> views = new LinkedHashMap<>(8, 0.75f, true);
  private boolean closed;

  /** A view, and when the folder was listed for it. */
  private record Made(HostView view, boolean isPartial, long nanos) {
    boolean mayBeBehind() {
      return (isPartial || view.uncovered() > 0) && System.nanoTime() - nanos > LOOK_AGAIN_NANOS;
    }
  }

  /** The directory of an archive, of which nothing is read yet. */
  public HostDirectory(ArchiveStore store, UUID archive) {
    this.store = store;
    this.archive = archive;
  }

  /**
   * What the directory says of a snapshot's segments. Runs are fetched by one thread at a time;
   * others have what is known meanwhile. A run that cannot be read is a warning, and its segments
   * are not covered.
   *
   * @param number of the snapshot's commit
   * @return to be released
   * @throws IOException where the folder cannot be listed
   */
  public HostView view(long number, List<SealedSegment> segments) throws IOException {
    HostView known = upToDate(number);
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

  private synchronized HostView upToDate(long number) {
    requireOpen();
    Made made = views.get(number);
    return made == null || made.mayBeBehind() ? null : acquired(made.view());
  }

  /** By the runs that are open already; null where there are none. */
  private synchronized HostView soFar(long number, List<SealedSegment> segments) {
    requireOpen();
    Made made = views.get(number);
    if (made != null) {
      return acquired(made.view());
    }
    return runs.isEmpty() ? null : newView(segments);
  }

  private static HostView acquired(HostView view) {
    view.acquire();
    return view;
  }

  private synchronized HostView make(long number, List<SealedSegment> segments) {
    requireOpen();
    Made made = new Made(newView(segments), !unread.isEmpty(), System.nanoTime());
    Made before = views.put(number, made);
    if (before != null) {
      before.view().release();
    }
    if (views.size() > MAX_VIEWS) {
      Iterator<Made> all = views.values().iterator();
      all.next().view().release();
      all.remove();
    }
    return acquired(made.view());
  }

  private HostView newView(List<SealedSegment> segments) {
    HostCover cover = HostCover.of(segments, runs.values());
    List<String> warnings = new ArrayList<>();
    problems.values().forEach(problem -> warnings.add(HostView.warning(problem)));
    unread
        .values()
        .forEach(e -> warnings.add(e.getMessage() + ": segments were asked instead this time"));
    return new HostView(segments, cover.shares(), cover.uncovered(), warnings, damaged);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the host directory is closed: " + store.describe(FOLDER));
    }
  }

  /**
   * Opens the runs that are new and lets go those that are gone or known to be damaged. Who calls
   * holds {@code looking}; queries go on meanwhile.
   */
  private void look() throws IOException {
    Set<String> there = new HashSet<>();
    for (StoredFile file : store.list(FOLDER)) {
      if (isRun(file.fileName())) {
        there.add(file.fileName());
      }
    }
    for (String name : fresh(there)) {
      open(name);
    }
    // Last: what was merged into one that is being fetched answers meanwhile.
    letGo(run -> !there.contains(run.name()));
  }

  /** Lets go of damaged runs, and says which are new. */
  private synchronized List<String> fresh(Set<String> there) {
    for (HostRun run : damaged) {
      if (runs.get(run.name()) == run) {
        problems.put(run.name(), store.describe(FOLDER + "/" + run.name()) + ": damaged");
      }
    }
    letGo(damaged::contains);
    damaged.clear();
    problems.keySet().retainAll(there);
    foreign.retainAll(there);
    unread.clear();
    List<String> fresh = new ArrayList<>(there);
    fresh.removeIf(
        name -> runs.containsKey(name) || problems.containsKey(name) || foreign.contains(name));
    return fresh;
  }

  private synchronized void letGo(Predicate<HostRun> which) {
    for (Iterator<HostRun> all = runs.values().iterator(); all.hasNext(); ) {
      HostRun run = all.next();
      if (which.test(run)) {
        run.release();
        all.remove();
      }
    }
  }

  private void open(String name) {
    try {
      keep(name, openRun(name));
    } catch (NoSuchFileException e) {
      LOG.debug("{} was merged into another", name);
    } catch (ForeignRunException e) {
      LOG.info("a run of the host directory is passed over: {}", e.getMessage());
      synchronized (this) {
        foreign.add(name);
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

  private synchronized void keep(String name, HostRun run) {
    if (closed) {
      run.release();
    } else {
      runs.put(name, run);
    }
  }

  /** Opens a run for the caller. Mapped, it stays readable whatever becomes of its name. */
  HostRun openRun(String name) throws IOException {
    try (HeldFolder held = store.asStored(List.of(FOLDER + "/" + name))) {
      return HostRun.open(held.folder().resolve(name), archive);
    }
  }

  private static boolean isRun(String fileName) {
    return fileName.endsWith(HostRunFormat.SUFFIX) && !fileName.startsWith(".");
  }

  /**
   * The runs that can be read now, each with a reference for the caller, for maintenance.
   *
   * @param broken takes the names of those that are damaged
   * @throws IOException where one could not be read this time: it would be made twice
   */
  List<HostRun> acquireRuns(Set<String> broken) throws IOException {
    looking.lock();
    try {
      look();
      return acquireAll(broken);
    } finally {
      looking.unlock();
    }
  }

  private synchronized List<HostRun> acquireAll(Set<String> broken) throws IOException {
    if (!unread.isEmpty()) {
      throw unread.values().iterator().next();
    }
    List<HostRun> all = new ArrayList<>(runs.values());
    all.forEach(HostRun::acquire);
    broken.addAll(problems.keySet());
    return all;
  }

  /** Makes the next view look at the folder. */
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

  /** Lets go of all runs; views that were handed out stay usable. */
  @Override
  public synchronized void close() {
    closed = true;
    forgetViews();
    runs.values().forEach(HostRun::release);
    runs.clear();
  }
}
