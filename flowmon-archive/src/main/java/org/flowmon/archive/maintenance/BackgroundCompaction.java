package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.archive.store.ArchiveLocation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges segments in the background of a writer. One thread works after each {@link #wake}, until
 * nothing is left to merge, and deletes files that no reader needs. A failure is logged and
 * counted, and the next wake tries again; commits never wait for it. While another process has the
 * maintenance lock, it leaves the work to that one.
 */
public final class BackgroundCompaction implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCompaction.class);
  // Longer than any lookup takes: leases of other hosts may not be seen.
  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private final ArchiveLocation location;
  private final CompactionOptions options;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private boolean work; // guarded by lock
  private volatile boolean closed;
  private final Set<String> damaged = new HashSet<>(); // of the thread
  private final AtomicLong replaced = new AtomicLong();
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong deleted = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /** Starts the thread; the archive must exist. */
  public BackgroundCompaction(ArchiveLocation location, CompactionOptions options) {
    this.location = location;
    this.options = options;
    this.thread = new Thread(this::run, "archive-compaction");
    thread.setDaemon(true);
    thread.start();
  }

  /** Wakes the thread after a commit. */
  public void wake() {
    lock.lock();
    try {
      work = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  public long replaced() {
    return replaced.get();
  }

  public long rows() {
    return rows.get();
  }

  public long deleted() {
    return deleted.get();
  }

  public long failures() {
    return failures.get();
  }

  private void run() {
    while (awaitWork()) {
      try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
          MaintenanceLock mine = archive.tryMaintenance()) {
        if (mine != null) {
          compact(archive);
        }
      } catch (IOException | RuntimeException | OutOfMemoryError | InternalError e) {
        failures.incrementAndGet();
        LOG.warn("compaction of {} failed; it is tried again after the next commit", location, e);
      }
    }
  }

  private boolean awaitWork() {
    lock.lock();
    try {
      while (!work && !closed) {
        woken.awaitUninterruptibly();
      }
      work = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void compact(Archive archive) throws IOException {
    Compactor compactor = new Compactor(archive, options, damaged);
    for (Compactor.Step step = compactor.step(this::isClosed);
        step != null;
        step = compactor.step(this::isClosed)) {
      replaced.addAndGet(step.replaced());
      rows.addAndGet(step.rows());
      removeReplaced(archive);
    }
    removeReplaced(archive);
    archive.updateDirectory(false, this::isClosed);
    archive.updateDays(options::settled, false, this::isClosed);
  }

  private boolean isClosed() {
    return closed;
  }

  private void removeReplaced(Archive archive) throws IOException {
    if (!closed) {
      deleted.addAndGet(archive.removeReplaced(GRACE).size());
    }
  }

  /** Stops before the next segment is written, and waits for that. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
