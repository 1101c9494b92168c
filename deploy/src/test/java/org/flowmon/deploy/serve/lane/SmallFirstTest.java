package org.flowmon.deploy.serve.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When large queries wait for small work, and how long, in a time of its own. */
final class SmallFirstTest {
  private static final long MILLI = 1_000_000;

  private final AtomicInteger pauses = new AtomicInteger();
  private long now;
  private Runnable onPause = () -> {};

  private SmallFirst of(int processors) {
    return new SmallFirst(
        processors,
        new SmallFirst.Clock() {
          @Override
          public long nanos() {
            return now;
          }

          @Override
          public void pause(long nanos) {
            now += nanos;
            pauses.incrementAndGet();
            onPause.run();
          }
        });
  }

  @Test
  void aLargeQueryWaitsUntilTheSmallWorkIsDone() {
    SmallFirst first = of(2);
    first.begin(Lane.LARGE);
    Runnable yielding = first.yielding(() -> false);
    now += 100 * MILLI;
    yielding.run();
    assertEquals(0, pauses.get(), "there is no small work");
    first.begin(Lane.SMALL);
    first.begin(Lane.SMALL);
    onPause =
        () -> {
          if (pauses.get() == 10 || pauses.get() == 14) {
            first.end(Lane.SMALL);
          }
        };
    yielding.run();
    assertEquals(14, pauses.get());
    assertEquals(7 * MILLI, first.waitedNanos());
    now += 100 * MILLI;
    yielding.run();
    assertEquals(14, pauses.get());
  }

  @Test
  void itGetsAQuarterOfTheTimeHoweverMuchSmallWorkThereIs() {
    SmallFirst first = of(2);
    first.begin(Lane.LARGE);
    Runnable yielding = first.yielding(() -> false);
    first.begin(Lane.SMALL);
    long worked = 0;
    for (int block = 0; block < 10_000; block++) {
      long took = (block % 7 + 1) * 100_000L;
      now += took;
      worked += took;
      yielding.run();
    }
    double share = worked / (double) now;
    assertTrue(share >= 0.25 && share < 0.27, "share " + share);
  }

  @Test
  void aLongWorkDoesNotBuyALongWait() {
    SmallFirst first = of(2);
    first.begin(Lane.LARGE);
    Runnable yielding = first.yielding(() -> false);
    now += 3_600_000 * MILLI;
    first.begin(Lane.SMALL);
    yielding.run();
    assertEquals(2_000 * MILLI, first.waitedNanos());
  }

  @Test
  void onlyAsManyWaitAsSmallOnesNeedProcessors() {
    SmallFirst first = of(8);
    List<Runnable> queries = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      first.begin(Lane.LARGE);
      queries.add(first.yielding(() -> false));
    }
    first.begin(Lane.SMALL);
    now += MILLI;
    onPause =
        () -> {
          int before = pauses.get();
          for (Runnable other : queries.subList(1, 7)) {
            other.run();
          }
          assertEquals(before, pauses.get(), "one waits, so six large and one small go on");
          first.end(Lane.SMALL);
        };
    queries.get(0).run();
    assertEquals(1, pauses.get());
  }

  @Test
  void withoutAClientItDoesNotWait() {
    SmallFirst first = of(2);
    first.begin(Lane.LARGE);
    Runnable yielding = first.yielding(() -> true);
    first.begin(Lane.SMALL);
    now += 100 * MILLI;
    yielding.run();
    assertEquals(0, pauses.get());
  }

  @Test
  void theLanesOfAServerDoSo() throws Exception {
    CountDownLatch smallBegan = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(2);
    try (Lanes lanes = new Lanes(2)) {
      assertTrue(
          lanes.submit(
              Lane.LARGE,
              () -> {
                Runnable yielding = lanes.yielding(Lane.LARGE, () -> false);
                long began = System.nanoTime();
                while (lanes.yieldedNanos() == 0 && System.nanoTime() - began < 60_000 * MILLI) {
                  yielding.run();
                }
                release.countDown();
                done.countDown();
              }));
      assertTrue(
          lanes.submit(
              Lane.SMALL,
              () -> {
                smallBegan.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                done.countDown();
              }));
      assertTrue(smallBegan.await(1, TimeUnit.MINUTES), "a large query blocks no small work");
      assertTrue(done.await(2, TimeUnit.MINUTES));
      assertTrue(lanes.yieldedNanos() > 0);
    }
  }
}
