package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** The bundled dispersion, with windows of ten slides of ten seconds. */
class DispersionTest {
  private static final String LIVE = "prefix ADDRESS, slot TIMESTAMP, flows LONG, bytes LONG";
  private static final String PAST = "prefix ADDRESS, flows LONG, bytes LONG, last_hour TIMESTAMP";
  private static final String A = "192.0.2.0";
  private static final String B = "2001:db8:1::";
  private static final String C = "198.51.100.0";

  /** With a history of two days before the last minute. */
  private static ResultTable report(int minLag, int limit, ResultTable now, HistoryAnswer past) {
    AnalysisConfig config =
        offered(
            "dispersion",
            "window: 10m\n  slide: 1m",
            "window: 100s\n  slide: 10s",
            "end_time >= TIME_BUCKET(:now - INTERVAL '7' DAY, INTERVAL '1' HOUR)",
            "end_time >= :now - INTERVAL '2881' MINUTE",
            "end_time < TIME_BUCKET(:now - ${window}, INTERVAL '1' HOUR)",
            "end_time < :now - INTERVAL '1' MINUTE",
            "min_lag: 2",
            "min_lag: " + minLag,
            "LIMIT 1000\n",
            "LIMIT " + limit + "\n");
    return TestFlows.report(config, new WindowHistory(Tables.window(100 * SECOND, now), past));
  }

  private static ResultTable report(int minLag, ResultTable now, HistoryAnswer past) {
    return report(minLag, 1000, now, past);
  }

  /** Returns the start of the slide that is this many before the window's last. */
  private static long slot(int age) {
    return END - (age + 1L) * 10 * SECOND;
  }

  private static HistoryAnswer whole(Object[]... rows) {
    Tables past = new Tables(PAST);
    for (Object[] row : rows) {
      past.row(row);
    }
    return Tables.history(END - 9 * DAY, past.build());
  }

  private static String line(ResultTable rows, int row) {
    List<String> cells = new ArrayList<>();
    for (String column :
        List.of("prefix", "lag", "repeats", "appearances", "pattern", "regular", "verdict")) {
      cells.add(rows.formatted(row, rows.column(column)));
    }
    return String.join(" ", cells);
  }

