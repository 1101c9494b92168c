package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.Archives;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.constraint.Constraints;
import org.junit.jupiter.api.Test;

/** The reach of history in a real archive, and the gaps that matter. */
class HistoryReachTest extends ArchivedHistory {
  @Test
  void importedFilesAloneCoverFromTheirFirstToTheirLastTimes() throws Exception {
    FlowTopic none = new FlowTopic("archive", "", 0); // as in a replay
    long early = AS_OF - HistoryStretches.QUIET_MICROS - 1;
    importFile(1, flow(A, 1, 10), at(early));
    HistoryAnswer answer = look(none);
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertEquals(
        "the archive has what arrived before %s, and not yet all up to %s"
            .formatted(FlowTime.instant(early), FlowTime.instant(AS_OF)),
        answer.message());
    assertEquals(early, answer.through());
    importFile(2, at(END));
    answer = look(none);
    assertEquals(HistoryStatus.EXACT, answer.status());
    assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows().orElseThrow()));
    assertEquals(END, answer.through());
    assertEquals(END - DAY + 61 * SECOND, answer.from());
    assertEquals(
        "history is of imported files, from %s to %s with a pause"
            .formatted(FlowTime.instant(answer.from()), FlowTime.instant(END)),
        answer.message());
    assertEquals(HistoryStatus.PARTIAL, look().status());
    assertEquals("the archive has nothing of topic flows yet", look().message());
    archive(AS_OF + 1);
    assertEquals(HistoryStatus.EXACT, look().status());
    assertNull(look().message());
    answer = look(new FlowTopic("flows", "t", 2));
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertEquals("the archive has nothing of some partitions of topic flows yet", answer.message());
  }

  @Test
  void whatArrivesInTheInstantOfAsOfMayStillCome() throws Exception {
    archive(AS_OF, new Flow(A, END - DAY + 60 * SECOND, AS_OF, 10));
    HistoryAnswer before = look();
    assertEquals(Map.of(A + " 1", 10L), bytes(before.rows().orElseThrow()));
    assertEquals(HistoryStatus.PARTIAL, before.status());
    archive(AS_OF, new Flow(A, END - DAY + 60 * SECOND, AS_OF, 5));
    assertEquals(Map.of(A + " 1", 15L), bytes(look().rows().orElseThrow()));
    assertEquals(HistoryStatus.PARTIAL, look().status());
    archive(AS_OF + 1);
    assertEquals(HistoryStatus.EXACT, look().status());
  }

  @Test
  void aProducerMayLagBehindAnotherByTheDisorderBound() throws Exception {
    disorder = Duration.ofMillis(200);
    archive(AS_OF + 200_000, flow(A, 1, 10));
    assertEquals(HistoryStatus.PARTIAL, look().status());
    assertEquals(AS_OF, look().through());
    archive(AS_OF, new Flow(A, END - 2 * DAY + 60 * SECOND, AS_OF, 5)); // of another producer
    assertEquals(Map.of(A + " 1", 10L, A + " 2", 5L), bytes(look().rows().orElseThrow()));
    assertEquals(HistoryStatus.PARTIAL, look().status());
    archive(AS_OF + 200_001);
    assertEquals(HistoryStatus.EXACT, look().status());
    assertEquals(AS_OF + 1, look().through());
    offset++; // lost: it can have held a flow of the producer that lags
    archive(END);
    assertEquals(HistoryStatus.EXACT, look().status(), "by more than the bound");
    disorder = Duration.ofMillis(201);
    HistoryAnswer answer = look();
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertTrue(answer.message().contains("offsets 3 … 3 were never archived"), answer.message());
  }

  @Test
  void anInputThatEndedIsExactAtOnceWhateverTheBound() throws Exception {
    disorder = Duration.ofSeconds(1);
    archive(AS_OF - DAY, flow(A, 4, 10));
    commit(new SourceRange("t:0", 1, 2, END + DAY, Long.MIN_VALUE, true));
    assertEquals(HistoryStatus.EXACT, look().status());
    assertEquals(AS_OF - DAY, look().through());
  }

  private void importFile(int number, Flow... flows) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          new SegmentWriter()
              .seal(archive.segmentsDirectory(), List.of(batch(flows)), Provenance.NONE);
      ImportedFile file = new ImportedFile(String.format("%064x", number), "conn.log", 9);
      archive.commit(ArchiveCommit.ofFile(List.of(segment), file, false, "test"));
    }
  }

  private static Flow at(long time) {
    return new Flow(B, time, time, 1);
  }

  private List<Integer> coveredDays() throws Exception {
    HistoryAnswer answer = look();
    List<Integer> covered = new ArrayList<>();
    for (int day = 1; day <= 14; day++) {
      long start = END - day * DAY;
      if (answer.covers(start, start + HOUR)) {
        covered.add(day);
      }
    }
    return covered;
  }

  @Test
  void anOldLogInTheArchiveDoesNotMakeHistoryBeginThen() throws Exception {
    archive(END, at(END - 3 * DAY - 2 * HOUR));
    assertEquals(List.of(1, 2, 3), coveredDays());
    importFile(1, at(END - 4000 * DAY), at(END - 4000 * DAY + HOUR));
    assertEquals(List.of(1, 2, 3), coveredDays());
    assertEquals(HistoryStatus.EXACT, look().status());
    assertEquals(END - 4000 * DAY, look().from());
  }

  @Test
  void importedDaysAreHistoryFromAFilesFirstToItsLastArrival() throws Exception {
    archive(END, at(END - 2 * HOUR));
    assertEquals(List.of(), coveredDays());
    importFile(1, at(END - 10 * DAY - 2 * HOUR), at(END - 6 * DAY));
    assertEquals(List.of(7, 8, 9, 10), coveredDays());
    // rotated: the next file begins a moment later
    importFile(2, at(END - 6 * DAY + 300 * SECOND), at(END - 4 * DAY + 3 * HOUR));
    assertEquals(List.of(4, 5, 6, 7, 8, 9, 10), coveredDays());
    importFile(3, at(END - 4 * DAY + 4 * HOUR), at(END - 2 * HOUR - 1));
    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), coveredDays());
    assertEquals(END - 10 * DAY - 2 * HOUR, look().from());
  }

  @Test
  void daysOfTheTopicOfOldAreHistoryAsFarAsItReached() throws Exception {
    commit(new SourceRange("old:0", 0, 9, END - 9 * DAY, END - 4 * DAY + 3 * HOUR, false));
    archive(END, at(END - 2 * DAY - HOUR + SECOND));
    assertEquals(List.of(1, 4, 5, 6, 7, 8, 9), coveredDays());
  }

  @Test
  void historyBeginsLaterWhereThePartitionsFirstOffsetsAreGone() throws Exception {
    archive(END, flow(A, 9, 90));
    assertEquals(8, coveredDays().size());
    commit(new SourceRange("t:1", 0, 1, END - 5 * DAY, END, false)); // added, nothing is missing
    assertEquals(8, coveredDays().size());
    commit(new SourceRange("t:2", 40, 41, END - 5 * DAY, END, false));
    HistoryAnswer answer = look();
    assertEquals(END - 5 * DAY, answer.from());
    assertEquals(HistoryStatus.EXACT, answer.status(), "of what came since");
    assertEquals(List.of(1, 2, 3, 4, 5), coveredDays());
    disorder = Duration.ofSeconds(1);
    assertEquals(List.of(1, 2, 3, 4), coveredDays());
  }

  /** Looks up without waiting for the archive. */
  private HistoryAnswer look() throws Exception {
    return look(TOPIC);
  }

  private HistoryAnswer look(FlowTopic topic) throws Exception {
    Duration limit = Duration.ofMinutes(1);
    try (Archives archive = opened()) {
      return runOver(
          archive,
          new HistoryQuery(
              elephants("elephants", "60000"), DELAY, topic, disorder, Optional.empty()),
          window(100, A, 60),
          limit);
    }
  }

  @Test
  void aTopicOfOldHoldsNothingBackAndAPartitionThatNobodyKnowsDoes() throws Exception {
    commit(new SourceRange("old:0", 0, 1, END - DAY)); // deleted and created again since
    archive(AS_OF + 1, flow(A, 1, 10));
    HistoryAnswer answer = look();
    assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
    assertEquals(AS_OF + 1, answer.through());
    commit(new SourceRange("t:1", 0, 1, AS_OF - 1)); // a partition that was added
    assertEquals(HistoryStatus.PARTIAL, look().status());
    assertEquals(AS_OF - 1, look().through());
    assertEquals(
        Set.of("t:0", "t:1", "t:2"),
        new FlowTopic("flows", "t", 2).sourceKeys(List.of("old:7", "t:2")));
  }

  @Test
  void anInputThatEndedIsExactlyThereAndNoLongerWhenItGoesOn() throws Exception {
    archive(END - 3 * DAY, flow(A, 4, 10));
    commit(new SourceRange("t:0", 1, 2, END + DAY, Long.MIN_VALUE, true));
    HistoryAnswer answer = look();
    assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
    assertEquals(END - 3 * DAY, answer.through());
    assertTrue(answer.covers(END - 2 * DAY, END - DAY), "nothing came");
    commit(new SourceRange("t:0", 2, 3, END - 2 * DAY));
    assertEquals(HistoryStatus.PARTIAL, look().status());
  }

  @Test
  void aGapBeforeAsOfMakesAnAnswerPartialAndIsNamed() throws Exception {
    archive(END - 5 * DAY, flow(A, 9, 90));
    offset = 11; // 1 … 10 were deleted before they were read
    archive(END, flow(A, 1, 10));
    HistoryAnswer answer = look();
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertTrue(
        answer.message().startsWith("topic flows partition 0: offsets 1 … 10 were never archived"),
        answer.message());
    assertEquals(END, answer.through());
  }

  @Test
  void daysThatLieInAGapAreNotCovered() throws Exception {
    archive(END - 5 * DAY, flow(A, 9, 90));
    commit(new SourceRange("t:0", 11, 12, END - 3 * DAY, END, false));
    HistoryAnswer answer = look();
    List<Integer> covered = new ArrayList<>();
    for (int day = 1; day <= 9; day++) {
      long start = END - day * DAY;
      if (answer.covers(start, start + HOUR)) {
        covered.add(day);
      }
    }
    assertEquals(List.of(1, 2, 6, 7, 8), covered);
    // exporters are late and clocks run ahead, by less than an hour
    assertFalse(answer.covers(END - 5 * DAY - 2 * HOUR, END - 5 * DAY - HOUR + 1));
    assertTrue(answer.covers(END - 5 * DAY - 2 * HOUR, END - 5 * DAY - HOUR));
    assertFalse(answer.covers(END - 3 * DAY + HOUR, END - 3 * DAY + 2 * HOUR));
    assertTrue(answer.covers(END - 3 * DAY + HOUR + 1, END - 3 * DAY + 2 * HOUR));
  }

  @Test
  void aGapLongBeforeAllThatIsAskedForChangesNothing() throws Exception {
    long asked = END - 7 * DAY;
    long sure = asked - 31 * DAY;
    archive(sure - DAY, flow(A, 60, 90));
    commit(new SourceRange("t:0", 11, 12, sure - 1, END, false));
    HistoryAnswer answer = look();
    assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
    assertNull(answer.message());
    commit(
        new SourceRange("t:1", 0, 1, sure - DAY), new SourceRange("t:1", 2, 3, sure, END, false));
    answer = look();
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertTrue(
        answer.message().startsWith("topic flows partition 1: offsets 1 … 1 were never archived"),
        answer.message());
    assertTrue(!answer.message().contains("gaps before"), answer.message());
  }

  @Test
  void aLogFullOfHolesIsKeptShortAndNoHoleIsForgotten() {
    List<CommitResult.Gap> gaps = new ArrayList<>();
    for (int i = 3 * HistoryGaps.MAX_ARRIVALS; i > 0; i--) {
      gaps.add(new CommitResult.Gap("t:0", i, i + 1, 10L * i, 10L * i + 1));
    }
    HistoryGaps seen = HistoryGaps.of(gaps, Long.MAX_VALUE, 0, List.of(Constraints.NOTHING));
    assertEquals(HistoryGaps.MAX_ARRIVALS, seen.arrivals().count());
    assertEquals(gaps.size(), seen.asked().size());
    gaps.forEach(gap -> assertTrue(seen.arrivals().contains(gap.arrivalFrom())));
    assertFalse(seen.arrivals().contains(gaps.get(0).arrivalFrom() - 1));
    assertEquals(1, HistoryGaps.of(gaps, 19, 0, List.of(Constraints.NOTHING)).arrivals().count());
  }

  @Test
  void whetherAGapMattersDependsOnTheTimesThatTheFilterAsksFor() throws Exception {
    archive(END - 50 * DAY, flow(A, 60, 90));
    commit(new SourceRange("t:0", 11, 12, END - 40 * DAY, END, false));
    Map<String, HistoryStatus> expected = new TreeMap<>();
    expected.put("bytes > 0", HistoryStatus.PARTIAL);
    expected.put("SAME_HOUR(end_time, :now, 7)", HistoryStatus.EXACT);
    expected.put("SAME_HOUR(end_time, :now, 20)", HistoryStatus.PARTIAL);
    expected.put("SAME_HOUR(end_time, :now, 7) OR bytes > 0", HistoryStatus.PARTIAL);
    expected.put("end_time >= '2026-11-20T10:00:00Z'", HistoryStatus.EXACT);
    expected.put("end_time < '2026-11-20T10:00:00Z'", HistoryStatus.PARTIAL);
    expected.put("start_time >= '2026-11-20T10:00:00Z'", HistoryStatus.PARTIAL);
    expected.put("arrival >= '2026-10-12T10:00:00.000001Z'", HistoryStatus.EXACT);
    expected.put("arrival >= '2026-10-12T10:00:00Z'", HistoryStatus.PARTIAL);
    expected.put("arrival < '2026-10-02T10:00:00Z'", HistoryStatus.EXACT);
    expected.put("arrival <= '2026-10-02T10:00:00Z'", HistoryStatus.PARTIAL);
    for (Map.Entry<String, HistoryStatus> each : expected.entrySet()) {
      assertEquals(each.getValue(), status(each.getKey()), each.getKey());
    }
  }

  private HistoryStatus status(String filter) throws Exception {
    AnalysisConfig config = elephants("elephants", "60000");
    String query = "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE " + filter;
    AnalysisConfig asked =
        new AnalysisConfig(
            "asked",
            config.live(),
            new AnalysisConfig.History(
                query + " GROUP BY src_addr", null, null, 1, Duration.ofMinutes(1), 1000),
            config.report(),
            config.sinks(),
            List.of(),
            Places.NONE);
    try (Archives archive = opened()) {
      return runOver(
              archive,
              new HistoryQuery(asked, DELAY, TOPIC, Duration.ZERO, Optional.empty()),
              window(100, A, 60),
              Duration.ofMinutes(1))
          .status();
    }
  }

  @Test
  void aGapAfterAsOfChangesNothing() throws Exception {
    archive(AS_OF + 1, flow(A, 1, 10));
    offset = 11;
    archive(END);
    assertEquals(HistoryStatus.EXACT, look().status());
  }
}
