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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.flowmon.archive.Archives;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;
import org.junit.jupiter.api.Test;

/** Lookups in a real archive: their queries, waits and refusals. */
class HistoryQueryTest extends HistoryFixture {
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
    assertEquals(
        Map.of(A + " 1", 21L, A + " 5", 50L, B + " 2", 20L), bytes(answer.rows().orElseThrow()));
    assertEquals(HistoryStatus.NONE, answers.get("plain").status());
    assertEquals(HistoryStatus.NONE, answers.get("empty").status());
  }

  private static AnalysisConfig noHistory(String name) {
    AnalysisConfig config = TestReports.elephants("");
    return new AnalysisConfig(
        name, config.live(), null, config.report(), config.sinks(), List.of(), Places.NONE);
  }

  @Test
  void anArchiveThatDoesNotReachAsOfGivesAPartialAnswer() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    HistoryAnswer answer =
        run(List.of(elephants("elephants", "600")), window(100, A, 60)).get("elephants");
    assertEquals(HistoryStatus.PARTIAL, answer.status(), answer.message());
    assertEquals(AS_OF - 1, answer.through());
    assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows().orElseThrow()));
    assertEquals(
        "the archive has what arrived before 2026-11-21T09:59:39.999999Z, and not yet all up to"
            + " 2026-11-21T09:59:40Z",
        answer.message());
  }

  @Test
  void whatDependsOnTheWindowsEndAloneIsLookedUpAheadOnceTheArchiveReachesAsOf() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    HistoryQuery query =
        new HistoryQuery(
            hourly("elephants", "end_time < :now"), DELAY, TOPIC, Duration.ZERO, cache());
    long next = window(100, A, 60).windowEnd();
    Semaphore permits = new Semaphore(1);
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      LookAhead ahead =
          new LookAhead(
              new AnalysisLookups(archive, query, pool, permits, new RunningLookups()),
              10 * SECOND);
      ahead.after(next - 10 * SECOND);
      ahead.after(next - 30 * SECOND); // a late window has no effect
      Thread.sleep(300);
      assertFalse(query.isCached(next), "what may still arrive is waited for");
      archive(AS_OF + HOUR, flow(A, 2, 20));
      while (!query.isCached(next)) {
        Thread.sleep(10);
      }
      HistoryAnswer answer = known(archive, query, next);
      assertEquals(HistoryStatus.EXACT, answer.status());
      HistoryAnswer own = runOver(archive, query, window(100, A, 60), Duration.ofMinutes(1));
      assertEquals(own.rows(), answer.rows());
      assertEquals(own.asOf(), answer.asOf());
      permits.acquire(); // look-ahead releases its permit
    }
  }

  @Test
  void aKeptAnswerThatHoldsNoMoreIsLookedUpAheadAgain() throws Exception {
    archive(END + HOUR, new Flow(A, END - DAY, END - DAY, 10));
    HistoryQuery query = hourly();
    WindowResult first = window(100, A, 60);
    long next = first.windowEnd() + 10 * SECOND;
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      HistoryAnswer before = runOver(archive, query, first, Duration.ofMinutes(1));
      importFile(new Flow(A, END - DAY, END - DAY, 1000));
      assertNull(known(archive, query, next));
      Semaphore permits = new Semaphore(1);
      new LookAhead(
              new AnalysisLookups(archive, query, pool, permits, new RunningLookups()), 10 * SECOND)
          .after(first.windowEnd());
      HistoryAnswer after = null;
      for (int i = 0; after == null && i < 1000; i++) {
        Thread.sleep(10);
        after = known(archive, query, next);
      }
      assertNotNull(after, "it was kept, but did not hold");
      assertEquals(Map.of(A + " 1", 10L), bytes(before.rows().orElseThrow()));
      assertEquals(Map.of(A + " 1", 1010L), bytes(after.rows().orElseThrow()));
      permits.acquire(); // look-ahead releases its permit
    }
  }

  @Test
  void aLookupWaitsForTheArchiveToReachAsOf() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      lookup(archive, pool, "60000", answer).start();
      Thread.sleep(200);
      assertTrue(!answer.isDone());
      archive(AS_OF + 1, flow(A, 2, 20));
      assertEquals(HistoryStatus.EXACT, answer.get().status());
      assertEquals(Map.of(A + " 1", 10L, A + " 2", 20L), bytes(answer.get().rows().orElseThrow()));
      assertTrue(waitedNanos.get() >= 200_000_000, waitedNanos + " ns waited");
      assertTrue(ranNanos.get() > 0, ranNanos + " ns of the query");
    }
  }

  @Test
  void whatNoInputBringsAnyMoreIsNotWaitedFor() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    WindowResult window = window(100, A, 60);
    HistoryQuery query =
        new HistoryQuery(
            elephants("elephants", "60000"), DELAY, TOPIC, Duration.ZERO, Optional.empty());
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
    return of.atEndOfInput(inputThrough);
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
          run(List.of(config), ending(END + after, window(100, A, 60))).get("elephants");
      assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
      assertEquals(AS_OF, answer.asOf());
      assertEquals(Map.of(A + " 1", 10L), bytes(answer.rows().orElseThrow()), "window " + after);
    }
    HistoryAnswer answer =
        run(List.of(config), ending(END + HOUR, window(100, A, 60))).get("elephants");
    assertEquals(AS_OF + HOUR, answer.asOf());
    assertEquals(Map.of(A + " 1", 110L, B + " 1", 1000L), bytes(answer.rows().orElseThrow()));
  }

  @Test
  void anExactAnswerOfAPeriodIsLookedUpOnce() throws Exception {
    String filter = "end_time < :now";
    archive(AS_OF, new Flow(A, END - DAY, END - DAY, 10));
    try (Archives archive = opened()) {
      HistoryQuery query =
          new HistoryQuery(hourly("elephants", filter), DELAY, TOPIC, Duration.ZERO, cache());
      WindowResult first = window(100, A, 60);
      Duration limit = Duration.ofSeconds(5);
      assertNull(known(archive, query, first.windowEnd()));
      assertEquals(HistoryStatus.PARTIAL, runOver(archive, query, first, limit).status());
      assertNull(known(archive, query, first.windowEnd()), "what is partial may become better");
      archive(END + 17 * HOUR);
      HistoryAnswer exact = runOver(archive, query, first, limit);
      assertEquals(HistoryStatus.EXACT, exact.status(), exact.message());
      assertSame(exact, known(archive, query, ending(END + HOUR - 10 * SECOND, first).windowEnd()));
      assertNull(known(archive, query, ending(END + HOUR, first).windowEnd()));
      for (int hour = 1; hour <= 16; hour++) {
        runOver(archive, query, ending(END + hour * HOUR, first), limit);
      }
      assertNull(known(archive, query, first.windowEnd()), "periods long past are forgotten");
      HistoryQuery ofRows =
          new HistoryQuery(
              hourly("elephants", filter + " AND src_addr IN (:live.src_addr)"),
              DELAY,
              TOPIC,
              Duration.ZERO,
              cache());
      assertEquals(HistoryStatus.EXACT, runOver(archive, ofRows, first, limit).status());
      assertNull(known(archive, ofRows, first.windowEnd()), "other windows have other rows");
      HistoryQuery own =
          new HistoryQuery(elephants("elephants", "5000"), DELAY, TOPIC, Duration.ZERO, cache());
      runOver(archive, own, first, limit);
      assertNull(known(archive, own, first.windowEnd()));
    }
  }

  @Test
  void whatIsImportedBehindAsOfIsInTheNextAnswerOfThePeriod() throws Exception {
    archive(END + HOUR, new Flow(A, END - DAY, END - DAY, 10));
    HistoryQuery query =
        new HistoryQuery(
            hourly("elephants", "end_time < :now"), DELAY, TOPIC, Duration.ZERO, cache());
    WindowResult first = window(100, A, 60);
    WindowResult next = ending(END + 10 * SECOND, first);
    Duration limit = Duration.ofSeconds(5);
    try (Archives archive = opened()) {
      HistoryAnswer before = runOver(archive, query, first, limit);
      assertEquals(HistoryStatus.EXACT, before.status(), before.message());
      assertSame(before, known(archive, query, next.windowEnd()));
      // Later arrivals are after as-of, and change nothing.
      archive(END + 2 * HOUR, new Flow(B, END + HOUR, END + HOUR + SECOND, 5));
      assertSame(before, known(archive, query, next.windowEnd()));
      importFile(new Flow(A, END - DAY, END - DAY, 1000));
      assertNull(known(archive, query, next.windowEnd()), "it lacks what was imported");
      HistoryAnswer after = runOver(archive, query, next, limit);
      assertEquals(Map.of(A + " 1", 1010L), bytes(after.rows().orElseThrow()));
      assertSame(after, known(archive, query, next.windowEnd()));
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
    assertEquals(Optional.empty(), answer.rows());
    assertEquals(HistoryStatus.NONE, answers.get("plain").status());
  }
}