  private static List<String> lines(ResultTable rows) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      assertEquals(row + 1, rows.longValue(row, rows.column("rank")));
      lines.add(line(rows, row));
    }
    return lines;
  }

  @Test
  void whatAppearsInTheLastSlideAndAnEarlierOneIsReportedWithItsLag() {
    Tables now = new Tables(LIVE);
    now.row(A, slot(0), 5, 50).row(A, slot(3), 1, 9).row(A, slot(6), 1, 9).row(A, slot(9), 1, 9);
    now.row(B, slot(0), 7, 70).row(B, slot(9), 1, 9);
    now.row(C, slot(1), 1, 9).row(C, slot(5), 1, 9); // not now
    now.row("10.0.0.0", slot(0), 1, 9); // never before
    now.row("10.0.1.0", slot(0), 1, 9).row("10.0.1.0", null, 1, 9); // without an end time
    now.row("10.0.2.0", slot(0), 1, 9).row("10.0.2.0", slot(10), 1, 9); // before the window
    now.row(null, slot(0), 1, null).row(null, slot(1), 1, 1).row(null, slot(3), 1, 1);
    ResultTable rows = report(1, now.build(), whole());
    assertEquals(
        List.of(
            "192.0.2.0 30 s 3 4 #..#..#..# true new",
            "2001:db8:1:: 90 s 1 2 #........# false new",
            " 10 s 1 3 ......#.## false new"),
        lines(rows));
    assertEquals(5, rows.longValue(0, rows.column("flows")), "those of the last slide");
    assertEquals(70, rows.longValue(1, rows.column("bytes")));
    assertTrue(rows.isNull(2, rows.column("bytes")));
  }

  @Test
  void thePatternOfALongerWindowIsOfItsLast64Slides() {
    AnalysisConfig config =
        offered("dispersion", "window: 10m\n  slide: 1m", "window: 700s\n  slide: 10s");
    Tables now = new Tables(LIVE);
    now.row(A, slot(0), 1, 1).row(A, slot(4), 1, 1).row(A, slot(63), 1, 1).row(A, slot(69), 1, 1);
    now.row(B, slot(0), 1, 1).row(B, slot(64), 1, 1);
    WindowHistory window = new WindowHistory(Tables.window(700 * SECOND, now.build()), whole());
    assertEquals(
        List.of(
            "2001:db8:1:: 640 s 1 2 " + ".".repeat(63) + "# false new",
            "192.0.2.0 40 s 1 4 #" + ".".repeat(58) + "#...# false new"),
        lines(TestFlows.report(config, window)));
  }

  @Test
  void whatAppearsAllTheTimeIsLeftOutByALongerLag() {
    Tables now = new Tables(LIVE);
    for (int age = 0; age < 10; age++) {
      now.row(A, slot(age), 1, 1);
    }
    now.row(B, slot(0), 1, 1).row(B, slot(2), 1, 1);
    assertEquals(
        List.of(
            "192.0.2.0 10 s 9 10 ########## true new",
            "2001:db8:1:: 20 s 1 2 .......#.# false new"),
        lines(report(1, now.build(), whole())));
    now = new Tables(LIVE).row(A, slot(0), 1, 1).row(A, slot(1), 1, 1);
    now.row(B, slot(0), 1, 1).row(B, slot(2), 1, 1).row(C, slot(0), 1, 1).row(C, slot(3), 1, 1);
    ResultTable table = now.build();
    assertEquals(
        List.of(
            "198.51.100.0 30 s 1 2 ......#..# false new",
            "2001:db8:1:: 20 s 1 2 .......#.# false new"),
        lines(report(2, table, whole())));
    assertEquals(1, report(2, 1, table, whole()).rowCount());
  }

  @Test
  void theHistoryOfAPrefixIsPerDayInsideHistory() {
    ResultTable now =
        new Tables(LIVE)
            .row(A, slot(0), 1, 1)
            .row(A, slot(2), 1, 1)
            .row(B, slot(0), 1, 1)
            .row(B, slot(2), 1, 1)
            .build();
    Object[] past = {A, 400, 5000, END - DAY};
    ResultTable rows = report(1, now, whole(past));
    assertEquals("known", rows.text(0, rows.column("verdict")));
    assertEquals(200.0, rows.doubleValue(0, rows.column("flows_per_day")), "of two days");
    assertEquals(2500.0, rows.doubleValue(0, rows.column("bytes_per_day")));
    assertEquals(END - DAY, rows.longValue(0, rows.column("history_last_hour")));
    assertEquals(1.0, rows.doubleValue(0, rows.column("coverage")));
    assertEquals("new", rows.text(1, rows.column("verdict")));
    assertEquals(0.0, rows.doubleValue(1, rows.column("bytes_per_day")));
    assertTrue(rows.isNull(1, rows.column("history_last_hour")));
    // half a day of the two is inside history
    HistoryAnswer young =
        Tables.history(END - 12 * HOUR - 60 * SECOND, new Tables(PAST).row(past).build());
    rows = report(1, now, young);
    assertEquals(0.25, rows.doubleValue(0, rows.column("coverage")));
    assertEquals(800.0, rows.doubleValue(0, rows.column("flows_per_day")));
  }

  @Test
  void withoutHistoryTheVerdictSaysSo() {
    ResultTable now = new Tables(LIVE).row(A, slot(0), 1, 1).row(A, slot(2), 1, 1).build();
    for (HistoryAnswer none :
        List.of(Tables.failed(), Tables.history(END - 60 * SECOND, new Tables(PAST).build()))) {
      ResultTable rows = report(1, now, none);
      assertEquals("no_history", rows.text(0, rows.column("verdict")));
      assertTrue(rows.isNull(0, rows.column("bytes_per_day")));
      assertEquals(0.0, rows.doubleValue(0, rows.column("coverage")));
    }
  }

  /** Slides as sets of ages, all pairs compared. */
  @Test
  void anyWindowHasTheRowsOfABruteForceProgramInAnyOrderOfRows() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Map<String, TreeSet<Integer>> ages = new HashMap<>();
      List<Object[]> cells = new ArrayList<>();
      int hosts = 1 + random.nextInt(30);
      for (int i = random.nextInt(150); i > 0; i--) {
        int host = random.nextInt(hosts);
        String prefix =
            host == 0 ? "" : host % 2 == 0 ? "10.0." + host + ".0" : "2001:db8:" + host + "::";
        int age = random.nextInt(11);
        if (ages.computeIfAbsent(prefix, k -> new TreeSet<>()).add(age)) {
          cells.add(new Object[] {prefix.isEmpty() ? null : prefix, slot(age), 1, 1});
        }
      }
      int minLag = 1 + random.nextInt(9);
      Set<String> expected = new HashSet<>();
      ages.forEach(
          (prefix, all) -> {
            String line = bruteForce(all, minLag);
            if (line != null) {
              expected.add(prefix + line + " new");
            }
          });
      ResultTable rows = report(minLag, table(cells), whole());
      assertEquals(expected, new HashSet<>(lines(rows)), "seed " + seed);
      assertEquals(expected.size(), rows.rowCount(), "seed " + seed);
      Collections.shuffle(cells, new Random(seed));
      assertEquals(rows, report(minLag, table(cells), whole()), "seed " + seed);
    }
  }

  private static ResultTable table(List<Object[]> cells) {
    Tables now = new Tables(LIVE);
    cells.forEach(now::row);
    return now.build();
  }

  private static String bruteForce(SortedSet<Integer> all, int minLag) {
    List<Integer> ages = all.stream().filter(age -> age < 10).toList();
    if (ages.size() < 2 || ages.get(0) != 0 || ages.get(1) < minLag) {
      return null;
    }
    int lag = ages.get(1);
    int repeats = 0;
    StringBuilder pattern = new StringBuilder();
    for (int age = 9; age >= 0; age--) {
      pattern.append(ages.contains(age) ? '#' : '.');
      repeats += ages.contains(age) && ages.contains(age + lag) ? 1 : 0;
    }
    boolean regular = ages.size() >= 3;
    for (int i = 2; i < ages.size(); i++) {
      regular &= ages.get(i) - ages.get(i - 1) == lag;
    }
    return " " + lag * 10 + " s " + repeats + " " + ages.size() + " " + pattern + " " + regular;
  }
}
