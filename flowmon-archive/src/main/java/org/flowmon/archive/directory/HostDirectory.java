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
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs of one archive that this process has open. Looks for new ones with each new commit, and
 * once a second while segments are not covered. Safe for many threads.
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
  // By file name; each with one reference of this.
  private final Map<String, HostRun> runs = new HashMap<>();
  private final Map<String, String> problems = new TreeMap<>();
  private final Set<HostRun> damaged = ConcurrentHashMap.newKeySet();
  private final Set<String> foreign = new HashSet<>();
  // By number of the commit, least recently used first.
  private final Map<Long, Made> views = new LinkedHashMap<>(8, 0.75f, true);
  private boolean closed;

  /** A view, and when the folder was listed for it. */
  private record Made(HostView view, long nanos) {
    boolean mayBeBehind() {
      return view.uncovered() > 0 && System.nanoTime() - nanos > LOOK_AGAIN_NANOS;
    }
  }

  /** The directory of an archive, of which nothing is read yet. */
  public HostDirectory(ArchiveStore store, UUID archive) {
    this.store = store;
    this.archive = archive;
  }

  /**
   * What the directory says of a snapshot's segments.
   *
   * @param number of the snapshot's commit
   * @return to be released
   */
  public synchronized HostView view(long number, List<SealedSegment> segments) throws IOException {
    if (closed) {
      throw new IllegalStateException("the host directory is closed: " + store.describe(FOLDER));
    }
    Made made = views.get(number);
    if (made == null || made.mayBeBehind()) {
      made = make(segments);
      Made before = views.put(number, made);
      if (before != null) {
        before.view().release();
      }
      if (views.size() > MAX_VIEWS) {
        Iterator<Made> all = views.values().iterator();
        all.next().view().release();
        all.remove();
      }
    }
    made.view().acquire();
    return made.view();
  }

  private Made make(List<SealedSegment> segments) throws IOException {
    list();
    HostCover cover = HostCover.of(segments, runs.values());
    List<String> warnings = problems.values().stream().map(HostView::warning).toList();
    HostView view = new HostView(segments, cover.shares(), cover.uncovered(), warnings, damaged);
    return new Made(view, System.nanoTime());
  }

  /** Opens the runs that are new and lets go those that are gone or known to be damaged. */
  private void list() throws IOException {
    Set<String> there = new HashSet<>();
    for (StoredFile file : store.list(FOLDER)) {
      if (isRun(file.fileName())) {
        there.add(file.fileName());
      }
    }
    for (HostRun run : damaged) {
      if (runs.get(run.name()) == run) {
        problems.put(run.name(), store.describe(FOLDER + "/" + run.name()) + ": damaged");
      }
    }
    runs.entrySet()
        .removeIf(
            entry -> {
              HostRun run = entry.getValue();
              boolean drop = !there.contains(entry.getKey()) || damaged.contains(run);
              if (drop) {
                run.release();
              }
              return drop;
            });
    damaged.clear();
    problems.keySet().retainAll(there);
    foreign.retainAll(there);
    for (String name : there) {
      if (!runs.containsKey(name) && !problems.containsKey(name) && !foreign.contains(name)) {
        open(name);
      }
    }
  }

  private void open(String name) throws IOException {
    try {
      runs.put(name, openRun(name));
    } catch (NoSuchFileException e) {
      LOG.debug("{} was merged into another", name);
    } catch (ForeignRunException e) {
      LOG.info("a run of the host directory is passed over: {}", e.getMessage());
      foreign.add(name);
    } catch (SegmentCorruptException e) {
      problems.put(name, String.valueOf(e.getMessage()));
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
   */
  synchronized List<HostRun> acquireRuns(Set<String> broken) throws IOException {
    list();
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
