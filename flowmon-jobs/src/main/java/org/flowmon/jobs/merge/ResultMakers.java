package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * Makes the results of several analyses at a time, on the caller's thread and on helpers: at a
 * window's end all of them are due at once, and the cores have little else to do. Used by one
 * thread.
 */
final class ResultMakers implements AutoCloseable {
  private final ExecutorService helpers;

  ResultMakers(int threads) {
    helpers =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "windows-helper");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * What an analysis gave.
   *
   * @param results up to its failure, if any
   * @param failure null where it had none
   */
  record Made(List<WindowResult> results, RuntimeException failure) {}

  /** The results of an analysis, made once: by whoever comes first. */
  static final class Making {
    private final FutureTask<Made> task;

    /**
     * Not yet made.
     *
     * @param maker gives the results one by one; shares nothing with those of other analyses
     */
    Making(Consumer<Consumer<WindowResult>> maker) {
      task = new FutureTask<>(() -> make(maker));
    }

    private static Made make(Consumer<Consumer<WindowResult>> maker) {
      List<WindowResult> results = new ArrayList<>();
      try {
        maker.accept(results::add);
      } catch (RuntimeException e) {
        return new Made(results, e);
      }
      return new Made(results, null);
    }

    /** Makes them here, or waits for a helper that has begun. */
    Made await() throws InterruptedException {
      task.run();
      try {
        return task.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error; // as on the caller's thread: a failure of the task, and not of the analysis
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Lets a helper make them as soon as one has time. */
  void help(Making making) {
    helpers.execute(making.task);
  }

  @Override
  public void close() {
    helpers.shutdownNow();
  }
}
