package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.junit.jupiter.api.Test;

/** Believable messages that are forged in the name of a site. */
class ForgedSitesTest extends SaidBySites {
  private static final LiveQuery FIRST =
      live("a", PUBLISHED_SELECT, "2s", "2s", "1s", "states"); // before the site's own, by name

  private void all(long millis, long through) {
    for (String site : List.of("a", "b", "c")) {
      progress(millis, site, through);
    }
  }

  /** Sends a progress of site a with another publication. */
  private void forge(long attempt, long number, boolean withOwn) {
    List<StatesMessage.Published> published =
        List.of(
            SitePublisher.published(FIRST, Long.MIN_VALUE),
            SitePublisher.published(withOwn ? PUBLISHED : FIRST, Long.MIN_VALUE));
    take(0, new StatesMessage.Progress(attempt, number, "a", START, published).toBytes());
  }

  private boolean isMissing(long through) {
    return missing().stream()
        .map(of -> of.split(" "))
        .anyMatch(
            of ->
                of[0].equals("a")
                    && Long.parseLong(of[1]) < through
                    && through <= Long.parseLong(of[2]));
  }

  @Test
  void aForgedListOfPublicationsMakesNoWindowVanishInSilence() {
    for (long[] attemptAndNumber : new long[][] {{1, 2}, {1, 3}, {1, 1L << 40}, {9, 0}, {9, 7}}) {
      for (boolean withOwn : new boolean[] {true, false}) {
        String of = attemptAndNumber[0] + ", " + attemptAndNumber[1] + ", " + withOwn;
        counters.clear();
        out.clear();
        numbers.clear();
        states = states();
        begin();
        all(0, START);
        forge(attemptAndNumber[0], attemptAndNumber[1], withOwn);
        states = restored();
        long end = START + 2 * SECOND;
        say(0, "a", 1, end, window(flows(end, 31), end));
        assertEquals(0, count("merged_windows"), of + ": the case needs a window that vanishes");
        all(10, START + 3 * SECOND);
        assertEquals(START + 3 * SECOND, states.through(), of);
        assertTrue(isMissing(end + SECOND), of + ": " + missing());
        assertEquals(1, count("contradicted_messages"), of);
        out.clear();
        for (int second = 4; second <= 40; second++) {
          all(10L * second, START + second * SECOND);
        }
        assertTrue(isMissing(START + 4 * SECOND), of);
        assertFalse(isMissing(START + 40 * SECOND), "the site is whole again: " + of);
      }
    }
  }

  @Test
  void windowsOfAnotherWidthThatAreForgedAreComparedWithWhatTheSiteSays() {
    for (String width : List.of("1s", "2s")) {
      counters.clear();
      out.clear();
      numbers.clear();
      states = states();
      LiveQuery other = live("a", PUBLISHED_SELECT, width, width, "1s", "states");
      begin();
      all(0, START);
      long end = START + 20 * SECOND;
      long step = other.window().widthMicros();
      for (long of = end - 2 * SECOND + step; of <= end; of += step) {
        StatesMessage.parts(
                1,
                number("a", 1, 1),
                "a",
                Publication.of(other),
                of,
                new ArrivalCounts(7, 0, 0, 0),
                new byte[0])
            .forEach(part -> take(0, part.toBytes()));
      }
      all(10, START + 17 * SECOND);
      out.clear();
      say(20, "a", 1, end, window(flows(end, 32), end));
      assertEquals(1, count("contradicted_windows"), width);
      assertTrue(isMissing(end + SECOND), width);
    }
  }

  @Test
  void aSiteThatIsSaidToComeFurtherByLittleHoldsNobodyUp() {
    // One microsecond, half the clock's pace: a report must not wait for ever.
    for (long step : new long[] {1, 450_000}) {
      numbers.clear();
      out.clear();
      states = states();
      begin();
      all(0, START);
      for (int i = 1; i <= 10; i++) {
        progress(900L * i, "a", START + i * step);
        progress(900L * i, "b", START + i * 900_000L);
        progress(900L * i, "c", START + i * 900_000L);
        states = i % 2 == 0 ? restored() : states;
      }
      assertEquals(START + 9 * SECOND, states.through(), "of " + step + " us");
      assertTrue(isMissing(START + 9 * SECOND), missing().toString());
    }
  }

