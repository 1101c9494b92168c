package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** The panes that open before the time is known, and the counts of flows of other panes. */
class FirstPanesTest {
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400 * SECOND;
  private static final int ROWS = 50_000;
  private static final FlowQuery QUERY =
      QueryParser.parse("SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr");

  @Test
  void windowsThatPanesShareCountOnce() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      int slides = 1 + random.nextInt(6);
      WindowSpec window = new WindowSpec(slides * SECOND, SECOND, FlowColumn.END_TIME, 0, 0);
      int most = 8 + random.nextInt(40);
      FirstPanes first = new FirstPanes(most);
      Set<Long> open = new TreeSet<>();
      Set<Long> panes = new TreeSet<>();
      for (int n = 0; n < 200; n++) {
        long start = random.nextInt(100) * SECOND;
        Set<Long> more = new TreeSet<>(open);
        for (long end = start + SECOND; end <= start + slides * SECOND; end += SECOND) {
          more.add(end);
        }
        boolean fits = more.size() <= most || panes.contains(start);
        assertEquals(fits, first.open(window, start), "seed " + seed + ", pane " + start);
        if (fits) {
          open = more;
          panes.add(start);
        } else {
          assertTrue(panes.contains(first.nearest(start)), "seed " + seed);
        }
      }
      first.timeIsKnown();
      assertTrue(first.open(window, 1000 * SECOND) && first.open(window, 1100 * SECOND));
    }
  }

  @Test
  void asManyWindowsOpenAsTheirLatenessKeepsOpen() {
    WindowSpec window =
        new WindowSpec(SECOND, SECOND, FlowColumn.END_TIME, DAY, WindowSpec.DEFAULT_AHEAD_MICROS);
    FirstPanes first = new FirstPanes(10);
    for (long start = 0; start < DAY; start += SECOND) {
      assertTrue(first.open(window, start));
    }
  }

  /** Counts the reported flows of a low level, by the pane of their arrival. */
  private static final class Told implements LowLevelMember.Arrivals {
    long flows;
    long late;

    @Override
    public void pane(long start, long all, long tooLate, long ahead, long sampled, long rate) {
      flows += all;
      late += tooLate;
    }
  }

  @Test
  void flowsThatWouldOpenTooManyWindowsUntilTimeIsKnownAreLateAndTold() {
    for (boolean spread : new boolean[] {false, true}) {
      WindowSpec window =
          new WindowSpec(2 * DAY, DAY, FlowColumn.END_TIME, 0, DAY / 24, false, spread);
      LowLevel low = new LowLevel();
      Set<Long> opened = new TreeSet<>();
      LowLevelMember member =
          low.add(
              1,
              QUERY,
              window,
              64,
              1,
              (keyGroup, bytes) -> opened.add(PartialGroups.open(bytes).paneStart()));
      Told told = new Told();
      int flows = FirstPanes.MAX_WINDOWS / 2 + ROWS;
      for (int from = 0; from < flows; from += ROWS) {
        low.process(flows(from, Math.min(ROWS, flows - from), 2 * DAY));
        member.arrivalsOfBatch(told);
      }
      low.drainAll();
      assertEquals(FirstPanes.MAX_WINDOWS / 2, opened.size());
      LowLevelCounts counts = member.counts();
      assertEquals(FirstPanes.MAX_WINDOWS / 2, counts.counted());
      assertEquals(ROWS, counts.late());
      assertEquals(0, counts.behindWatermark());
      assertEquals(flows, told.flows);
      assertEquals(counts.late(), told.late);

      // Open panes take more flows; after the first watermark others open.
      low.process(flows(0, 10, 2 * DAY));
      assertEquals(ROWS, member.counts().late());
      low.process(flows(flows, 10, 2 * DAY));
      assertEquals(ROWS + 10, member.counts().late());
      low.closePanesUpTo(-DAY);
      low.process(flows(flows, 10, 2 * DAY));
      assertEquals(ROWS + 10, member.counts().late());
      assertEquals(FirstPanes.MAX_WINDOWS / 2 + 20, member.counts().counted());
    }
  }

  @Test
  void groupsOfMorePanesThanTablesMayHaveGoOnAndNoneIsLost() {
    WindowSpec window = WindowSpec.tumbling(SECOND, 0);
    TreeMap<Long, Integer> groups = new TreeMap<>();
    List<Boolean> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            QUERY,
            window,
            64,
            1,
            (keyGroup, bytes) -> {
              PartialGroups of = PartialGroups.open(bytes);
              groups.merge(of.paneStart(), of.groups(), Integer::sum);
              sent.add(true);
            });
    low.process(flows(0, ROWS, SECOND));
    assertTrue(sent.isEmpty());
    assertEquals(ROWS, low.panes());
    low.process(flows(ROWS, ROWS, SECOND));
    assertFalse(sent.isEmpty());
    assertTrue(low.panes() <= LowLevelTables.MAX_PANES, low.panes() + " panes");
    low.process(flows(2 * ROWS, 10, SECOND));
    low.drainAll();
    assertEquals(2 * ROWS + 10, groups.size());
    assertEquals(2 * ROWS + 10, groups.values().stream().mapToInt(n -> n).sum());
  }

  @Test
  void manyWindowsThatCloseAtOnceLookAtTheirOwnPanesAlone() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr"
                + " ORDER BY bytes DESC LIMIT 3");
    WindowSpec window = WindowSpec.tumbling(SECOND, 0);
    WindowTables tables = new WindowTables(1, query, window);
    LowLevelQuery low =
        new LowLevelQuery(
            1, query, window, 64, 1, (keyGroup, bytes) -> tables.merge(PartialGroups.open(bytes)));
    low.process(flows(0, ROWS, SECOND));
    low.drainAll();
    Set<Long> ends = new TreeSet<>();
    assertTimeoutPreemptively(
        Duration.ofSeconds(15),
        () -> tables.closeUpTo(ROWS * SECOND, part -> ends.add(part.windowEnd())),
        "quadratic");
    assertEquals(ROWS, ends.size());
  }

  /** Flows at a distance from one another; each took a second. */
  private static FlowBatch flows(int first, int count, long distance) {
    FlowBatchBuilder builder = new FlowBatchBuilder(count);
    for (int i = first; i < first + count; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i * distance + SECOND / 2);
      builder.set(FlowColumn.START_TIME, i * distance + SECOND / 4);
      builder.set(FlowColumn.END_TIME, i * distance + SECOND / 2);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000001);
      builder.set(FlowColumn.BYTES, 100);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, first, first + count, 0));
  }
}
