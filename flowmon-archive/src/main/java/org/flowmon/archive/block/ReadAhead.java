package org.flowmon.archive.block;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads that decode blocks ahead; without threads, the caller decodes. */
final class ReadAhead implements AutoCloseable {
  // Waiting blocks for each thread, so that none is ever idle.
  private static final int BLOCKS_PER_THREAD = 3;

  private final @Nullable ExecutorService threads; // null: the caller decodes
  private final int blocks;
  private int waiting;

  /** Starts the threads; 1 is the caller's thread only. */
  ReadAhead(int count) {
    this.threads =
        count == 1
            ? null
            : Executors.newFixedThreadPool(
                count,
                work -> {
                  Thread thread = new Thread(work, "archive-scan");
                  thread.setDaemon(true);
                  return thread;
                });
    this.blocks = count == 1 ? 1 : BLOCKS_PER_THREAD * count;
  }

  /** Whether fewer decoded blocks are waiting, over all segments, than the limit. */
  boolean hasRoom() {
    return waiting < blocks;
  }

  <T> Future<T> submit(Callable<T> work) {
    waiting++;
    return threads == null ? new FutureTask<>(work) : threads.submit(work);
  }

  <T> T await(Future<T> block) throws IOException {
    waiting--;
    if (threads == null) {
      ((FutureTask<T>) block).run();
    }
    try {
      return block.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a block was decoded");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      } else if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Stops all work and waits until it ended: nobody reads a segment afterwards. */
  @Override
  public void close() {
    if (threads == null) {
      return;
    }
    threads.shutdownNow();
    boolean interrupted = false;
    while (true) {
      try {
        if (threads.awaitTermination(1, TimeUnit.MINUTES)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
