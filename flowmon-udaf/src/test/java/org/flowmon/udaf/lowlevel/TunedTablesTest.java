package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/**
 * Tables rebuilt while windows are open, with other low halves and other numbers of slots, lose
 * nothing: sums equal those of the flows, quantiles and weights lie within their bounds.
 */
class TunedTablesTest {
  private static final long SECOND = 1_000_000L;
  private static final long START = 1_768_478_400_000_000L;
  private static final int ROWS = 1000;
  private static final int TARGETS = 300;
  private static final int SECONDS = 90;
  private static final FlowQuery QUERY =
      QueryParser.parse(
          "SELECT src_port, COUNT(*) AS n, SUM(bytes) AS b, QUANTILES(bytes) AS q,"
              + " QUANTILE(q, 0.9) AS p, LOWER(p) AS low, UPPER(p) AS high,"
              + " HEAVY_HITTERS(dst_port, bytes) AS h, TOTAL(h) AS t, ESTIMATE(h, 7) AS e,"
              + " LOWER(e) AS e_low, UPPER(e) AS e_high FROM flows GROUP BY src_port ORDER BY"
              + " src_port");

  private static final class Group {
    private final List<Long> bytes = new ArrayList<>();
    private long sum;
    private long ofSeven;
  }

  private final Map<Long, Map<Long, Group>> expected = new TreeMap<>();
  private final Map<Long, WindowPart> windows = new TreeMap<>();
  private final Map<Integer, WindowTables> high = new HashMap<>();
  private final List<byte[]> sent = new ArrayList<>();

  /** A clock that makes the last choice of a trial cost a tenth of the others. */
  private static final class RiggedClock {
    // The first two trials, of 8,000 rows of 40 groups, a window's: three times 8 vectors and a
    // flush. The others, of two windows: 8 vectors and a flush, then 16 and a flush.
    private static final int FIRST_STEPS = 27;
    private static final int STEPS = 26;
    private static final int TURN = 16;
    private long nanos;
    private int calls;

    long next() {
      if (calls++ % 2 == 1) { // the end of a step
        int step = calls / 2 - 1;
        int inFirst = 2 * 3 * FIRST_STEPS;
        int steps = step < inFirst ? FIRST_STEPS : STEPS;
        int inTrial = (step < inFirst ? step : step - inFirst) % (3 * steps);
        int inWholeTurns = steps / TURN * 3 * TURN;
        int choice =
            inTrial < inWholeTurns ? inTrial / TURN % 3 : (inTrial - inWholeTurns) / (steps % TURN);
        nanos += choice == 2 ? 1 : 10;
      }
      return nanos;
    }
  }

  private FlowBatch batch(long second, int groups, Random random) {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int row = 0; row < ROWS; row++) {
      long time = START + second * SECOND + row;
      long end = (second + 1) * SECOND + START;
      long group = random.nextInt(groups);
      long bytes = random.nextInt(1 << (1 + random.nextInt(20)));
      long target = random.nextInt(1 + random.nextInt(TARGETS));
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      builder.set(FlowColumn.END_TIME, time);
      builder.set(FlowColumn.SRC_PORT, group);
      builder.set(FlowColumn.DST_PORT, target);
      builder.set(FlowColumn.BYTES, bytes);
      builder.endRow();
      Group of =
          expected
              .computeIfAbsent(end, w -> new HashMap<>())
              .computeIfAbsent(group, g -> new Group());
      of.bytes.add(bytes);
      of.sum += bytes;
      of.ofSeven += target == 7 ? bytes : 0;
    }
    return FlowBatch.open(builder.build(1, 0, 0, 0));
  }

  private void deliver() {
    for (byte[] bytes : sent) {
      PartialGroups groups = PartialGroups.open(bytes);
      assertTrue(
          high.computeIfAbsent(groups.keyGroup(), k -> new WindowTables(7, QUERY, window()))
              .merge(groups));
    }
    sent.clear();
  }

  private static WindowSpec window() {
    return WindowSpec.tumbling(SECOND, 0);
  }

  @Test
  void tablesThatAreMadeAnewLoseNothingAndKeepTheirBounds() {
    RiggedClock clock = new RiggedClock();
    Random random = new Random(11);
    LowLevel level = new LowLevel(clock::next);
    LowLevelMember member =
        level.add(
            7, QUERY, window(), TableSize.upTo(32_768), 16, (keyGroup, bytes) -> sent.add(bytes));
    List<String> chosen = new ArrayList<>();
    for (long second = 0; second < SECONDS; second++) {
      for (int part = 0; part < 8; part++) {
        long left = SECONDS - second;
        boolean many = left <= 15 || (left > 22 && left <= 25); // its size goes up, down and up
        level.process(batch(second, many ? 30_000 : 40, random));
      }
      if (second % 7 == 6) {
        level.drainAll();
      }
      long watermark = START + (second + 1) * SECOND;
      level.closePanesUpTo(watermark);
      while (!level.drainSome(512)) {
        // until all closed panes are out
      }
      deliver();
      high.values()
          .forEach(
              table ->
                  table.closeUpTo(
                      watermark,
                      part -> {
                        WindowPart copy = WindowPart.open(part.toBytes(), QUERY);
                        WindowPart known = windows.putIfAbsent(part.windowEnd(), copy);
                        if (known != null) {
                          known.merge(copy);
                        }
                      }));
      if (chosen.isEmpty() || !chosen.get(chosen.size() - 1).equals(member.tuning().lowHalves())) {
        chosen.add(member.tuning().lowHalves());
      }
    }
    assertNull(member.failure());
    assertEquals("QUANTILES lite, HEAVY_HITTERS buffer", chosen.get(0));
    assertEquals("QUANTILES heavy, HEAVY_HITTERS hash", chosen.get(chosen.size() - 1));
    assertEquals(2, member.tuning().switches(), member.tuning().toString());
    assertTrue(member.tuning().resizes() >= 3, member.tuning().toString());
    assertEquals(SECONDS * 8 * ROWS, member.counts().counted());
    check();
  }

  private void check() {
    assertEquals(expected.keySet(), windows.keySet());
    windows.forEach(
        (end, part) -> {
          ResultTable rows = part.result();
          Map<Long, Group> groups = expected.get(end);
          assertEquals(groups.size(), rows.rowCount());
          for (int row = 0; row < rows.rowCount(); row++) {
            Group group = groups.get(rows.longValue(row, 0));
            String at = "window " + end + " group " + rows.longValue(row, 0);
            Collections.sort(group.bytes);
            int n = group.bytes.size();
            long truth = group.bytes.get((int) Math.ceil(0.9 * n) - 1);
            assertEquals(n, rows.longValue(row, 1), at);
            assertEquals(group.sum, rows.longValue(row, 2), at);
            assertTrue(rows.longValue(row, 5) <= truth && truth <= rows.longValue(row, 6), at);
            long value = rows.longValue(row, 4);
            long below = group.bytes.stream().filter(b -> b < value).count();
            long upTo = group.bytes.stream().filter(b -> b <= value).count();
            assertTrue(below - 0.01 * n < Math.ceil(0.9 * n), at);
            assertTrue(Math.ceil(0.9 * n) <= upTo + 0.01 * n, at);
            assertEquals(group.sum, rows.longValue(row, 8), at);
            assertTrue(
                rows.longValue(row, 10) <= group.ofSeven
                    && group.ofSeven <= rows.longValue(row, 11),
                at);
          }
        });
  }
}
