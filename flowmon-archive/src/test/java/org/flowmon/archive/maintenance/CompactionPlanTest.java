package org.flowmon.archive.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The plan on made-up segments: rewrites of each row, and remaining small segments. */
class CompactionPlanTest {
  private static final long MINUTE = 60_000_000L;
  private static final long DAY = 24 * 60 * MINUTE;

  private int ids;

  private SealedSegment segment(int rows, long from, long to, long arrival) {
    FileIdentity file = new FileIdentity(100L * rows, 1, 10, 2);
    return new SealedSegment(
        "s" + ids++,
        rows,
        new TimeRange(from, to),
        new TimeRange(from, to),
        new TimeRange(from, to),
        new TimeRange(from, arrival),
        BigInteger.ONE,
        BigInteger.ONE,
        file,
        file);
  }

  @Test
  void aRefusalNamesEverythingThatIsAllowed() {
    assertFalse(new CompactionOptions(0, 0).merges());
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> new CompactionOptions(0, 10));
    assertTrue(e.getMessage().endsWith(", or 0 and 0"), e.getMessage());
  }

  /**
   * Ten days of checkpoints every ten minutes, each of {@code rows}, some with a late row of the
   * day before.
   */
  @ParameterizedTest
  @CsvSource({"100000,2.0", "5000,2.8", "700000,0.9", "300,2.8"})
  void rowsAreRewrittenSeldomAndFewSegmentsStaySmall(int rows, double rewritten) {
    CompactionPlan plan = new CompactionPlan(CompactionOptions.DEFAULTS);
    Random random = new Random(rows);
    Map<String, SealedSegment> live = new HashMap<>();
    Set<String> settled = new HashSet<>();
    int unsettled = 0;
    long written = 0;
    long total = 0;
    int mostSmall = 0;
    for (int i = 0; i < 10 * 144; i++) {
      long at = 20_000 * DAY + i * 10L * MINUTE;
      boolean late = random.nextInt(20) == 0 && at % DAY < DAY / 2;
      long from = late ? at - DAY : at;
      SealedSegment fresh = segment(rows, from, at + 10 * MINUTE - 1, at + 10 * MINUTE);
      live.put(fresh.id(), fresh);
      total += rows;
      for (int step = 0; ; step++) {
        assertTrue(step < 1000, "the plan comes to an end");
        List<SealedSegment> merge = plan.next(new ArrayList<>(live.values()), Set.of());
        if (merge.isEmpty()) {
          break;
        }
        assertTrue(merge.size() > 1);
        int sum = 0;
        boolean mixed = false;
        for (SealedSegment one : merge) {
          assertEquals(one, live.remove(one.id()), "what is merged is there");
          unsettled += settled.contains(one.id()) && one.rows() > 50 ? 1 : 0;
          sum += one.rows();
          mixed |= CompactionSlice.of(one) == CompactionSlice.MIXED;
        }
        assertTrue(sum <= 6_000_000);
        written += sum;
        long day = merge.get(0).endTime().max() / DAY;
        if (mixed && sum > merge.size()) {
          SealedSegment lateOnes = segment(merge.size(), (day - 1) * DAY, (day - 1) * DAY + 1, at);
          live.put(lateOnes.id(), lateOnes);
          sum -= merge.size();
        }
        SealedSegment merged = segment(sum, day * DAY, merge.get(0).endTime().max(), at);
        live.put(merged.id(), merged);
      }
      List<SealedSegment> now = new ArrayList<>(live.values());
      plan.settled(now).stream().forEach(place -> settled.add(now.get(place).id()));
      long small = live.values().stream().filter(s -> s.rows() < 500_000).count();
      mostSmall = (int) Math.max(mostSmall, small);
    }
    assertTrue(mostSmall <= 64, mostSmall + " small segments");
    assertTrue(
        settled.size() >= 9 && unsettled <= settled.size() / 10,
        unsettled + " of " + settled.size());
    assertTrue(
        (double) written / total <= rewritten,
        "each row was rewritten " + (double) written / total + " times");
  }
}
