package org.flowmon.jobs.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.SplittableRandom;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class HistoryAnswerTest {
  private static final long MINUTE = 60_000_000L;
  private static final ResultTable NO_ROWS = new ResultTable.Builder().build();

  @Test
  void whatIsHeldIsCoveredInstantByInstant() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      LongRanges gaps = LongRanges.NONE;
      for (int i = random.nextInt(4); i > 0; i--) {
        long first = minutes(random);
        gaps = gaps.or(LongRanges.of(first, first + random.nextLong(100 * MINUTE)));
      }
      HistoryStatus status = random.nextBoolean() ? HistoryStatus.EXACT : HistoryStatus.PARTIAL;
      HistoryAnswer answer =
          new HistoryAnswer(
              status,
              minutes(random),
              minutes(random),
              minutes(random),
              gaps,
              Optional.of(NO_ROWS),
              null);
      LongRanges asked = LongRanges.of(minutes(random), minutes(random));
      LongRanges held = answer.held(asked);
      for (int i = 0; i < 2000; i++) {
        long at = minutes(random) + random.nextInt(-1, 2);
        assertEquals(
            asked.contains(at) && answer.covers(at, at + 1),
            held.contains(at),
            "seed " + seed + " at " + at + " of " + answer);
      }
    }
  }

  private static long minutes(SplittableRandom random) {
    return random.nextInt(1000) * MINUTE;
  }

  @Test
  void withoutRowsOrABeginningNothingIsHeld() {
    assertTrue(HistoryAnswer.NONE.held(LongRanges.ALL).isEmpty());
    HistoryAnswer empty =
        new HistoryAnswer(
            HistoryStatus.PARTIAL,
            MINUTE,
            0,
            HistoryAnswer.UNKNOWN,
            LongRanges.NONE,
            Optional.of(NO_ROWS),
            null);
    assertTrue(empty.held(LongRanges.ALL).isEmpty());
    HistoryAnswer endless =
        new HistoryAnswer(
            HistoryStatus.EXACT, MINUTE, 0, MINUTE, LongRanges.ALL, Optional.of(NO_ROWS), null);
    assertTrue(endless.held(LongRanges.ALL).isEmpty());
  }
}
