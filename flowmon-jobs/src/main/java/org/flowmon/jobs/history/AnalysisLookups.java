package org.flowmon.jobs.history;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.flowmon.archive.Archives;

/**
 * What the lookups of one analysis in one task share. At most as many run at once as there are
 * permits, each on a pool's thread. {@code running} is of all analyses of the task. Thread-safe.
 */
record AnalysisLookups(
    Archives archives,
    HistoryQuery query,
    LookupPool pool,
    Semaphore permits,
    RunningLookups running) {
  /**
   * Runs a lookup on a pool thread; false if the analysis may have no more or no thread is free.
   * The lookup returns what is to be done when others may run again. OutOfMemoryError: no more
   * threads.
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
