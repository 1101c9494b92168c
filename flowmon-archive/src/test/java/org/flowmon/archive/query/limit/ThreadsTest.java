package org.flowmon.archive.query.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** All threads of a query end if one of them ends or nobody waits for the query any more. */
class ThreadsTest {
  private static Deadline none() {
    return new Deadline(Optional.empty(), Long.MAX_VALUE, Long.MAX_VALUE, () -> false);
  }

  /** A long loop. */
  private static Void loop(Deadline deadline) {
    while (true) {
      deadline.check();
      Thread.onSpinWait();
    }
  }

  @Test
  void othersEndWhereOneFailsAndItsFailureIsTold() {
    for (int failing = 0; failing < 4; failing++) {
      int which = failing;
      Deadline deadline = none();
      AtomicInteger number = new AtomicInteger();
      IllegalStateException failure = new IllegalStateException("thread " + which);
      assertSame(
          failure,
          assertThrows(
              IllegalStateException.class,
              () ->
                  Threads.run(
                      4,
                      deadline,
                      () -> {
                        if (number.getAndIncrement() == which) {
                          throw failure;
                        }
                        return loop(deadline);
                      })));
    }
  }

  @Test
  void allEndWhereTheThreadThatAskedIsInterrupted() throws InterruptedException {
    for (int threads : new int[] {1, 3}) {
      Deadline deadline = none();
      CountDownLatch begun = new CountDownLatch(threads);
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      AtomicReference<Boolean> flag = new AtomicReference<>();
      Thread asking =
          new Thread(
              () -> {
                try {
                  Threads.run(
                      threads,
                      deadline,
                      () -> {
                        begun.countDown();
                        return loop(deadline);
                      });
                } catch (Exception e) {
                  thrown.set(e);
                }
                flag.set(Thread.currentThread().isInterrupted());
              });
      asking.start();
      assertTrue(begun.await(30, TimeUnit.SECONDS));
      asking.interrupt();
      asking.join();
      assertEquals(QueryCancelledException.class, thrown.get().getClass());
      assertTrue(flag.get(), "the interrupt is kept");
    }
  }

  /** A thread that has done its share waits for the others. */
  @Test
  void allEndWhereTheThreadThatAskedIsInterruptedWhileItWaits() throws InterruptedException {
    Deadline deadline = none();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch waits = new CountDownLatch(1);
    Thread asking = new Thread(() -> thrown.set(waiting(deadline, waits)));
    asking.start();
    assertTrue(waits.await(30, TimeUnit.SECONDS));
    asking.interrupt();
    asking.join();
    assertEquals(QueryCancelledException.class, thrown.get().getClass());
  }

  private static Throwable waiting(Deadline deadline, CountDownLatch waits) {
    Thread asking = Thread.currentThread();
    return assertThrows(
        QueryCancelledException.class,
        () ->
            Threads.run(
                2,
                deadline,
                () -> {
                  if (Thread.currentThread() != asking) {
                    loop(deadline);
                  }
                  waits.countDown();
                  return null;
                }));
  }

  @Test
  void limitsHoldOverAllAttempts() {
    Deadline deadline = new Deadline(Optional.of(Duration.ofDays(1)), 100, 1000, () -> false);
    deadline.begin(5);
    deadline.read(60);
    deadline.bytesRead(600);
    deadline.cancel();
    deadline.begin(7);
    deadline.check();
    deadline.read(40);
    deadline.bytesRead(400);
    RowLimitException rows = assertThrows(RowLimitException.class, () -> deadline.read(1));
    assertTrue(rows.getMessage().contains("0 of 7 segments"), rows.getMessage());
    assertThrows(ByteLimitException.class, () -> deadline.bytesRead(1));
    Deadline past = new Deadline(Optional.of(Duration.ZERO), 100, 1000, () -> false);
    past.begin(1);
    assertThrows(QueryTimeoutException.class, past::check);
  }
}
