package org.flowmon.jobs.urgent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Other tests of the process may run urgent work, too: the tests wait for events that come all the
 * same.
 */
class PolitenessTest {
  /** A thread that works politely until it is told to stop, and counts its pieces. */
  private static final class Worker implements AutoCloseable {
    final AtomicInteger pieces = new AtomicInteger();
    final AtomicBoolean hurry = new AtomicBoolean();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Thread thread;

    Worker() {
      Politeness politeness = new Politeness(hurry::get);
      thread =
          new Thread(
              () -> {
                while (!stop.get()) {
                  pieces.incrementAndGet();
                  politeness.run();
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
  @Timeout(600)
  void workInTheBackgroundGoesOnBesideUrgentWorkThatNeverEnds() throws InterruptedException {
    try (Worker worker = new Worker();
        UrgentWork urgent = UrgentWork.begin()) {
      assertTrue(UrgentWork.isRunning());
      worker.awaitPieces(1000); // it waits no longer than it worked
    }
  }

  @Test
  @Timeout(600)
  void inAHurryNothingWaits() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    try (UrgentWork urgent = UrgentWork.begin()) {
      Politeness politeness = new Politeness(() -> true);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  politeness.run();
                }
                done.countDown();
              });
      thread.start();
      done.await();
      thread.join();
    }
  }

  @Test
  @Timeout(600)
  void itWaitsWhileUrgentWorkRunsAndGoesOnWhenItHasEnded() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean returned = new AtomicBoolean();
    Politeness politeness =
        new Politeness(
            () -> {
              looks.incrementAndGet();
              return false;
            });
    Thread.sleep(400); // it worked this long, and has as much patience
    UrgentWork urgent = UrgentWork.begin();
    Thread thread =
        new Thread(
            () -> {
              politeness.run();
              returned.set(true);
            });
    thread.start();
    while (looks.get() < 20 && !returned.get()) {
      Thread.sleep(1);
    }
    assertTrue(looks.get() > 0); // it saw the urgent work
    urgent.close();
    urgent.close(); // of no further effect
    thread.join();
    assertTrue(returned.get());
    try (UrgentWork next = UrgentWork.begin()) {
      assertTrue(UrgentWork.isRunning());
    }
  }

  @Test
  @Timeout(600)
  void whatWaitsForOthersIsNotUrgentMeanwhile() {
    try (UrgentWork urgent = UrgentWork.begin()) {
      AtomicBoolean seen = new AtomicBoolean();
      urgent.aside(
          () -> {
            assertTrue(UrgentWork.isRunning()); // a moment is nothing
            while (UrgentWork.isRunning()) {
              Thread.onSpinWait();
            }
            seen.set(true);
          });
      assertTrue(seen.get());
      assertTrue(UrgentWork.isRunning());
      urgent.close();
      urgent.aside(() -> seen.set(false));
      assertFalse(seen.get());
    }
  }

  @Test
  @Timeout(600)
  void whatTakesSecondsIsUrgentNoMoreUntilSomethingBegins() {
    try (UrgentWork slow = UrgentWork.begin()) {
      while (UrgentWork.isRunning()) {
        Thread.onSpinWait();
      }
      UrgentWork.begin().close();
      assertTrue(UrgentWork.isRunning());
    }
  }

  @Test
  @Timeout(600)
  void anInterruptEndsTheWait() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean interrupted = new AtomicBoolean();
    Politeness politeness =
        new Politeness(
            () -> {
              looks.incrementAndGet();
              Thread.currentThread().interrupt();
              return false;
            });
    Thread.sleep(200); // its patience
    try (UrgentWork urgent = UrgentWork.begin()) {
      Thread thread =
          new Thread(
              () -> {
                politeness.run();
                interrupted.set(Thread.currentThread().isInterrupted());
              });
      thread.start();
      thread.join();
    }
    assertEquals(1, looks.get());
    assertTrue(interrupted.get());
  }
}
