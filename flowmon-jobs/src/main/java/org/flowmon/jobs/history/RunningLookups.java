package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * The queries that a task's lookups run on threads that tasks share. Once the task has ended nobody
 * waits for their answers: a query that went on would keep a thread, and its share of the heap,
 * from the lookups of the task that follows, up to its time limit. Thread-safe.
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
   * Runs a query on this thread.
   *
   * @throws CancellationException where the task has ended
   */
  <T> T run(Query<T> query) throws IOException {
    return run(new Object(), query);
  }

  /**
   * Likewise of one that may be stopped.
   *
   * @param of whose query it is, which runs no other one
   * @throws CancellationException where the task has ended
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
          // What follows, the closing of files among it, is not to be interrupted.
          var unused = Thread.interrupted();
        }
      }
    }
  }

  /** The task has ended: what runs is interrupted, and nothing runs from now on. */
  synchronized void close() {
    isClosed = true;
    threads.values().forEach(Thread::interrupt);
  }

  /** Nobody waits for an answer any more: its query is interrupted where it runs. */
  synchronized void stop(Object of) {
    Thread thread = threads.get(of);
    if (thread != null && stopped.add(thread)) {
      thread.interrupt();
    }
  }
}
