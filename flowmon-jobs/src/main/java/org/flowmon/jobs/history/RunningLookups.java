package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * The queries that a task's lookups run on shared threads. After the task has ended nobody waits
 * for their answers: a query that went on would keep a thread, and its share of the heap, from the
 * lookups of the next task, up to its time limit. Thread-safe.
 */
final class RunningLookups {
  private final IdentityHashMap<Object, Thread> threads = new IdentityHashMap<>();
  private final Set<Thread> stopped = new HashSet<>();
  private boolean isClosed;

  /** A query. */
  interface Query<T> {
    /** Runs it, until this thread is interrupted. */
    T run() throws IOException;
  }

  /** Whether the task has ended. */
  synchronized boolean isClosed() {
    return isClosed;
  }

  /**
   * Runs a query that may be stopped on this thread.
   *
   * @param of the owner of the query, which runs no other one
   * @throws CancellationException if the task has ended
   */
  <T> T run(Object of, Query<T> query) throws IOException {
    synchronized (this) {
      if (isClosed) {
        throw new CancellationException("the task has ended");
      }
      threads.put(of, Thread.currentThread());
    }
    try {
      return query.run();
    } finally {
      synchronized (this) {
        threads.remove(of);
        if (stopped.remove(Thread.currentThread()) || isClosed) {
          // The code below closes files and must not be interrupted.
          var unused = Thread.interrupted();
        }
      }
    }
  }

  /** Ends with the task: interrupts running queries, and runs none from now on. */
  synchronized void close() {
    isClosed = true;
    threads.values().forEach(Thread::interrupt);
  }

  /** Interrupts the owner's query if it runs, as nobody waits for its answer. */
  synchronized void stop(Object of) {
    Thread thread = threads.get(of);
    if (thread != null && stopped.add(thread)) {
      thread.interrupt();
    }
  }
}
