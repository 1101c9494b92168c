package org.flowmon.jobs.sink.archive;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The expected time of a barrier. */
class NextBarrierTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void itIsNearOnceAfterFifteenSixteenthsOfTheLastInterval() {
    isNearOnce(0);
    isNearOnce(Long.MAX_VALUE - 12 * SECOND); // System.nanoTime may begin anywhere
  }

  private static void isNearOnce(long start) {
    NextBarrier next = new NextBarrier();
    assertFalse(next.isNear(start));
    next.came(start);
    assertFalse(next.isNear(start + 100 * SECOND), "no interval is known");
    next.came(start + 8 * SECOND);
    assertFalse(next.isNear(start + 15 * SECOND));
    assertTrue(next.isNear(start + 15 * SECOND + SECOND / 2));
    assertFalse(next.isNear(start + 16 * SECOND), "said already");
    next.came(start + 16 * SECOND);
    assertFalse(next.isNear(start + 23 * SECOND));
    assertTrue(next.isNear(start + 30 * SECOND), "it is late");
  }

  @Test
  void itIsNearASecondAheadOfALongInterval() {
    NextBarrier next = new NextBarrier();
    next.came(0);
    next.came(600 * SECOND);
    assertFalse(next.isNear(1199 * SECOND - 1));
    assertTrue(next.isNear(1199 * SECOND));
  }

  @Test
  void nothingIsExpectedOfBarriersThatComeFast() {
    NextBarrier next = new NextBarrier();
    next.came(0);
    next.came(SECOND - 1);
    assertFalse(next.isNear(10 * SECOND));
  }
}
