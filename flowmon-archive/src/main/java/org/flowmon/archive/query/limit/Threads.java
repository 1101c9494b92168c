package org.flowmon.archive.query.limit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs one piece of work on several threads, including the caller's. */
public final class Threads {
  /** Work that every thread runs; the threads share it out themselves. */
  @FunctionalInterface
  public interface Work<T> extends Callable<T> {
    @Override
    T call() throws IOException;
  }

  private Threads() {}

  /**
   * Runs the work and waits for all threads, at least one, however they end. If one fails or this
   * one is interrupted, the deadline tells the others. They are also interrupted, since they may
   * wait for a remote store.
   *
   * @throws QueryCancelledException if this thread was interrupted; it still is
   */
  public static <T> List<T> run(int threads, Deadline deadline, Work<T> work) throws IOException {
    List<FutureTask<T>> others = new ArrayList<>();
    List<Thread> started = new ArrayList<>();
    List<T> done = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    try {
      for (int t = 1; t < threads; t++) {
        FutureTask<T> task = new FutureTask<>(() -> callOrCancel(work, deadline));
        Thread thread = new Thread(task, "archive-query-" + t);
        thread.setDaemon(true);
        thread.start(); // or throws, if the system has no more threads
        others.add(task);
        started.add(thread);
      }
      done.add(work.call());
    } catch (IOException | RuntimeException | Error e) {
      deadline.cancel();
      started.forEach(Thread::interrupt);
      failures.add(e);
    }
    join(others, started, deadline, done, failures);
    if (!failures.isEmpty()) {
      throwCause(failures);
    }
    return done;
  }

  private static <T> T callOrCancel(Work<T> work, Deadline deadline) throws IOException {
    try {
      return work.call();
    } catch (IOException | RuntimeException | Error e) {
      deadline.cancel();
      throw e;
    }
  }

  /** Waits for all threads. */
  private static <T> void join(
      List<FutureTask<T>> tasks,
      List<Thread> threads,
      Deadline deadline,
      List<T> done,
      List<Throwable> failures) {
    boolean interrupted = false;
    for (FutureTask<T> task : tasks) {
      while (true) {
        try {
          done.add(task.get());
          break;
        } catch (InterruptedException e) {
          interrupted = true;
          deadline.cancel();
          threads.forEach(Thread::interrupt);
        } catch (ExecutionException e) {
          threads.forEach(Thread::interrupt);
          failures.add(Objects.requireNonNull(e.getCause(), "what a thread threw"));
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      failures.add(deadline.cancelled());
    }
  }

  /** Throws the first failure that is not a mere consequence of another one. */
  private static void throwCause(List<Throwable> failures) throws IOException {
    Throwable cause =
        failures.stream()
            .filter(failure -> !(failure instanceof QueryCancelledException))
            .findFirst()
            .orElse(failures.get(failures.size() - 1));
    if (cause instanceof IOException e) {
      throw e;
    } else if (cause instanceof RuntimeException e) {
      throw e;
    } else if (cause instanceof Error e) {
      throw e;
    }
  }
}
