package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WindowPriorityTest {
  private final WindowPriority priority = new WindowPriority();

  /** A thread that works in the background until it is told to stop, and counts its pieces. */
  private final class Worker implements AutoCloseable {
    final AtomicInteger pieces = new AtomicInteger();
    final AtomicBoolean hurry = new AtomicBoolean();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Thread thread;

    Worker() {
      Runnable pause = priority.yielding(hurry::get);
      thread =
          new Thread(
              () -> {
                while (!stop.get()) {
                  pieces.incrementAndGet();
                  pause.run();
                }
              });
      thread.start();
    }

    void awaitPieces(int more) throws InterruptedException {
      int until = pieces.get() + more;
      while (pieces.get() < until) {
        Thread.sleep(1);
      }
    }

    @Override
    public void close() throws InterruptedException {
      stop.set(true);
      hurry.set(true);
      thread.join();
    }
  }

  @Test
  void backgroundWorkGoesOnBesideWorkThatNeverEnds() throws InterruptedException {
    try (Worker worker = new Worker();
        WindowPriority.Work work = priority.begin()) {
      assertTrue(priority.isTaken());
      worker.awaitPieces(1000); // it waits no longer than it worked
    }
  }

  @Test
  void inAHurryNothingWaits() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    try (WindowPriority.Work work = priority.begin()) {
      Runnable pause = priority.yielding(() -> true);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  pause.run();
                }
                done.countDown();
              });
      thread.start();
      done.await();
      thread.join();
    }
  }

  @Test
  void itWaitsWhileWorkRunsAndGoesOnWhenItHasEnded() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean returned = new AtomicBoolean();
    Runnable pause =
        priority.yielding(
            () -> {
              looks.incrementAndGet();
              return false;
            });
    Thread.sleep(400); // it worked this long, and has as much patience
    WindowPriority.Work work = priority.begin();
    Thread thread =
        new Thread(
            () -> {
              pause.run();
              returned.set(true);
            });
    thread.start();
    while (looks.get() < 20 && !returned.get()) {
      Thread.sleep(1);
    }
    assertTrue(looks.get() > 0); // it saw the work
    work.close();
    work.close(); // of no further effect
    thread.join();
    assertTrue(returned.get());
    try (WindowPriority.Work next = priority.begin()) {
      assertTrue(priority.isTaken());
    }
  }

  @Test
  void whatWaitsForOthersHasNoPriorityMeanwhile() {
    try (WindowPriority.Work work = priority.begin()) {
      AtomicBoolean seen = new AtomicBoolean();
      work.aside(
          () -> {
            assertTrue(priority.isTaken()); // a moment is nothing
            while (priority.isTaken()) {
              Thread.onSpinWait();
            }
            seen.set(true);
          });
      assertTrue(seen.get());
      assertTrue(priority.isTaken());
      work.close();
      work.aside(() -> seen.set(false));
      assertFalse(seen.get());
    }
  }

  @Test
  void workOfSecondsLosesPriorityUntilSomethingBegins() {
    try (WindowPriority.Work slow = priority.begin()) {
      while (priority.isTaken()) {
        Thread.onSpinWait();
      }
      priority.begin().close();
      assertTrue(priority.isTaken());
    }
  }

  @Test
  void anInterruptEndsTheWait() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean interrupted = new AtomicBoolean();
    Runnable pause =
        priority.yielding(
            () -> {
              looks.incrementAndGet();
              Thread.currentThread().interrupt();
              return false;
            });
    Thread.sleep(200); // its patience
    try (WindowPriority.Work work = priority.begin()) {
      Thread thread =
          new Thread(
              () -> {
                pause.run();
                interrupted.set(Thread.currentThread().isInterrupted());
              });
      thread.start();
      thread.join();
    }
    assertEquals(1, looks.get());
    assertTrue(interrupted.get());
  }
}
