package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * The queries that a task's lookups run on shared threads. After the task's end nobody waits for
 * them, and one that went on would keep a thread and heap from the next task's lookups, up to its
 * limit. Thread-safe.
 */
final class RunningLookups {
  private final IdentityHashMap<Object, Thread> threads = new IdentityHashMap<>();
  private final Set<Thread> stopped = new HashSet<>();
  private boolean isClosed;

  /** A query. */
  interface Query<T> {
    T run() throws IOException;
  }

  synchronized boolean isClosed() {
    return isClosed;
  }

  /**
   * Runs a query, stoppable, on this thread; {@code of} owns it and no other. Throws
   * CancellationException if the task has ended.
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

  synchronized void stop(Object of) {
    Thread thread = threads.get(of);
    if (thread != null && stopped.add(thread)) {
      thread.interrupt();
    }
  }
}
