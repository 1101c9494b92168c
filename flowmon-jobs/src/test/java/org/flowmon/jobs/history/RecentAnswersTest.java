package org.flowmon.jobs.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.jobs.history.cache.AnswerMemory;
import org.flowmon.jobs.history.cache.AskedSegments;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecentAnswersTest extends ArchivedHistory {
  private static final FlowQuery QUERY = QueryParser.parse("SELECT COUNT(*) AS n FROM flows");

  private ArchivesSnapshot snapshot;

  @BeforeEach
  void takeSnapshot() throws Exception {
    archive(0);
    try (Archives archive = opened()) {
      snapshot = archive.snapshot();
    }
  }

  private void keep(RecentAnswers answers, long now, HistoryAnswer answer) {
    answers.keep(now, answer, new AskedSegments(QUERY, snapshot, answer.asOf()));
  }

  private static HistoryAnswer answer(HistoryStatus status, int rows) {
    ResultTable.Builder table = new ResultTable.Builder().column("n", ValueKind.LONG);
    for (int row = 0; row < rows; row++) {
      table.row();
    }
    return new HistoryAnswer(status, 0, 0, 0, LongRanges.NONE, Optional.of(table.build()), null);
  }

  @Test
  void windowsOfLatenessKeepTheirAnswersBesideThoseOfTheNextOnes() {
    RecentAnswers answers = cache().get();
    HistoryAnswer[] kept = new HistoryAnswer[8];
    for (int now = 0; now < kept.length; now++) {
      kept[now] = answer(HistoryStatus.EXACT, 3);
      keep(answers, now, kept[now]);
    }
    for (int now = 0; now < kept.length; now++) {
      assertSame(kept[now], answers.get(now, snapshot).get());
    }
  }

  @Test
  void thoseThatWereAskedForLastAreKept() {
    RecentAnswers answers = cache().get();
    keep(answers, 1000, answer(HistoryStatus.EXACT, 1));
    for (int now = 0; now < 100; now++) {
      keep(answers, now, answer(HistoryStatus.EXACT, 1));
      assertEquals(1, answers.get(1000, snapshot).get().rows().orElseThrow().rowCount());
    }
    for (int now = 0; now < 100; now++) {
      assertEquals(now >= 85, answers.get(now, snapshot).isPresent(), "now " + now);
    }
  }

  @Test
  void rowsAreBoundedAndThoseOfTheLastTwoAlwaysFit() {
    RecentAnswers answers = new RecentAnswers(new AnswerMemory(Long.MAX_VALUE));
    for (int now = 1; now <= 5; now++) {
      keep(answers, now, answer(HistoryStatus.EXACT, RecentAnswers.MAX_ROWS));
      keep(answers, now, answer(HistoryStatus.EXACT, RecentAnswers.MAX_ROWS)); // counts once
      assertEquals(now > 1, answers.get(now - 1, snapshot).isPresent());
      assertTrue(answers.get(now, snapshot).isPresent());
      assertTrue(answers.get(now - 2, snapshot).isEmpty());
    }
    keep(answers, 9, answer(HistoryStatus.EXACT, RecentAnswers.MAX_ROWS + 1));
    assertTrue(answers.get(9, snapshot).isEmpty());
  }

  @Test
  void onlyExactAnswersAreKept() {
    RecentAnswers answers = cache().get();
    keep(answers, 10, answer(HistoryStatus.PARTIAL, 1));
    assertEquals(Optional.empty(), answers.get(10, snapshot));
  }

  private static HistoryAnswer ofText(int characters) {
    ResultTable.Builder table = new ResultTable.Builder().column("q", ValueKind.TEXT);
    table.row().set(0, "x".repeat(characters));
    return new HistoryAnswer(
        HistoryStatus.EXACT, 0, 0, 0, LongRanges.NONE, Optional.of(table.build()), null);
  }

  @Test
  void bytesAreBoundedHoweverFewRowsThereAre() {
    RecentAnswers answers = new RecentAnswers(new AnswerMemory(35_000));
    for (int now = 1; now <= 9; now++) {
      keep(answers, now, ofText(10_000));
      keep(answers, now, ofText(10_000)); // counts once
      for (int before = 1; before <= now; before++) {
        assertEquals(
            before > now - 3, answers.get(before, snapshot).isPresent(), before + " of " + now);
      }
    }
    keep(answers, 10, ofText(36_000));
    assertTrue(answers.get(10, snapshot).isEmpty(), "larger than all may be");
    assertEquals(1, answers.get(9, snapshot).get().rows().orElseThrow().rowCount());
  }

  @Test
  void bytesOfAllAnalysesAreBoundedTogetherAndThoseAskedForLastAreKept() {
    AnswerMemory memory = new AnswerMemory(35_000);
    RecentAnswers a = new RecentAnswers(memory);
    RecentAnswers b = new RecentAnswers(memory);
    keep(a, 1, ofText(10_000));
    keep(b, 1, ofText(10_000));
    keep(b, 2, ofText(10_000));
    assertEquals(1, a.get(1, snapshot).get().rows().orElseThrow().rowCount(), "asked for again");
    keep(b, 3, ofText(10_000));
    assertTrue(b.get(1, snapshot).isEmpty());
    for (int now = 2; now <= 3; now++) {
      assertEquals(1, b.get(now, snapshot).get().rows().orElseThrow().rowCount());
    }
    assertEquals(1, a.get(1, snapshot).get().rows().orElseThrow().rowCount());
    keep(a, 2, ofText(10_000));
    assertTrue(b.get(2, snapshot).isEmpty());
    a.clear();
    keep(b, 4, ofText(10_000));
    keep(b, 5, ofText(10_000));
    for (int now = 3; now <= 5; now++) {
      assertEquals(
          1, b.get(now, snapshot).get().rows().orElseThrow().rowCount(), "there is room again");
    }
    assertTrue(a.get(2, snapshot).isEmpty());
  }

  @Test
  void aPoolsAnalysesShareOneMemory() {
    try (LookupPool pool = new LookupPool(1, 35_000)) {
      for (String analysis : List.of("a", "b", "c", "d")) {
        keep(pool.answers(analysis), 1, ofText(10_000));
      }
      assertTrue(pool.answers("a").get(1, snapshot).isEmpty());
      pool.forgetAnswers("d");
      keep(pool.answers("e"), 1, ofText(10_000));
      for (String analysis : List.of("b", "c", "e")) {
        assertEquals(
            1,
            pool.answers(analysis).get(1, snapshot).get().rows().orElseThrow().rowCount(),
            analysis);
      }
    }
  }
}
