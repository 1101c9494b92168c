package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.flowmon.jobs.merge.WindowResult;

/**
 * Makes results of several analyses at a time, on the caller's thread and helpers: at a window's
 * end all are due at once, and the cores have little else to do. A waiting caller runs the mails of
 * later operators in its chain: histories and reports of earlier results. Used by one thread.
 */
final class ResultMakers implements AutoCloseable {
  private final ExecutorService helpers;
  private final ExecutorService preparer; // so that no result waits for it
  private final MailboxExecutor mailbox;

  ResultMakers(int threads, MailboxExecutor mailbox) {
    this.mailbox = mailbox;
    helpers = Executors.newFixedThreadPool(threads, task -> daemon(task, "windows-helper"));
    preparer = Executors.newSingleThreadExecutor(task -> daemon(task, "windows-preparer"));
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A helper's results, up to its failure if it had one. */
  private record Made(List<WindowResult> results, Optional<RuntimeException> failure) {}

  /** The work of a helper; {@code mailbox} gets a mail when it is done. */
  private record Help(FutureTask<Made> work, MailboxExecutor mailbox) {}

  /** The results of an analysis, made once. */
  static final class Making {
    private final Consumer<Consumer<WindowResult>> maker;
    private Optional<Help> help = Optional.empty(); // without, the caller makes them

    /** {@code maker} gives results one by one; it shares nothing with other analyses'. */
    Making(Consumer<Consumer<WindowResult>> maker) {
      this.maker = maker;
    }

    private Made make() {
      List<WindowResult> results = new ArrayList<>();
      try {
        maker.accept(results::add);
      } catch (RuntimeException e) {
        return new Made(results, Optional.of(e));
      }
      return new Made(results, Optional.empty());
    }

    /**
     * Gives results in order, a helper's when all are made, the caller's one by one, so that no
     * other is in memory. Returns the maker's failure, if any, after the results before it; those
     * of {@code to} are thrown on.
     */
    Optional<RuntimeException> give(Consumer<WindowResult> to) throws InterruptedException {
      if (help.isEmpty()) {
        return giveEach(to);
      }
      FutureTask<Made> work = help.get().work();
      while (!work.isDone()) {
        help.get().mailbox().yield(); // until a mail comes, at the latest that it is done
      }
      try {
        Made made = work.get();
        made.results().forEach(to);
        return made.failure();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error; // as on the caller's thread: a failure of the task, and not of the analysis
        }
        throw new IllegalStateException(e.getCause());
      }
    }

    private Optional<RuntimeException> giveEach(Consumer<WindowResult> to) {
      List<RuntimeException> further = new ArrayList<>();
      Optional<RuntimeException> failure;
      try {
        maker.accept(
            result -> {
              try {
                to.accept(result);
              } catch (RuntimeException e) {
                further.add(e);
                throw e;
              }
            });
        failure = Optional.empty();
      } catch (RuntimeException e) {
        failure = Optional.of(e);
      }
      if (!further.isEmpty()) {
        throw further.get(0);
      }
      return failure;
    }
  }

  void prepare(Runnable work) {
    preparer.execute(work);
  }

  void help(Making making) {
    FutureTask<Made> work =
        new FutureTask<>(making::make) {
          @Override
          protected void done() {
            wake();
          }
        };
    making.help = Optional.of(new Help(work, mailbox));
    helpers.execute(work);
  }

  private void wake() {
    try {
      mailbox.execute(() -> {}, "results are made");
    } catch (RejectedExecutionException e) {
      // The task has ended: nobody waits.
    }
  }

  @Override
  public void close() {
    helpers.shutdownNow();
    preparer.shutdownNow();
  }
}
