package org.flowmon.jobs.history;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.flowmon.archive.Archive;

/**
 * What the lookups of one analysis in one task share. At most as many run at once as there are
 * permits, each on a thread of the pool. Thread-safe.
 *
 * @param running the lookups of all analyses of the task
 */
record AnalysisLookups(
    Archive archive,
    HistoryQuery query,
    LookupPool pool,
    Semaphore permits,
    RunningLookups running) {
  /**
   * Runs a lookup on a thread of the pool if the analysis may have one more and one is free.
   *
   * @param lookup returns what is to be done after it, when others may run again
   * @return false if it does not run
   * @throws OutOfMemoryError if the system has no more threads
   */
  boolean tryRun(Supplier<Runnable> lookup) {
    if (!permits.tryAcquire()) {
      return false;
    }
    boolean isBegun = false;
    try {
      isBegun = pool.tryRun(() -> run(lookup));
      return isBegun;
    } finally {
      if (!isBegun) { // also if the system has no thread: no other lookup waits for that
        permits.release();
      }
    }
  }

  /** As {@link #tryRun}, on this thread of the pool. */
  boolean tryRunHere(Supplier<Runnable> lookup) {
    if (!permits.tryAcquire()) {
      return false;
    }
    run(lookup);
    return true;
  }

  private void run(Supplier<Runnable> lookup) {
    Runnable then;
    try {
      then = lookup.get();
    } finally {
      permits.release();
    }
    then.run();
  }

  /** Tries again later, unless the pool is closed by then. */
  void later(long millis, Runnable attempt) {
    var unused = pool.after(millis, attempt);
  }
}
