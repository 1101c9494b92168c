package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.junit.jupiter.api.Test;

/** Windows that sites publish in several parts. */
class WindowsInPartsTest extends SaidBySites {
  @Test
  void aWindowThatIsTakenInPartLeavesTheRestMissing() {
    LiveQuery minute = live("minute", "SELECT src_addr, SUM(bytes) AS b", "8s", "8s", "1s", "live");
    LiveQuery wide = live("wide", PUBLISHED_SELECT, "8s", "8s", "1s", "states");
    states.queries(List.of(minute));
    begin();
    // Of [0, 8) s the first two seconds come of a publication that then goes.
    long start = Math.floorDiv(START, 8 * SECOND) * 8 * SECOND + 8 * SECOND;
    say(0, "a", 1, start + 2 * SECOND, window(flows(start + 2 * SECOND, 9), start + 2 * SECOND));
    assertEquals(1, count("merged_windows"));
    take(
        0,
        new StatesMessage.Progress(
                1,
                number("a", 1, 1),
                "a",
                start + 3 * SECOND,
                List.of(SitePublisher.published(wide, Long.MIN_VALUE)))
            .toBytes());
    out.clear();
    for (int times = 1; times <= 2; times++) {
      StatesMessage.parts(
              1,
              number("a", 1, 1),
              "a",
              Publication.of(wide),
              start + 8 * SECOND,
              ArrivalCounts.NONE,
              new byte[0])
          .forEach(part -> take(0, part.toBytes()));
    }
    assertEquals(2, count("overlapping_windows"));
    assertEquals(0, count("repeated_windows"));
    assertEquals(1, count("merged_windows"));
    Partial.Missing missing =
        new Partial.Missing(
            minute.keyGroup(KEY_GROUPS),
            minute.id(),
            "a",
            start + 3 * SECOND,
            start + 17 * SECOND - 1);
    assertEquals(List.of(missing, missing), out, "of the six seconds that are not taken");
  }

  @Test
  void aWindowAllOfWhichWasTakenInPiecesIsARepeat() {
    LiveQuery wide = live("wide", PUBLISHED_SELECT, "4s", "4s", "1s", "states");
    begin();
    long start = Math.floorDiv(START, 4 * SECOND) * 4 * SECOND + 4 * SECOND;
    for (long end = start + 2 * SECOND; end <= start + 4 * SECOND; end += 2 * SECOND) {
      say(0, "a", 1, end, window(flows(end, 10), end));
    }
    LiveQuery four = live("total", "SELECT src_addr, SUM(bytes) AS b", "4s", "4s", "1s", "live");
    states.queries(List.of(four));
    for (long end = start + 2 * SECOND; end <= start + 4 * SECOND; end += 2 * SECOND) {
      say(0, "a", 2, end, window(flows(end, 10), end));
    }
    take(
        0,
        new StatesMessage.Progress(
                2,
                number("a", 2, 1),
                "a",
                start,
                List.of(SitePublisher.published(wide, Long.MIN_VALUE)))
            .toBytes());
    out.clear();
    for (long flows : new long[] {80, 81}) { // forty of each piece
      StatesMessage.parts(
              2,
              number("a", 2, 1),
              "a",
              Publication.of(wide),
              start + 4 * SECOND,
              new ArrivalCounts(flows, 0, 0, 0),
              new byte[0])
          .forEach(part -> take(0, part.toBytes()));
      assertEquals(1, count("repeated_windows"));
      assertEquals(0, count("overlapping_windows"));
      assertEquals(flows - 80, count("contradicted_windows"));
      assertEquals(flows == 80, out.isEmpty(), "missing where there are more: " + out);
    }
  }

  /** Sends one of three parts of a window, from 0 on. */
  private void sayThird(String site, long attempt, long end, byte[] bytes, int part) {
    int from = part * (bytes.length / 3);
    int to = part == 2 ? bytes.length : from + bytes.length / 3;
    take(
        0,
        new StatesMessage.Part(
                attempt,
                number(site, attempt, 1),
                site,
                Publication.of(PUBLISHED),
                end,
                ArrivalCounts.NONE,
                bytes.length,
                part,
                3,
                Arrays.copyOfRange(bytes, from, to))
            .toBytes());
  }

  @Test
  void windowsInPartsOfAllSitesAreBoundedAndWhatIsDroppedIsToldWhenItGoesOn() {
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 11), end);
    states = states(2L * bytes.length + 10);
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    sayThird("a", 1, end, bytes, 0);
    sayThird("b", 1, end, bytes, 0);
    sayThird("a", 1, end, bytes, 1);
    assertEquals(0, count("dropped_parts"));
    sayThird("c", 1, end, bytes, 0); // b's last part is the oldest
    assertEquals(1, count("dropped_parts"));
    sayThird("a", 1, end, bytes, 2);
    sayThird("c", 1, end, bytes, 1);
    sayThird("c", 1, end, bytes, 2);
    assertEquals(2, count("merged_windows"));
    assertEquals(0, count("incomplete_windows"));
    sayThird("b", 1, end, bytes, 1);
    sayThird("b", 1, end, bytes, 2);
    assertEquals(2, count("merged_windows"));
    assertEquals(2, count("incomplete_windows"), "parts that nothing can be made of");
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START + 3 * SECOND);
    }
    assertEquals(List.of("b " + START + " " + (START + 3 * SECOND)), missing());
    sayThird("b", 2, end, bytes, 0); // sent again by another attempt
    assertEquals(1, count("dropped_parts"), "there is room again");
  }

  @Test
  void windowsInPartsOfAStateCountInTheBound() {
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 14), end);
    begin();
    for (String site : List.of("a", "b")) {
      sayThird(site, 1, end, bytes, 0);
    }
    states = restored(states(2L * bytes.length / 3 + bytes.length - 10));
    sayThird("c", 1, end, bytes, 0);
    assertEquals(1, count("dropped_parts"));
    sayThird("c", 1, end, bytes, 1);
    sayThird("c", 1, end, bytes, 2);
    assertEquals(1, count("merged_windows"));
  }

  @Test
  void windowsThatAttemptsBeganAndLeftAreDroppedAndTheLastIsMerged() {
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 12), end);
    begin();
    for (long attempt = 1; attempt <= 7; attempt++) {
      sayThird("a", attempt, end, bytes, 0);
    }
    assertEquals(3, count("dropped_parts"), "a site's state has four");
    sayThird("a", 7, end, bytes, 1);
    sayThird("a", 7, end, bytes, 2);
    assertEquals(1, count("merged_windows"));
    for (MergedSite site : states.sites()) {
      assertEquals(site.toBytes().length, MergedSite.read(site.toBytes()).toBytes().length);
    }
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START + 3 * SECOND);
    }
    assertTrue(missing().isEmpty(), "nothing is: " + missing());
  }
}
