package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs one piece of work on several threads, this one among them. */
final class Threads {
  /** Work that every thread does, sharing it out among them itself. */
  @FunctionalInterface
  interface Work<T> extends Callable<T> {
    @Override
    T call() throws IOException;
  }

  private Threads() {}

  /**
   * Runs the work and waits for all threads, whichever way they end: nobody works on when this
   * returns or throws.
   *
   * @return what each thread has done, at least one
   */
  static <T> List<T> run(int threads, Work<T> work) throws IOException {
    List<FutureTask<T>> others = new ArrayList<>();
    List<T> done = new ArrayList<>();
    try {
      for (int t = 1; t < threads; t++) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "archive-query-" + t);
        thread.setDaemon(true);
        thread.start(); // or throws, where the system has no more threads
        others.add(task);
      }
      done.add(work.call());
    } finally {
      done.addAll(join(others));
    }
    return done;
  }

  private static <T> List<T> join(List<FutureTask<T>> tasks) throws IOException {
    List<T> done = new ArrayList<>();
    Throwable failure = null;
    boolean interrupted = false;
    for (FutureTask<T> task : tasks) {
      while (true) {
        try {
          done.add(task.get());
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          failure = failure == null ? e.getCause() : failure;
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure instanceof IOException e) {
      throw e;
    } else if (failure instanceof RuntimeException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    }
    return done;
  }
}
