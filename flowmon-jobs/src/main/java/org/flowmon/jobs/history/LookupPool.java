package org.flowmon.jobs.history;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.jobs.history.cache.AnswerMemory;
import org.jspecify.annotations.Nullable;

/**
 * The threads for history queries in this TaskManager: one pool per class loader, shared by all
 * analyses and tasks, closed with its last user. Without a queue: a lookup runs at once or is
 * refused, and decides whether to retry.
 */
final class LookupPool implements AutoCloseable {
  private static final int THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static @Nullable LookupPool shared; // while it has users

  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor timer;
  private final AnswerMemory memory;
  private final Map<Object, RecentAnswers> answers = new ConcurrentHashMap<>();
  private int users;

  LookupPool(int size, long answerBytes) {
    this(size, answerBytes, r -> daemon(r, "history-lookup"));
  }

  /** A private pool with a heap limit of the cached answers, about. */
  LookupPool(int size, long answerBytes, ThreadFactory making) {
    memory = new AnswerMemory(answerBytes);
    threads =
        new ThreadPoolExecutor(0, size, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), making);
    timer = new ScheduledThreadPoolExecutor(1, r -> daemon(r, "history-timer"));
    timer.setRemoveOnCancelPolicy(true);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the shared pool; each call needs its {@link #close}. */
  static LookupPool acquire() {
    synchronized (LookupPool.class) {
      if (shared == null) {
        shared = new LookupPool(THREADS, groupMemory());
      }
      shared.users++;
      return shared;
    }
  }

  /** Heap bytes for one lookup's groups: running ones share {@link HeapBudget.Part#LOOKUPS}. */
  static long groupMemory() {
    return HeapBudget.Part.LOOKUPS.bytes() / THREADS;
  }

  /** Answers shared while there are users; all within the heap limit of one lookup's groups. */
  RecentAnswers answers(Object of) {
    return answers.computeIfAbsent(of, key -> new RecentAnswers(memory));
  }

  void forgetAnswers(Object of) {
    Optional.ofNullable(answers.remove(of)).ifPresent(RecentAnswers::clear);
  }

  /** False if every thread is busy; OutOfMemoryError if the system has no more threads. */
  boolean tryRun(Runnable lookup) {
    try {
      threads.execute(lookup);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Runs a short task later, unless the pool is closed by then or the returned future is cancelled,
   * which releases the task.
   */
  Future<?> after(long millis, Runnable task) {
    try {
      // The future would swallow an exception: the tasks given here catch everything.
      return timer.schedule(task, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null); // closed, as whoever waits is
    }
  }

  int waiting() {
    return timer.getQueue().size();
  }

  @Override
  public void close() {
    synchronized (LookupPool.class) {
      if (--users > 0) {
        return;
      }
      if (shared == this) {
        shared = null;
      }
    }
    timer.shutdownNow();
    threads.shutdown();
  }
}
