package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.flink.metrics.SimpleCounter;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.junit.jupiter.api.Test;

class OpenWindowsTest {
  private static final long WIDTH = 2_000_000L;

  /** Flows of any time in the past open windows until time is known. */
  @Test
  void noMoreWindowsOpenThanAreAllowed() {
    LiveQuery live =
        LiveQuery.all(TestAnalyses.talkers("talkers", "2s", "2s", "2s", 64, 10)).get(0);
    OpenWindows open = new OpenWindows(live, new SimpleCounter());
    ArrivalCounts one = new ArrivalCounts(1, 0, 0, 0);
    for (long pane = 0; pane < OpenWindows.MAX_OPEN + 1000; pane++) {
      open.add(new Partial.Counts(0, live.id(), pane * WIDTH, one), Long.MIN_VALUE);
    }
    assertEquals(OpenWindows.MAX_OPEN, open.ends().size());
    assertEquals(OpenWindows.MAX_OPEN, open.arrived(Long.MIN_VALUE, Long.MAX_VALUE).flows());
    // Those that are open take more, and the next ones open when these are closed.
    open.add(new Partial.Counts(0, live.id(), 0, one), Long.MIN_VALUE);
    assertEquals(2, open.arrived(0, WIDTH).flows());
    long closed = 1000 * WIDTH;
    open.forget(closed);
    assertTrue(open.ends().size() < OpenWindows.MAX_OPEN);
    long next = OpenWindows.MAX_OPEN * WIDTH;
    open.add(new Partial.Counts(0, live.id(), next, one), closed);
    assertEquals(1, open.arrived(next, next + WIDTH).flows());
    assertTrue(open.ends().contains(next + WIDTH));
  }
}
