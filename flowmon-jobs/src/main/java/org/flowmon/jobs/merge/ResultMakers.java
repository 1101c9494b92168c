package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
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
   * What an analysis gave a helper.
   *
   * @param results up to its failure, if any
   * @param failure null where it had none
   */
  private record Made(List<WindowResult> results, RuntimeException failure) {}

  /** The results of an analysis, made once: by whoever comes first. */
  static final class Making {
    private final Consumer<Consumer<WindowResult>> maker;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final FutureTask<Made> byHelper = new FutureTask<>(this::make);

    /**
     * Not yet made.
     *
     * @param maker gives the results one by one; shares nothing with those of other analyses
     */
    Making(Consumer<Consumer<WindowResult>> maker) {
      this.maker = maker;
    }

    private Made make() {
      List<WindowResult> results = new ArrayList<>();
      if (begun.getAndSet(true)) {
        return new Made(results, null); // the caller makes them, and does not ask
      }
      try {
        maker.accept(results::add);
      } catch (RuntimeException e) {
        return new Made(results, e);
      }
      return new Made(results, null);
    }

    /**
     * Gives them, in their order: where a helper has begun when all are made, else each when it is
     * made, so that no other is in memory.
     *
     * @param to what it throws is thrown on
     * @return the maker's failure, after what it gave before; null where it had none
     */
    RuntimeException give(Consumer<WindowResult> to) throws InterruptedException {
      if (!begun.getAndSet(true)) {
        return giveEach(to);
      }
      try {
        Made made = byHelper.get();
        made.results().forEach(to);
        return made.failure();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error; // as on the caller's thread: a failure of the task, and not of the analysis
        }
        throw new IllegalStateException(e.getCause());
      }
    }

    private RuntimeException giveEach(Consumer<WindowResult> to) {
      RuntimeException[] further = new RuntimeException[1];
      RuntimeException failure = null;
      try {
        maker.accept(
            result -> {
              try {
                to.accept(result);
              } catch (RuntimeException e) {
                further[0] = e;
                throw e;
              }
            });
      } catch (RuntimeException e) {
        failure = e;
      }
      if (further[0] != null) {
        throw further[0];
      }
      return failure;
    }
  }

  /** Lets a helper make them as soon as one has time. */
  void help(Making making) {
    helpers.execute(making.byHelper);
  }

  @Override
  public void close() {
    helpers.shutdownNow();
  }
}
