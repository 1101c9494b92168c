package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.manifest.ArchiveCommit;
import org.flowmon.archive.manifest.CommitResult;
import org.flowmon.archive.manifest.ImportedFile;
import org.flowmon.archive.manifest.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.query.Constraints;
import org.flowmon.udaf.query.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lookups in a real archive. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HistoryFunctionTest {
  private static final Duration DELAY = Duration.ofSeconds(20);
  private static final FlowTopic TOPIC = new FlowTopic("flows", "t", 1);
  private static final long AS_OF = END - 20 * SECOND;
  private static final String A = "192.0.2.1";
  private static final String B = "2001:db8::1";

  @TempDir private Path directory;
  private long offset;
  private Duration disorder = Duration.ZERO;

  private record Flow(String source, long end, long arrival, long bytes) {}

  /** Commits flows, after which everything up to {@code through} is there. */
  private List<SealedSegment> archive(long through, Flow... flows) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      List<SealedSegment> segments = new ArrayList<>();
      if (flows.length > 0) {
        segments.add(
            new SegmentWriter()
                .seal(archive.segmentsDirectory(), List.of(batch(flows)), Provenance.NONE));
      }
      long first = Stream.of(flows).mapToLong(Flow::arrival).min().orElse(through);
      archive.commit(
          ArchiveCommit.ofRanges(
              segments,
              List.of(new SourceRange("t:0", offset, ++offset, first, through, false)),
              "test"));
      return segments;
    }
  }

  private static FlowBatch batch(Flow... flows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(flows.length);
    for (Flow flow : flows) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, flow.arrival());
      builder.set(FlowColumn.END_TIME, flow.end());
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(flow.source()));
      builder.set(FlowColumn.BYTES, flow.bytes());
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, flows.length, 0));
  }

  private static Flow flow(String source, int day, long bytes) {
    long time = END - day * DAY + 60 * SECOND;
    return new Flow(source, time, time + SECOND, bytes);
  }

  private static AnalysisConfig elephants(String name, String timeout) {
    AnalysisConfig config = TestReports.elephants("");
    AnalysisConfig.History history = config.history();
    return new AnalysisConfig(
        name,
        config.live(),
        new AnalysisConfig.History(
            history.query(),
            null,
            history.concurrency(),
            Duration.ofMillis(Long.parseLong(timeout)),
            history.rows()),
        config.report(),
        config.sinks());
  }

  private Map<String, HistoryAnswer> run(List<AnalysisConfig> analyses, WindowResult... windows)
      throws Exception {
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment env = LocalFlink.environment(1, options);
    Map<String, HistoryAnswer> answers = new TreeMap<>();
    try (CloseableIterator<WindowHistory> results =
        HistoryFunction.apply(
                env.fromData(WindowResult.TYPE, windows),
                ArchiveLocation.of(directory),
                analyses,
                DELAY,
                TOPIC,
                disorder)
            .executeAndCollect()) {
      while (results.hasNext()) {
        WindowHistory result = results.next();
        assertNull(answers.put(result.window().analysis(), result.history()));
      }
    }
    return answers;
  }

  private static WindowResult named(String analysis, WindowResult window) {
    return new WindowResult(
        analysis,
        window.windowStart(),
        window.windowEnd(),
        window.rows(),
        window.totals(),
        window.groups(),
        window.counts());
  }

  /** Rows as {@code address day → bytes}. */
  private static Map<String, Long> bytes(ResultTable rows) {
    Map<String, Long> bytes = new TreeMap<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      bytes.put(
          rows.address(row, rows.column("src_addr"))
              + " "
              + rows.longValue(row, rows.column("day")),
          rows.longValue(row, rows.column("bytes")));
    }
    return bytes;
  }

  @Test
  void theWindowsRowsAreLookedUpInTheSameHourOfPastDays() throws Exception {
    archive(END - 5 * DAY, flow(A, 5, 50), flow(A, 9, 90), flow("192.0.2.77", 5, 1));
    Flow late = new Flow(A, END - DAY + 60 * SECOND, AS_OF + 1, 1000);
    Flow otherHour = new Flow(A, END - DAY - 1, END - DAY, 2000);
    archive(END, flow(A, 1, 10), flow(A, 1, 11), flow(B, 2, 20), late, otherHour);
    Map<String, HistoryAnswer> answers =
        run(
            List.of(elephants("elephants", "5000"), noHistory("plain")),
            window(100, A, 60, B, 40),
            named("plain", window(100, A, 60)),
            named("empty", window(100)));
    HistoryAnswer answer = answers.get("elephants");
    assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
    assertEquals(AS_OF, answer.asOf());
    assertEquals(END - 9 * DAY + 61 * SECOND, answer.from());
    assertEquals(END, answer.through());
    assertEquals(Map.of(A + " 1", 21L, A + " 5", 50L, B + " 2", 20L), bytes(answer.rows()));
    assertEquals(HistoryStatus.NONE, answers.get("plain").status());
    assertEquals(HistoryStatus.NONE, answers.get("empty").status());
  }

  private static AnalysisConfig noHistory(String name) {
    AnalysisConfig config = TestReports.elephants("");
    return new AnalysisConfig(name, config.live(), null, config.report(), config.sinks());
  }

  @Test
  void anArchiveThatDoesNotReachAsOfGivesAPartialAnswer() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    HistoryAnswer answer =
        run(List.of(elephants("elephants", "600")), window(100, A, 60)).get("elephants");
    assertEquals(HistoryStatus.PARTIAL, answer.status(), answer.message());
    assertEquals(AS_OF - 1, answer.through());
    assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows()));
    assertEquals(
        "the archive has what arrived before 2026-11-21T09:59:39.999999Z, and not yet all up to"
            + " 2026-11-21T09:59:40Z",
        answer.message());
  }

  @Test
  void ofImportedFilesAloneNobodyKnowsWhetherTheyAreAll() throws Exception {
    importFile(1, flow(A, 1, 10), at(END));
    HistoryAnswer answer = look(new FlowTopic("archive", "", 0)); // as of a replay
    assertEquals(HistoryStatus.PARTIAL, answer.status());
    assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows()));
    assertEquals(
        "the archive has imported files alone, and nobody knows whether they are all that arrived",
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
    assertEquals(Map.of(A + " 1", 10L), bytes(before.rows()));
    assertEquals(HistoryStatus.PARTIAL, before.status());
    archive(AS_OF, new Flow(A, END - DAY + 60 * SECOND, AS_OF, 5));
    assertEquals(Map.of(A + " 1", 15L), bytes(look().rows()));
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
    assertEquals(Map.of(A + " 1", 10L, A + " 2", 5L), bytes(look().rows()));
    assertEquals(HistoryStatus.PARTIAL, look().status());
    archive(AS_OF + 200_001);
    assertEquals(HistoryStatus.EXACT, look().status());
    assertEquals(AS_OF + 1, look().through());
    offset++; // lost: it can have held a flow of the producer that lags behind
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
    // rotated: what is a moment later goes on
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

  private void commit(SourceRange... ranges) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      archive.commit(ArchiveCommit.ofRanges(List.of(), List.of(ranges), "test"));
    }
  }

  /** What a lookup finds that does not wait for the archive. */
  private HistoryAnswer look() throws Exception {
    return look(TOPIC);
  }

  private HistoryAnswer look(FlowTopic topic) throws Exception {
    Duration limit = Duration.ofMinutes(1);
    try (Archive archive = Archive.open(directory)) {
      return new HistoryQuery(elephants("elephants", "60000"), DELAY, topic, disorder)
          .run(archive, window(100, A, 60), limit);
    }
  }

  @Test
  void aTopicOfOldHoldsNothingBackAndAPartitionThatNobodyKnowsDoes() throws Exception {
    commit(new SourceRange("old:0", 0, 1, END - DAY)); // deleted and made again since
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
    offset = 11; // 1 … 10 were deleted before anybody read them
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
                query + " GROUP BY src_addr", null, 1, Duration.ofMinutes(1), 1000),
            config.report(),
            config.sinks());
    try (Archive archive = Archive.open(directory)) {
      return new HistoryQuery(asked, DELAY, TOPIC, Duration.ZERO)
          .run(archive, window(100, A, 60), Duration.ofMinutes(1))
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

  @Test
  void aLookupWaitsForTheArchiveToReachAsOf() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
    try (Archive archive = Archive.open(directory);
        LookupPool pool = new LookupPool(1)) {
      lookup(archive, pool, "60000", answer).start();
      Thread.sleep(200);
      assertTrue(!answer.isDone());
      archive(AS_OF + 1, flow(A, 2, 20));
      assertEquals(HistoryStatus.EXACT, answer.get().status());
      assertEquals(Map.of(A + " 1", 10L, A + " 2", 20L), bytes(answer.get().rows()));
    }
  }

  @Test
  void whatNoInputBringsAnyMoreIsNotWaitedFor() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    WindowResult window = window(100, A, 60);
    HistoryQuery query =
        new HistoryQuery(elephants("elephants", "60000"), DELAY, TOPIC, Duration.ZERO);
    assertTrue(query.canBeReached(window));
    assertTrue(query.canBeReached(endedAt(window, AS_OF)));
    assertTrue(!query.canBeReached(endedAt(window, AS_OF - 1)));
    // The test's own time limit ends a lookup that waits.
    HistoryAnswer answer =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20),
            () ->
                run(List.of(elephants("elephants", "60000")), endedAt(window, AS_OF - 1))
                    .get("elephants"));
    assertEquals(HistoryStatus.PARTIAL, answer.status(), answer.message());
  }

  private static WindowResult endedAt(WindowResult of, long inputThrough) {
    return new WindowResult(
        of.analysis(),
        of.definition(),
        of.windowStart(),
        of.windowEnd(),
        of.update(),
        of.arrivedThrough(),
        of.finalAt(),
        of.rows(),
        of.totals(),
        of.groups(),
        of.groupLevel(),
        of.counts(),
        inputThrough);
  }

  private static HistoryLookup lookup(
      Archive archive, LookupPool pool, String timeout, CompletableFuture<HistoryAnswer> answer) {
    return new HistoryLookup(
        archive,
        new HistoryQuery(elephants("elephants", timeout), DELAY, TOPIC, Duration.ZERO),
        pool,
        new Semaphore(1),
        window(100, A, 60),
        () -> false,
        true,
        result -> assertTrue(answer.complete(result), "one answer only"));
  }

  @Test
  void aLookupThatFindsNoThreadIsRefusedAndWaitsWhileItMay() throws Exception {
    archive(END, flow(A, 1, 10));
    CountDownLatch busy = new CountDownLatch(1);
    try (Archive archive = Archive.open(directory);
        LookupPool pool = new LookupPool(1)) {
      assertTrue(pool.tryRun(() -> await(busy)));
      CompletableFuture<HistoryAnswer> refused = new CompletableFuture<>();
      lookup(archive, pool, "200", refused).start();
      CompletableFuture<HistoryAnswer> patient = new CompletableFuture<>();
      lookup(archive, pool, "60000", patient).start();
      assertEquals(HistoryStatus.REFUSED, refused.get().status());
      assertTrue(refused.get().message().contains("too many at once"), refused.get().message());
      busy.countDown();
      assertEquals(HistoryStatus.EXACT, patient.get().status());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static AnalysisConfig hourly(String name, String filter) {
    AnalysisConfig config = TestReports.elephants("");
    return new AnalysisConfig(
        name,
        config.live(),
        new AnalysisConfig.History(
            "SELECT src_addr, SUM(bytes) AS bytes, 1 AS day FROM flows WHERE "
                + filter
                + " GROUP BY src_addr",
            null,
            Duration.ofHours(1),
            4,
            Duration.ofSeconds(5),
            1000),
        config.report(),
        config.sinks());
  }

  private static WindowResult ending(long after, WindowResult window) {
    return new WindowResult(
        window.analysis(),
        window.windowStart() + after,
        window.windowEnd() + after,
        window.rows(),
        window.totals(),
        window.groups(),
        window.counts());
  }

  @Test
  void aRefreshedHistoryIsTheSameForAllWindowsOfAPeriod() throws Exception {
    // END is a full hour; as-of is 20 s before it for every window of the hour that begins there.
    Flow seen = new Flow(A, END - 40 * SECOND, END - 30 * SECOND, 10);
    Flow late = new Flow(A, END - 40 * SECOND, END - 10 * SECOND, 100);
    Flow next = new Flow(B, END + 40 * SECOND, END + 50 * SECOND, 1000);
    archive(END + 2 * HOUR, seen, late, next);
    AnalysisConfig config =
        hourly("elephants", "end_time < :now AND end_time >= :now - INTERVAL '2' HOUR");
    for (long after : new long[] {0, 10 * SECOND, HOUR - 10 * SECOND}) {
      HistoryAnswer answer =
          run(List.of(config), ending(after, window(100, A, 60))).get("elephants");
      assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
      assertEquals(AS_OF, answer.asOf());
      assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows()), "window " + after);
    }
    HistoryAnswer answer = run(List.of(config), ending(HOUR, window(100, A, 60))).get("elephants");
    assertEquals(AS_OF + HOUR, answer.asOf());
    assertEquals(Map.of(A + " 1", 110L, B + " 1", 1000L), bytes(answer.rows()));
  }

  @Test
  void anExactAnswerOfAPeriodIsLookedUpOnce() throws Exception {
    String filter = "end_time < :now";
    archive(AS_OF, new Flow(A, END - DAY, END - DAY, 10));
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      HistoryQuery query =
          new HistoryQuery(hourly("elephants", filter), DELAY, TOPIC, Duration.ZERO);
      WindowResult first = window(100, A, 60);
      Duration limit = Duration.ofSeconds(5);
      assertNull(query.known(first));
      assertEquals(HistoryStatus.PARTIAL, query.run(archive, first, limit).status());
      assertNull(query.known(first), "what is partial may become better");
      archive(END + 3 * HOUR);
      HistoryAnswer exact = query.run(archive, first, limit);
      assertEquals(HistoryStatus.EXACT, exact.status(), exact.message());
      assertSame(exact, query.known(ending(HOUR - 10 * SECOND, first)));
      assertNull(query.known(ending(HOUR, first)));
      for (int hour = 1; hour <= 2; hour++) {
        query.run(archive, ending(hour * HOUR, first), limit);
      }
      assertNull(query.known(first), "periods long past are forgotten");
      HistoryQuery ofRows =
          new HistoryQuery(
              hourly("elephants", filter + " AND src_addr IN (:live.src_addr)"),
              DELAY,
              TOPIC,
              Duration.ZERO);
      assertEquals(HistoryStatus.EXACT, ofRows.run(archive, first, limit).status());
      assertNull(ofRows.known(first), "other windows have other rows");
      HistoryQuery own =
          new HistoryQuery(elephants("elephants", "5000"), DELAY, TOPIC, Duration.ZERO);
      own.run(archive, first, limit);
      assertNull(own.known(first));
    }
  }

  @Test
  void aDamagedArchiveIsAStatusAndStopsNoOtherAnalysis() throws Exception {
    List<SealedSegment> segments = archive(END, flow(A, 1, 10));
    Path file = directory.resolve("segments").resolve(segments.get(0).fileName());
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    bytes[bytes.length - 20] ^= 1;
    Files.write(file, bytes);
    Map<String, HistoryAnswer> answers =
        run(
            List.of(elephants("elephants", "5000"), noHistory("plain")),
            window(100, A, 60),
            named("plain", window(100, A, 60)));
    HistoryAnswer answer = answers.get("elephants");
    assertEquals(HistoryStatus.FAILED, answer.status());
    assertTrue(answer.message().contains(segments.get(0).fileName()), answer.message());
    assertNull(answer.rows());
    assertEquals(HistoryStatus.NONE, answers.get("plain").status());
  }

  @Test
  void aLookupThatWouldReadTooManyRowsIsRefused() throws Exception {
    archive(END, flow(A, 1, 10), flow(A, 2, 20), flow(B, 2, 30));
    for (long rows : new long[] {2, 3}) {
      AnalysisConfig config = elephants("elephants", "5000");
      AnalysisConfig.History history = config.history();
      AnalysisConfig limited =
          new AnalysisConfig(
              "elephants",
              config.live(),
              new AnalysisConfig.History(
                  history.query(), null, history.concurrency(), history.timeout(), rows),
              config.report(),
              config.sinks());
      HistoryAnswer answer = run(List.of(limited), window(100, A, 60, B, 40)).get("elephants");
      if (rows == 2) {
        assertEquals(HistoryStatus.REFUSED, answer.status(), answer.message());
        assertTrue(answer.message().contains("more than 2 rows"), answer.message());
        assertTrue(answer.message().contains("history.rows"), answer.message());
        assertNull(answer.rows());
      } else {
        assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
      }
    }
  }

  @Test
  void aStoreThatDoesNotAnswerHoldsUpNeitherTheCallerNorTheTimeouts() throws Exception {
    archive(END, flow(A, 1, 10));
    try (Archive archive = Archive.open(directory);
        LookupPool pool = new LookupPool(2)) {
      // The next commit is a pipe that nobody writes to: whoever reads it waits.
      Path pipe = nextCommit();
      assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
      CompletableFuture<HistoryAnswer> one = new CompletableFuture<>();
      CompletableFuture<HistoryAnswer> two = new CompletableFuture<>();
      CompletableFuture<HistoryAnswer> noThread = new CompletableFuture<>();
      lookup(archive, pool, "1000", one).start();
      lookup(archive, pool, "1000", two).start();
      lookup(archive, pool, "1000", noThread).start();
      assertEquals(HistoryStatus.TIMEOUT, one.get().status());
      assertEquals(HistoryStatus.TIMEOUT, two.get().status());
      assertEquals(HistoryStatus.REFUSED, noThread.get().status());
      Files.newOutputStream(pipe).close(); // lets the readers go
    }
  }

  private Path nextCommit() throws Exception {
    try (Stream<Path> files = Files.list(directory.resolve("manifest"))) {
      Path last =
          files
              .filter(file -> file.getFileName().toString().endsWith(".commit"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
      String name = last.getFileName().toString();
      String number = name.substring(0, name.indexOf('.'));
      String next = String.format("%0" + number.length() + "d", Long.parseLong(number) + 1);
      return last.resolveSibling(name.replace(number, next));
    }
  }

  @Test
  void thePoolIsSharedAndClosedWithItsLastUser() {
    LookupPool one = LookupPool.acquire();
    LookupPool two = LookupPool.acquire();
    assertTrue(one == two);
    one.close();
    assertTrue(two.tryRun(() -> {}), "still open");
    two.close();
    assertTrue(!two.tryRun(() -> {}), "closed");
    LookupPool three = LookupPool.acquire();
    assertNotNull(three);
    assertTrue(three != two);
    three.close();
  }
}
