package org.flowmon.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WatermarkTimesTest {
  @Test
  void theWatermarkPassesWithTheLastPartition() {
    WatermarkTimes times = new WatermarkTimes();
    assertTrue(Double.isNaN(times.passed(0)), "nothing was sent");
    times.sent(0, 1_000, 10);
    times.sent(0, 2_000, 20);
    times.sent(0, 2_000, 25); // the first of an arrival counts
    times.sent(1, 1_500, 16);
    assertEquals(16, times.passed(900));
    assertEquals(16, times.passed(1_000));
    assertEquals(20, times.passed(1_001));
    assertTrue(Double.isNaN(times.passed(1_501)), "the second partition has none as late");
    times.beat(3_000, 31);
    assertEquals(31, times.passed(1_501));
    assertEquals(31, times.passed(3_000));
  }
}
