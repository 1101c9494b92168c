package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.junit.jupiter.api.Test;

/** The partial groups and times that a merging job makes of sites' messages. */
class SiteStatesTest extends SaidBySites {
  @Test
  void eachWindowOfASiteIsMergedOnceHoweverOftenItIsSaid() {
    begin();
    long end = START + 2 * SECOND;
    List<TestFlow> a = flows(end, 1);
    List<TestFlow> b = flows(end, 2);
    byte[] ofA = window(a, end);
    say(0, "a", 1, end, ofA);
    say(0, "a", 1, end, ofA);
    say(0, "a", 2, end, ofA); // after a restart
    say(0, "b", 1, end, window(b, end));
    assertEquals(2, count("merged_windows"));
    assertEquals(2, count("repeated_windows"));
    long sum = sum(a) + sum(b);
    assertEquals(Map.of(end, sum, end + 2 * SECOND, sum), merged(end + 100 * SECOND), "seeds 1, 2");
    long flows =
        out.stream()
            .filter(Partial.Counts.class::isInstance)
            .mapToLong(one -> ((Partial.Counts) one).counts().flows())
            .sum();
    assertEquals(80, flows);
  }

  /**
   * Sends one of three parts of a window of site a that ends at START + 2 s, as for a large one.
   */
  private void say(byte[] bytes, long attempt, int part) {
    int from = part * (bytes.length / 3);
    int to = part == 2 ? bytes.length : from + bytes.length / 3;
    take(
        0,
        new StatesMessage.Part(
                attempt,
                number("a", attempt, 1),
                "a",
                Publication.of(PUBLISHED),
                START + 2 * SECOND,
                ArrivalCounts.NONE,
                bytes.length,
                part,
                3,
                Arrays.copyOfRange(bytes, from, to))
            .toBytes());
  }

