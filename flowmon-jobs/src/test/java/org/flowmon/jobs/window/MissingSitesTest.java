package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.jobs.lowlevel.Partial;
import org.junit.jupiter.api.Test;

class MissingSitesTest {
  private static final List<String> MISSING = List.of("a");

  private static Partial.Missing missing(long after, long through) {
    return new Partial.Missing(0, 1, "a", after, through);
  }

  private static List<Partial> ranges(MissingSites sites) {
    List<Partial> all = new ArrayList<>();
    sites.snapshot(1, all);
    return all;
  }

  @Test
  void rangesOfASiteAreBoundedAndNoResultThatLacksItSaysThatItDoesNot() {
    MissingSites sites = new MissingSites();
    int count = 10 * MissingSites.MAX_RANGES;
    for (int i = 0; i < count; i++) {
      sites.add(missing(10L * i, 10L * i + 3 + i % 2));
    }
    assertEquals(MissingSites.MAX_RANGES, ranges(sites).size());
    for (int i = 0; i < count; i++) {
      assertEquals(MISSING, sites.at(10L * i + 1), "range " + i);
    }
    assertTrue(sites.at(0).isEmpty());
    assertTrue(sites.at(10L * count).isEmpty());
    sites.forget(10L * count);
    assertTrue(ranges(sites).isEmpty());
  }

  @Test
  void rangesThatTouchAreOne() {
    long seed = 71;
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      MissingSites sites = new MissingSites();
      boolean[] lacks = new boolean[60]; // by what a result is through
      for (int n = random.nextInt(12); n > 0; n--) {
        int after = random.nextInt(50);
        int through = after + 1 + random.nextInt(9);
        sites.add(missing(after, through));
        for (int t = after + 1; t <= through; t++) {
          lacks[t] = true;
        }
      }
      for (int t = 0; t < lacks.length; t++) {
        String where = "seed " + seed + ", round " + round + ", through " + t;
        assertEquals(lacks[t] ? MISSING : List.of(), sites.at(t), where);
      }
    }
  }

  @Test
  void theLongestTimesAreRangesToo() {
    MissingSites sites = new MissingSites();
    sites.add(missing(Long.MIN_VALUE, -5));
    sites.add(missing(5, Long.MAX_VALUE));
    assertEquals(MISSING, sites.at(-5));
    assertTrue(sites.at(5).isEmpty());
    assertEquals(MISSING, sites.at(Long.MAX_VALUE));
    assertEquals(List.of(missing(Long.MIN_VALUE, -5), missing(5, Long.MAX_VALUE)), ranges(sites));
  }
}
