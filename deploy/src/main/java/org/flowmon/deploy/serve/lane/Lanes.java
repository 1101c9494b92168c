package org.flowmon.deploy.serve.lane;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.flowmon.flow.memory.HeapBudget;
import org.jspecify.annotations.Nullable;

/**
 * The threads of all lanes. Work that finds a lane's queue full is refused, not queued without end.
 * The memory of queries is one part of the heap, divided among the threads that may run one.
 */
public final class Lanes implements AutoCloseable {
  /** Requests that wait in each lane. */
  public static final int WAITING = 128;

  private static final int REMOTE_THREADS = 4;
  // Small queries get a quarter of the memory, large ones the rest.
  private static final int SMALL_SHARE = 4;

  private final Map<Lane, ThreadPoolExecutor> pools = new EnumMap<>(Lane.class);
  private final Map<Lane, LongAdder> refused = new EnumMap<>(Lane.class);
  private final SmallFirst smallFirst;

  /** {@code processors}: all that the machine has. */
  public Lanes(int processors) {
    smallFirst = new SmallFirst(processors, SmallFirst.Clock.SYSTEM);
    pools.put(Lane.SMALL, pool(Lane.SMALL, Math.max(2, processors)));
    pools.put(Lane.LARGE, pool(Lane.LARGE, Math.max(1, processors - 1)));
    pools.put(Lane.REMOTE, pool(Lane.REMOTE, REMOTE_THREADS));
    pools.put(Lane.REPLAY, pool(Lane.REPLAY, 1));
    for (Lane lane : Lane.values()) {
      refused.put(lane, new LongAdder());
    }
  }

  private ThreadPoolExecutor pool(Lane lane, int threads) {
    AtomicInteger number = new AtomicInteger();
    String name = "serve-" + lane + "-";
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        lane == Lane.REPLAY ? new SynchronousQueue<>() : new ArrayBlockingQueue<>(WAITING),
        task -> {
          Thread thread = new Thread(task, name + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        }) {
      @Override
      protected void beforeExecute(Thread thread, Runnable task) {
        smallFirst.begin(lane);
      }

      @Override
      protected void afterExecute(Runnable task, @Nullable Throwable failure) {
        smallFirst.end(lane);
      }
    };
  }

  private ThreadPoolExecutor of(Lane lane) {
    return Objects.requireNonNull(pools.get(lane));
  }

  /** False if the lane is full, or the server ends. */
  public boolean submit(Lane lane, Runnable work) {
    try {
      of(lane).execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      Objects.requireNonNull(refused.get(lane)).increment();
      return false;
    }
  }

  /** Takes work out of its queue; nothing if it has begun. */
  public void remove(Lane lane, Runnable work) {
    boolean unused = of(lane).remove(work);
  }

  public int running(Lane lane) {
    return of(lane).getActiveCount();
  }

  public int waiting(Lane lane) {
    return of(lane).getQueue().size();
  }

  public int threads(Lane lane) {
    return of(lane).getMaximumPoolSize();
  }

  public long refused(Lane lane) {
    return Objects.requireNonNull(refused.get(lane)).sum();
  }

  /**
   * What one thread of a query in the lane calls for each block of its work: large ones wait there
   * while small ones need the processors.
   *
   * @param isGone whether it need not go on
   */
  public Runnable yielding(Lane lane, BooleanSupplier isGone) {
    return lane == Lane.LARGE ? smallFirst.yielding(isGone) : () -> {};
  }

  /** How long large queries waited for small ones, all together. */
  public long yieldedNanos() {
    return smallFirst.waitedNanos();
  }

  /** The heap that one query of the lane may take. */
  public long memory(Lane lane) {
    long all = HeapBudget.Part.SERVED_QUERIES.bytes();
    long small = all / SMALL_SHARE;
    return lane == Lane.LARGE ? (all - small) / threads(Lane.LARGE) : small / threads(Lane.SMALL);
  }

  @Override
  public void close() {
    pools.values().forEach(ThreadPoolExecutor::shutdownNow);
  }
}