  @Test
  void aSiteThatNeverSpokeAndIsSaidToComeFurtherByLittleHoldsNobodyUp() {
    for (String site : List.of("b", "c")) {
      progress(0, site, START);
    }
    for (int i = 1; i <= 10; i++) {
      progress(900L * i, "a", START - 1000 * SECOND + i);
      progress(900L * i, "b", START + i * 900_000L);
      progress(900L * i, "c", START + i * 900_000L);
    }
    assertEquals(START + 9 * SECOND, states.through());
    assertTrue(isMissing(START + 9 * SECOND), missing().toString());
  }

  @Test
  void aSiteThatKeepsPaceIsWaitedForAndOneThatLagsMoreIsAgainWhenItDoes() {
    begin();
    all(0, START);
    boolean isLeftOut = false;
    for (int i = 1; i <= 400; i++) {
      long clock = 100L * i;
      // From 10 s on a has two seconds more of lag, which is more than the timeout.
      long lag = clock <= 10_000 ? 0 : Math.min(2_000, clock - 10_000);
      progress(clock, "a", START + (clock - lag) * 1000);
      progress(clock, "b", START + clock * 1000);
      progress(clock, "c", START + clock * 1000);
      if (clock <= 11_000) {
        assertEquals(START + (clock - lag) * 1000, states.through(), "at " + clock + " ms");
      }
      isLeftOut |= states.through() > START + (clock - lag) * 1000;
    }
    assertTrue(isLeftOut, "it lagged by more than the timeout, at once");
    assertEquals(START + 38 * SECOND, states.through(), "it is waited for");
  }

  @Test
  void aForgedNumberHidesNoLossBehindIt() {
    begin();
    all(0, START);
    forge(1, 1L << 40, true);
    for (int second = 1; second <= 40; second++) {
      all(10L * second, START + second * SECOND);
    }
    out.clear();
    long lost = count("lost_messages");
    var unused = told("a", 1, START + 42 * SECOND, new byte[0]); // Kafka drops it
    all(410, START + 43 * SECOND);
    assertEquals(lost + 1, count("lost_messages"));
    assertTrue(isMissing(START + 43 * SECOND), missing().toString());
    assertTrue(lost <= 1 << 20, lost + " are said to be lost by one number");
  }

  @Test
  void aMessageThatComesTwiceAsItIsIsDropped() {
    begin();
    all(0, START);
    long end = START + 2 * SECOND;
    List<TestFlow> flows = flows(end, 33);
    List<byte[]> window = told("a", 1, end, window(flows, end));
    window.forEach(message -> take(0, message));
    byte[] progress =
        new StatesMessage.Progress(
                1,
                number("a", 1, 1),
                "a",
                START + SECOND,
                List.of(SitePublisher.published(PUBLISHED, Long.MIN_VALUE)))
            .toBytes();
    take(0, progress);
    states = restored();
    window.forEach(message -> take(0, message));
    take(0, progress);
    assertEquals(2, count("repeated_messages"));
    assertEquals(0, count("repeated_windows"));
    assertEquals(0, count("contradicted_messages"));
    all(10, START + 5 * SECOND);
    assertEquals(0, count("lost_messages"));
    assertFalse(isMissing(START + 4 * SECOND), missing().toString());
    assertEquals(Map.of(end, sum(flows), end + 2 * SECOND, sum(flows)), merged(end + 99 * SECOND));
  }

  @Test
  void anAttemptThatGoesOnAfterAnotherSpokeLeavesTheSiteMissing() {
    begin();
    all(0, START);
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 34), end);
    say(0, "a", 2, end, bytes);
    assertEquals(0, count("contradicted_messages"), "it was started again");
    all(10, START + 2 * SECOND);
    out.clear();
    say(20, "a", 1, end, bytes);
    assertEquals(1, count("contradicted_messages"));
    all(30, START + 3 * SECOND);
    assertTrue(isMissing(START + 3 * SECOND), missing().toString());
  }

  @Test
  void fingerprintsThatAreKeptAreBounded() {
    MergedSite site = new MergedSite("a", 0);
    int most = 0;
    for (int i = 0; i < 3 * MessageNumbers.MAX_RECENT; i++) {
      StatesMessage message = new StatesMessage.Progress(1, i, "a", START + i, List.of());
      assertFalse(site.count(message, i).isRepeat());
      most = Math.max(most, site.toBytes().length);
    }
    assertTrue(most < 8 * MessageNumbers.MAX_RECENT + 200, most + " bytes");
    assertEquals(most, MergedSite.read(site.toBytes()).toBytes().length);
  }
}
