package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateSink;
import org.junit.jupiter.api.Test;

/** Messages of sites that are not believed, and their counts. */
class SiteLimitsTest extends SaidBySites {
  private static final long DAY = 86_400 * SECOND;

  @Test
  void aSiteThatSpeaksOfMoreThanArrivalAheadIsAsSilent() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    assertFalse(progress(10, "a", START + 2 * DAY));
    long end = START + 1000 * DAY;
    say(20, "a", 1, end, window(flows(end, 8), end));
    assertEquals(2, count("ahead_messages"));
    assertEquals(0, count("merged_windows"));
    assertTrue(states.firstWhole(TOTAL.window()) < START, "what comes later is not held up");
    progress(900, "b", START + 9 * SECOND);
    progress(900, "c", START + 9 * SECOND);
    assertEquals(START, states.through(), "a is not silent for long enough");
    assertTrue(progress(1001, "b", START + 9 * SECOND));
    assertEquals(START + 9 * SECOND, states.through());
    assertTrue(missing().contains("a " + START + " " + (START + 9 * SECOND)), missing().toString());
    // Its clock is right again. Its messages meanwhile are lost, until their windows are known.
    out.clear();
    for (int second = 10; second <= 40; second += 10) {
      for (String site : List.of("a", "b", "c")) {
        progress(1001 + second, site, START + second * SECOND);
      }
    }
    assertEquals(START + 40 * SECOND, states.through());
    assertEquals(0, count("lost_messages"), "none of them is lost: their numbers follow");
    assertEquals(
        List.of(
            "a " + (START + 9 * SECOND) + " " + (START + 10 * SECOND),
            "a " + (START + 10 * SECOND) + " " + (START + 20 * SECOND),
            "a " + (START + 20 * SECOND) + " " + (START + 21 * SECOND)),
        missing());
  }

  /**
   * Returns the end of the first window that begins when the broker's clock shows the beginning, or
   * after.
   */
  private static long nextEnd() {
    return -Math.floorDiv(-1000 * CLOCK, 2 * SECOND) * 2 * SECOND + 2 * SECOND;
  }

  @Test
  void aForgedProgressMakesNoStatesLateThatComeInTime() {
    long now = 1000 * CLOCK;
    for (long ahead : new long[] {10 * SECOND, AHEAD, AHEAD + SECOND, DAY - SECOND}) {
      counters.clear();
      out.clear();
      numbers.clear();
      states = states();
      begin();
      for (String site : List.of("a", "b", "c")) {
        progress(0, site, now + ahead);
      }
      for (String site : List.of("a", "b", "c")) {
        progress(500, site, now - SECOND); // the site's own message
      }
      long end = nextEnd();
      List<TestFlow> flows = flows(end, 21);
      say((end - now) / 1000 + 1100, "a", 1, end, window(flows, end));
      assertEquals(0, count("late_windows"), ahead + " us ahead");
      assertEquals(
          Map.of(end, sum(flows), end + 2 * SECOND, sum(flows)),
          merged(end + 100 * SECOND),
          "seed 21");
      assertTrue(states.through() < now + SECOND, states.through() - now + " us after it was said");
      boolean isRefused = ahead > AHEAD;
      assertEquals(isRefused ? 3 : 0, count("ahead_messages"), ahead + " us ahead");
      assertEquals(isRefused ? 0 : 3, count("bounded_messages"), ahead + " us ahead");
    }
  }

  @Test
  void aSiteThatIsSpokenForAndComesNoFurtherHoldsNobodyUp() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    for (int second = 1; second <= 9; second++) {
      progress(200L * second, "a", START); // it is down, and another sends in its name
      say(200L * second, "a", 2, START + 2 * SECOND, new byte[0]);
      progress(200L * second, "b", START + second * SECOND);
      progress(200L * second, "c", START + second * SECOND);
    }
    assertEquals(START + 9 * SECOND, states.through());
    assertTrue(
        missing().contains("a " + (START + 8 * SECOND) + " " + (START + 9 * SECOND)),
        missing().toString());
  }

  @Test
  void aSiteWhoseInputHasEndedComesWithTheClockToWhereItSaid() {
    long now = 1000 * CLOCK;
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, now);
    }
    out.clear();
    progress(1, "a", now + 10 * SECOND); // its last message
    for (int second = 1; second <= 12; second++) {
      progress(1000L * second, "b", now + second * SECOND);
      progress(1000L * second, "c", now + second * SECOND);
      if (second == 5) {
        states = restored();
      }
      assertEquals(
          now + Math.min(10, second) * SECOND, Math.min(states.through(), now + 10 * SECOND));
    }
    assertEquals(
        List.of("a " + (now + 11 * SECOND) + " " + (now + 12 * SECOND)),
        missing().stream().filter(of -> !of.contains(" " + (now + 10 * SECOND) + " ")).toList());
  }

  @Test
  void aWindowOfAnyWidthKeepsNoAnalysisFromItsBeginning() {
    begin();
    long width = 50L * 366 * DAY; // the second of them ends in 2070
    Publication wide =
        new Publication(
            "wide", Publication.of(PUBLISHED).query(), width, 0, FlowColumn.END_TIME, false);
    StatesMessage.parts(1, number("a", 1, 1), "a", wide, 2 * width, ArrivalCounts.NONE, new byte[0])
        .forEach(part -> take(0, part.toBytes()));
    assertEquals(0, count("ahead_messages"), "it begins before now");
    long whole = states.firstWhole(TOTAL.window());
    assertTrue(whole <= 1000 * CLOCK + AHEAD, "an analysis begins at " + whole);
  }

  @Test
  void aWindowThatIsToldAgainWithOtherGroupsOrFlowsLeavesTheSiteMissing() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    long end = START + 2 * SECOND;
    List<TestFlow> flows = flows(end, 22);
    List<TestFlow> reversed = new ArrayList<>(flows);
    Collections.reverse(reversed);
    List<TestFlow> other = new ArrayList<>(flows);
    TestFlow last = other.remove(other.size() - 1);
    other.add(new TestFlow(last.arrival(), last.endTime(), last.source(), last.bytes() + 1, null));
    out.clear();
    say(0, "a", 1, end, window(flows, end));
    say(0, "a", 2, end, window(reversed, end));
    say(0, "a", 2, end, new byte[0]); // it has more groups now than it may hold
    assertEquals(2, count("repeated_windows"));
    assertEquals(0, count("contradicted_windows"));
    assertTrue(missing().isEmpty(), missing().toString());
    states = restored();
    say(0, "a", 3, end, window(other, end)); // a sum differs
    assertEquals(1, count("contradicted_windows"));
    String lacking = "a " + (START + SECOND) + " " + (end - 1 + 4 * SECOND + SECOND);
    assertEquals(List.of(lacking), missing());
    StatesMessage.parts(
            4,
            number("a", 4, 1),
            "a",
            Publication.of(PUBLISHED),
            end,
            new ArrivalCounts(41, 1, 2, 3),
            window(flows, end))
        .forEach(part -> take(0, part.toBytes()));
    assertEquals(2, count("contradicted_windows"), "one more flow arrived");
    assertEquals(List.of(lacking, lacking), missing());
    assertEquals(1, count("merged_windows"), "the first is taken");
  }

  @Test
  void windowsThatArePastAreNotRemembered() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    MergedSite a = states.sites().iterator().next();
    StateSink before = new StateSink();
    a.taken().write(before);
    for (int i = 1; i <= 200; i++) {
      say(0, "a", 1, START - 2L * i * SECOND - 4 * SECOND, new byte[0]);
    }
    assertEquals(200, count("late_windows"));
    StateSink now = new StateSink();
    a.taken().write(now);
    assertEquals(before.size(), now.size());
  }

  @Test
  void windowsThatAreRememberedAreBoundedAndOneMoreIsLost() {
    LiveQuery fine = live("fine", PUBLISHED_SELECT, "1ms", "1ms", "1s", "states");
    begin();
    int windows = 1 << 17;
    for (int i = 1; i <= windows + 1; i++) {
      StatesMessage.parts(
              1,
              number("a", 1, 1),
              "a",
              Publication.of(fine),
              START + i * 1000L,
              ArrivalCounts.NONE,
              new byte[0])
          .forEach(part -> take(0, part.toBytes()));
    }
    assertEquals(windows, count("merged_windows"));
    assertEquals(1, count("lost_messages"));
    assertEquals(1, count("bad_values"));
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START + SECOND);
    }
    assertTrue(missing().contains("a " + Long.MIN_VALUE + " " + (START + SECOND)), "it is missing");
  }

  @Test
  void windowsThatAreClosedMakeRoomForThoseThatAreOpen() {
    LiveQuery fine = live("fine", PUBLISHED_SELECT, "1ms", "1ms", "0s", "states");
    LiveQuery total = live("total", PUBLISHED_SELECT, "1ms", "1ms", "0s", "live");
    states.queries(List.of(total));
    for (String site : List.of("a", "b", "c")) {
      progress(fine, site, Long.MIN_VALUE);
    }
    int windows = (1 << 17) + 1000;
    for (int i = 1; i <= windows; i++) {
      StatesMessage.parts(
              1,
              number("a", 1, 1),
              "a",
              Publication.of(fine),
              START + i * 1000L,
              ArrivalCounts.NONE,
              new byte[0])
          .forEach(part -> take(0, part.toBytes()));
      if (i % 100 == 0) {
        for (String site : List.of("a", "b", "c")) {
          progress(fine, site, START + i * 1000L);
        }
      }
    }
    assertEquals(windows, count("merged_windows"));
    assertEquals(0, count("lost_messages"));
    assertEquals(0, count("bad_values"));
    states = restored();
    StatesMessage.parts(
            2,
            number("a", 2, 1),
            "a",
            Publication.of(fine),
            START + 1000,
            ArrivalCounts.NONE,
            new byte[0])
        .forEach(part -> take(0, part.toBytes()));
    assertEquals(1, count("late_windows"), "what is forgotten is merged no second time");
    assertEquals(windows, count("merged_windows"));
  }

  @Test
  void aStateWithoutDigestsIsRead() {
    MergedSite site = new MergedSite("a", 5);
    TakenWindows.Use use = new TakenWindows.Use(7, 0);
    TakenWindows.Window one = new TakenWindows.Window(SECOND, 1, null);
    assertTrue(site.taken().take(use, START, one, Long.MIN_VALUE));
    byte[] now = site.toBytes();
    StateSink before = new StateSink();
    int said = 1 + 2 + 8; // after version, name and through
    int attempts = said + 8 + 8 + 8 + 1 + 8 + 8 + 1;
    int flows = now.length - 8 - 1 - 1; // of the window; no digest and no windows in parts follow
    before.putByte(1);
    before.putBytes(now, 1, said - 1);
    before.putBytes(now, said + 8, attempts + 1 - said - 8);
    before.putBytes(now, attempts + 2, flows - attempts - 2); // without the last messages
    before.putByte(0);
    MergedSite read = MergedSite.read(before.toBytes());
    TakenWindows.Window other = new TakenWindows.Window(SECOND, 2, null);
    assertTrue(read.taken().notTaken(use, START, SECOND).isEmpty());
    assertFalse(read.taken().contradicts(use, START, other), "nothing is known of its flows");
    assertTrue(MergedSite.read(now).taken().contradicts(use, START, other));
    now[0] = 2;
    StateFormatException e = assertThrows(StateFormatException.class, () -> MergedSite.read(now));
    assertTrue(e.getMessage().contains("found version 2, this reads versions 1 and 3"), "" + e);
  }

  @Test
  void timeStandsWhereNoSiteIsHeard() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    out.clear();
    assertFalse(progress(2001, "a", START + 2 * DAY), "b and c are silent, a is not believed");
    assertEquals(START, states.through());
    assertTrue(missing().isEmpty(), missing().toString());
    assertTrue(progress(2002, "b", START + 5 * SECOND));
    assertEquals(START + 5 * SECOND, states.through());
  }

  @Test
  void queriesThatSitesSayAreKeptUpToABoundOfTheirTexts() {
    PublicationMatch matching = new PublicationMatch();
    Publication one = Publication.of(PUBLISHED);
    String text = one.query() + " ".repeat(60_000);
    int most = (1 << 24) / text.length();
    for (int i = 0; i < most + 10; i++) {
      Publication other =
          new Publication("p" + i, text, one.widthMicros(), 0, one.timeColumn(), false);
      assertTrue(matching.query(other) != null);
      assertTrue(matching.known() <= most, matching.known() + " of " + most);
    }
    assertEquals(10, matching.known());
  }

  @Test
  void whatASitePublishesThatNobodyHereKnowsIsMissingNowhere() {
    Publication own =
        new Publication(
            "own",
            "SELECT src_addr, MY_OWN(bytes) AS q FROM flows GROUP BY src_addr",
            2 * SECOND,
            SECOND,
            FlowColumn.END_TIME,
            false);
    begin();
    long base = Math.floorDiv(START, 4 * SECOND) * 4 * SECOND;
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, base);
    }
    out.clear();
    for (int i = 1; i <= 12; i++) {
      long end = base + 2L * i * SECOND;
      for (String site : List.of("a", "b", "c")) {
        say(i * 10L, site, 1, end, window(flows(end, i), end));
        if (site.equals("a")) {
          StatesMessage.parts(
                  1, number("a", 1, 1), "a", own, end, ArrivalCounts.NONE, new byte[] {1, 2, 3})
              .forEach(part -> take(10, part.toBytes()));
        }
        progress(i * 10L, site, end + SECOND);
      }
    }
    assertEquals(0, count("lost_messages"));
    assertEquals(12, count("unmatched_windows"));
    assertEquals(36, count("merged_windows"));
    assertEquals(List.of(), missing().stream().filter(of -> of.startsWith("a ")).toList());
  }
}