  @Test
  void aWindowIsPutTogetherFromPartsOfOneAttemptOnly() {
    begin();
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 3), end);
    say(bytes, 1, 0);
    say(bytes, 1, 2); // the second is missing
    assertEquals(1, count("incomplete_windows"));
    say(bytes, 1, 0);
    say(bytes, 1, 1);
    say(bytes, 2, 2); // of another attempt
    assertEquals(0, count("merged_windows"));
    for (MergedSite site : states.sites()) {
      MergedSite again = MergedSite.read(site.toBytes());
      assertEquals(site.toBytes().length, again.toBytes().length);
    }
    states = restored();
    say(bytes, 1, 2); // the state has the first two
    assertEquals(1, count("merged_windows"));
    say(bytes, 2, 0);
    say(bytes, 2, 1);
    say(bytes, 2, 2);
    assertEquals(1, count("merged_windows"));
    assertEquals(1, count("repeated_windows"));
  }

  @Test
  void whatWasTakenAndSaidAndWhenIsInTheState() {
    begin();
    long end = START + 2 * SECOND;
    byte[] bytes = window(flows(end, 15), end);
    say(0, "a", 1, end, bytes);
    for (String site : List.of("a", "b", "c")) {
      progress(500, site, START);
    }
    progress(900, "a", START);
    SiteStates before = states;
    states = restored();
    assertEquals(START, states.through());
    assertEquals(end, states.firstWhole(TOTAL.window()));
    assertEquals(before.firstWhole(TOTAL.window()), states.firstWhole(TOTAL.window()));
    say(500, "a", 2, end, bytes);
    assertEquals(1, count("repeated_windows"));
    assertEquals(1, count("merged_windows"));
    // Another publication does not replace the announced one.
    Publication other = Publication.of(live("z", PUBLISHED_SELECT, "2s", "2s", "1s", "states"));
    StatesMessage.parts(
            2, number("a", 2, 1), "a", other, end + 2 * SECOND, ArrivalCounts.NONE, new byte[0])
        .forEach(part -> take(500, part.toBytes()));
    assertEquals(1, count("unmatched_windows"));
    // The others are silent since before the restart.
    assertTrue(progress(1501, "a", START + 5 * SECOND));
    assertEquals(START + 5 * SECOND, states.through());
  }

  @Test
  void timeIsThatOfTheSiteThatIsFurthestBehind() {
    assertFalse(progress(0, "a", START + 5 * SECOND));
    assertFalse(progress(10, "b", START + 3 * SECOND));
    assertTrue(progress(20, "c", START + 4 * SECOND));
    assertEquals(START + 3 * SECOND, states.through());
    assertFalse(progress(30, "b", START + 2 * SECOND), "time never goes back");
    assertTrue(progress(40, "b", START + 9 * SECOND));
    assertEquals(START + 4 * SECOND, states.through());
  }

  @Test
  void aSilentSiteIsLeftOutAfterTheTimeoutAndTheWindowsHearOfIt() {
    begin();
    progress(0, "a", START);
    progress(0, "b", START);
    progress(0, "c", START);
    assertTrue(missing().isEmpty());
    progress(900, "a", START + 9 * SECOND);
    progress(900, "b", START + 9 * SECOND);
    assertEquals(START, states.through(), "c is not silent for long enough");
    assertTrue(progress(1001, "a", START + 10 * SECOND));
    assertEquals(START + 9 * SECOND, states.through());
    assertEquals(List.of("c " + START + " " + (START + 9 * SECOND)), missing());
    // It sends again from its former time: published results stay, and windows wait for it.
    assertFalse(progress(1100, "c", START + 2 * SECOND));
    progress(1100, "b", START + 12 * SECOND);
    assertEquals(START + 9 * SECOND, states.through());
    out.clear();
    progress(1200, "c", START + 11 * SECOND);
    assertEquals(START + 10 * SECOND, states.through());
    assertTrue(missing().isEmpty());
  }

  @Test
  void aLateWindowCountsInTheWindowsThatAreStillOpenAndElseNowhere() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START + 3 * SECOND); // closes the window that ends at START + 2 s
    }
    long end = START + 2 * SECOND;
    List<TestFlow> flows = flows(end, 4);
    say(0, "a", 1, end, window(flows, end));
    assertEquals(Map.of(end + 2 * SECOND, sum(flows)), merged(START + 100 * SECOND), "seed 4");
    say(0, "a", 1, end - 2 * SECOND, window(flows(end - 2 * SECOND, 5), end - 2 * SECOND));
    assertEquals(1, count("late_windows"));
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START + 30 * SECOND);
    }
    say(0, "b", 1, end, window(flows, end));
    assertEquals(2, count("late_windows"));
    assertEquals(1, count("merged_windows"));
  }

  @Test
  void whatASiteHasNotPublishedFromTheBeginningIsMissing() {
    progress(0, "a", START); // its windows before are not in the topic
    progress(0, "b", Long.MIN_VALUE);
    take(0, new StatesMessage.Progress(1, 0, "c", START, List.of()).toBytes());
    progress(0, "b", START + 5 * SECOND);
    progress(0, "a", START + 5 * SECOND);
    take(0, new StatesMessage.Progress(1, 1, "c", START + 5 * SECOND, List.of()).toBytes());
    long min = Long.MIN_VALUE;
    List<String> missing = missing();
    Collections.sort(missing);
    assertEquals(
        List.of(
            "a " + min + " " + START,
            "a " + START + " " + (START + SECOND),
            "c " + min + " " + START,
            "c " + START + " " + (START + 5 * SECOND)),
        missing);
  }

  @Test
  void windowsThatLackStatesOrAreDamagedLoseTheirFlowsAndSaySo() {
    begin();
    long end = START + 2 * SECOND;
    say(0, "a", 1, end, new byte[0]);
    byte[] damaged = window(flows(end, 6), end);
    damaged[60] ^= 1;
    say(0, "b", 1, end, damaged);
    assertEquals(1, count("windows_without_states"));
    assertEquals(1, count("bad_values"));
    long lost = 0;
    for (Partial partial : out) {
      lost += partial instanceof Partial.Counts of ? of.counts().lost() : 0;
    }
    assertEquals(3 + 40, lost, "lost at the site, and the flows of the window of a");
    assertEquals(1, count("lost_messages"), "what is damaged is as if it had not come");
    assertTrue(out.stream().noneMatch(Partial.Groups.class::isInstance));
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    assertEquals(List.of("b " + Long.MIN_VALUE + " " + START), missing());
    say(0, "b", 2, end, window(flows(end, 6), end));
    assertTrue(out.stream().anyMatch(Partial.Groups.class::isInstance), "it was told again");
    long flows =
        out.stream()
            .filter(Partial.Counts.class::isInstance)
            .mapToLong(one -> ((Partial.Counts) one).counts().flows())
            .sum();
    assertEquals(2 * 40, flows, "those of b once");
  }

  @Test
  void aWindowThatNoFlowIsInMakesNoResult() {
    begin();
    long end = START + 2 * SECOND;
    StatesMessage.parts(
            1,
            number("a", 1, 1),
            "a",
            Publication.of(PUBLISHED),
            end,
            ArrivalCounts.NONE,
            new byte[0])
        .forEach(part -> take(0, part.toBytes()));
    assertEquals(1, count("merged_windows"));
    assertEquals(List.of(), out);
  }

  @Test
  void nothingOfAnotherSiteOrAnalysisIsTaken() {
    begin();
    long end = START + 2 * SECOND;
    say(0, "d", 1, end, window(flows(end, 7), end));
    assertEquals(1, count("unknown_site_messages"));
    states.queries(
        List.of(
            live("other", "SELECT src_addr, MAX(bytes) AS b", "4s", "2s", "1s", "live"),
            live("coarse", "SELECT src_addr, SUM(bytes) AS b", "3s", "3s", "1s", "live"),
            live("early", "SELECT src_addr, SUM(bytes) AS b", "2s", "2s", "0s", "live")));
    say(0, "a", 1, end, window(flows(end, 7), end));
    assertEquals(1, count("unmatched_windows"));
    take(0, new byte[] {1, 2, 3});
    assertEquals(1, count("bad_values"));
    assertTrue(out.stream().noneMatch(Partial.Groups.class::isInstance));
  }

  @Test
  void theLogSaysWhyAPublicationIsOfNoUse() {
    PublicationMatch matching = new PublicationMatch();
    Publication publication = Publication.of(PUBLISHED);
    LiveQuery most = live("most", "SELECT src_addr, MAX(bytes) AS b", "2s", "2s", "1s", "live");
    LiveQuery coarse = live("coarse", "SELECT src_addr, SUM(bytes) AS b", "3s", "3s", "1s", "live");
    LiveQuery early = live("early", "SELECT src_addr, SUM(bytes) AS b", "2s", "2s", "0s", "live");
    assertEquals("no analysis here has its filter and keys", matching.why(publication, List.of()));
    assertEquals(
        "it has the filter and keys of most, but not all of its aggregates",
        matching.why(publication, List.of(most)));
    assertEquals(
        "it has the groups of coarse, but its window of 2000000 us does not divide 3000000 us",
        matching.why(publication, List.of(most, coarse)));
    assertEquals(
        "it has the groups of early, but its windows are final only 1000000 us after their end",
        matching.why(publication, List.of(early)));
  }

  @Test
  void whatAnAnalysisNeedsIsSaidBesideWhatTheNearestPublicationHas() {
    PublicationMatch matching = new PublicationMatch();
    Publication publication = Publication.of(PUBLISHED);
    Publication other =
        new Publication(
            "o",
            "SELECT dst_addr, COUNT(*) AS n FROM flows GROUP BY dst_addr",
            publication.widthMicros(),
            publication.latenessMicros(),
            publication.timeColumn(),
            false);
    LiveQuery most = live("most", "SELECT src_addr, MAX(bytes) AS b", "2s", "2s", "1s", "live");
    LiveQuery coarse = live("coarse", "SELECT src_addr, SUM(bytes) AS b", "3s", "3s", "1s", "live");
    assertEquals(
        "it publishes nothing; needed [MAX(bytes)] by [src_addr]", matching.lacks(List.of(), most));
    assertEquals(
        "p is the nearest, has [COUNT(*), SUM(bytes)] by [src_addr]; needed [MAX(bytes)] by"
            + " [src_addr]",
        matching.lacks(List.of(other, publication), most));
    assertEquals(
        "p is the nearest, but its window of 2000000 us does not divide 3000000 us, has [COUNT(*),"
            + " SUM(bytes)] by [src_addr]; needed [SUM(bytes)] by [src_addr]",
        matching.lacks(List.of(other, publication), coarse));
  }

  @Test
  void anAnalysisThatNothingFitsIsSaidOnceForEachSite() {
    LiveQuery most = live("most", "SELECT src_addr, MAX(bytes) AS b", "2s", "2s", "1s", "live");
    states.queries(List.of(TOTAL, most));
    progress(0, "a", Long.MIN_VALUE);
    assertEquals(1, count("unserved_queries"));
    begin();
    begin();
    assertEquals(3, count("unserved_queries"), "of three sites, each once");
    // Its windows lack all of the sites, those of the other none.
    out.clear();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    List<String> missing = new ArrayList<>();
    for (Partial partial : out) {
      if (partial instanceof Partial.Missing of) {
        assertEquals(most.id(), of.queryId());
        assertEquals(START, of.through());
        missing.add(of.site());
      }
    }
    assertEquals(List.of("a", "b", "c"), missing);
  }

  @Test
  void anAnalysisIsUnservedFromWhenItsSitePublishesItNoMore() {
    begin();
    assertEquals(0, count("unserved_queries"));
    List<StatesMessage.Published> other =
        List.of(
            SitePublisher.published(
                live("o", "SELECT src_addr, COUNT(*) AS n", "2s", "2s", "1s", "states"),
                Long.MIN_VALUE));
    for (List<StatesMessage.Published> now : List.of(List.<StatesMessage.Published>of(), other)) {
      take(0, new StatesMessage.Progress(1, number("a", 1, 1), "a", START, now).toBytes());
      assertEquals(1, count("unserved_queries"), "said once");
    }
  }

  @Test
  void windowsFromBeforeAnotherPublicationIsWholeAreTakenOfTheOneThatHasThem() {
    // A second analysis comes at the site, under an earlier name, and is whole from START + 4 s on.
    Publication later = Publication.of(live("a_p", PUBLISHED_SELECT, "2s", "2s", "1s", "states"));
    begin();
    for (String site : List.of("b", "c")) {
      progress(0, site, START + 100 * SECOND);
    }
    long whole = START + 4 * SECOND;
    List<StatesMessage.Published> both =
        List.of(
            new StatesMessage.Published(later, whole),
            SitePublisher.published(PUBLISHED, Long.MIN_VALUE));
    List<Long> ends = new ArrayList<>();
    for (int second = 0; second <= 10; second += 2) {
      long through = START + second * SECOND;
      take(0, new StatesMessage.Progress(1, number("a", 1, 1), "a", through, both).toBytes());
      long end = through + 2 * SECOND;
      byte[] bytes = window(flows(end, second), end);
      say(0, "a", 1, end, bytes);
      if (end - 2 * SECOND >= whole) {
        long number = number("a", 1, 1);
        StatesMessage.parts(1, number, "a", later, end, new ArrivalCounts(40, 1, 2, 3), bytes)
            .forEach(part -> take(0, part.toBytes()));
      }
      ends.add(end);
    }
    assertEquals(6, count("merged_windows"), "each window of the site once: " + ends);
    assertTrue(missing().isEmpty(), missing().toString());
  }

  @Test
  void lostMessagesAreCountedAndTheSiteIsMissingUntilItIsWholeAgain() {
    begin();
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, START);
    }
    var unused = told("a", 1, START + 2 * SECOND, new byte[0]); // Kafka drops it
    for (int second = 4; second <= 20; second += 4) {
      for (String site : List.of("a", "b", "c")) {
        progress(0, site, START + second * SECOND);
      }
      states = restored(); // the state knows it
    }
    assertEquals(1, count("lost_messages"));
    // By START + 8 s the site has sent two later progresses: the last window that it published by
    // then ended at START + 6 s, and the last window with that pane ends at START + 8 s.
    long until = START + 9 * SECOND;
    assertEquals(
        List.of(
            "a " + START + " " + (START + 4 * SECOND),
            "a " + (START + 4 * SECOND) + " " + (START + 8 * SECOND),
            "a " + (START + 8 * SECOND) + " " + until),
        missing());
  }

  @Test
  void anAttemptThatIsFirstHeardInItsMiddleHasLostItsBeginning() {
    begin();
    progress(0, "a", START);
    assertEquals(0, count("lost_messages"));
    take(
        0,
        new StatesMessage.Progress(
                2, 5, "a", START, List.of(SitePublisher.published(PUBLISHED, Long.MIN_VALUE)))
            .toBytes());
    assertEquals(5, count("lost_messages"));
    // The very first message may have any number: earlier ones are known to be missing.
    states = states();
    take(0, new StatesMessage.Progress(2, 5, "a", START, List.of()).toBytes());
    assertEquals(5, count("lost_messages"));
  }

  @Test
  void aWindowWithoutStatesOfTheSecondGroupingIsMissing() {
    String distinct =
        "SELECT src_addr, SUM(bytes) AS b, COUNT(DISTINCT dst_addr) AS d,"
            + " COUNT(DISTINCT dst_port) AS p";
    LiveQuery two = live("two", distinct, "4s", "2s", "1s", "live");
    String keys = " FROM flows GROUP BY src_addr, ";
    LiveQuery second =
        LiveQuery.of(
            AnalysisConfig.parse(
                "second.yaml",
                """
                name: second
                live: {query: "SELECT src_addr, dst_port, SUM(bytes) AS b%sdst_port", window: 2s, lateness: 1s}
                report: {logic: states}
                """
                    .formatted(keys)));
    states.queries(List.of(two));
    take(
        0,
        new StatesMessage.Progress(
                1, 0, "a", Long.MIN_VALUE, List.of(SitePublisher.published(second, Long.MIN_VALUE)))
            .toBytes());
    long end = START + 2 * SECOND;
    StatesMessage.parts(
            1, 1, "a", Publication.of(second), end, new ArrivalCounts(40, 0, 0, 0), new byte[0])
        .forEach(part -> take(0, part.toBytes()));
    assertEquals(
        List.of(
            new Partial.Missing(
                two.keyGroup(KEY_GROUPS), two.id(), "a", end - 1, end + 3 * SECOND)),
        out);
  }
}
