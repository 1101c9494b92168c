package org.flowmon.bench.serve;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.flowmon.archive.Archive;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.experiment.CheckpointLoad;
import org.flowmon.deploy.command.CommandException;

/**
 * Flows that arrive in an archive at a rate, with the commits, merges and directories of a job: in
 * bursts, of half a million flows each.
 */
final class Arrivals implements AutoCloseable {
  private static final int COMMITS_A_SECOND = 1;

  private final Thread thread = new Thread(this::run, "bench-arrivals");
  private final AtomicReference<String> failed = new AtomicReference<>("");
  private final Path archive;
  private final long rate;
  private final long seed;
  private final long began = System.nanoTime();
  private final AtomicLong rows = new AtomicLong();
  private volatile boolean isEnded;

  /** {@code archive} is there, and empty. */
  Arrivals(Path archive, long rate, long seed) {
    this.archive = archive;
    this.rate = rate;
    this.seed = seed;
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (Archive opened = Archive.open(archive);
        CheckpointLoad load =
            new CheckpointLoad(opened, (int) Math.max(1, rate / COMMITS_A_SECOND))) {
      new GeneratedWorkload(Integer.MAX_VALUE, seed, 1)
          .read(
              block -> {
                load.add(block);
                rows.addAndGet(block.rows());
                while (!isEnded && rows.get() > rate * seconds()) {
                  LockSupport.parkNanos(1_000_000);
                }
                if (isEnded) {
                  throw new EndedException();
                }
              });
    } catch (EndedException e) {
      // As wanted.
    } catch (IOException | RuntimeException e) {
      failed.set(String.valueOf(e));
    }
  }

  private double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  /** Flows a second so far, by the clock. */
  double perSecond() {
    return rows.get() / seconds();
  }

  @Override
  public void close() throws IOException {
    isEnded = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!failed.get().isEmpty()) {
      throw new CommandException("flows could not be archived: " + failed.get());
    }
  }

  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
