package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class MiceTest {
  private static final String LIVE = "src_addr ADDRESS, dst_addr ADDRESS, bytes LONG";
  private static final String TOP = "src_addr ADDRESS, bytes LONG";
  private static final String A = "10.0.0.1";
  private static final String B = "2001:db8::2";
  private static final String C = "10.0.0.3";

  /** Of the bundled file, with a history of two hours. */
  private static ResultTable report(int limit, ResultTable now, HistoryAnswer past) {
    AnalysisConfig mice =
        offered(
            "mice",
            "INTERVAL '7' DAY AND end_time < :now - INTERVAL '1' MINUTE",
            "INTERVAL '2' HOUR",
            "LIMIT 100\n\nsinks",
            "LIMIT " + limit + "\n\nsinks");
    return TestFlows.report(mice, new WindowHistory(Tables.window(10 * SECOND, now), past));
  }

  private static List<String> lines(ResultTable rows) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      lines.add(
          rows.longValue(row, rows.column("rank"))
              + " "
              + rows.formatted(row, rows.column("src_addr"))
              + " "
              + rows.bigValue(row, rows.column("bytes"))
              + " "
              + rows.text(row, rows.column("verdict")));
    }
    return lines;
  }

  @Test
  void whatTheTopHostsOfThePastSendIsLeftOut() {
    ResultTable now =
        new Tables(LIVE)
            .row(A, C, 100)
            .row(B, C, 90)
            .row(C, A, 80)
            .row(A, B, 70)
            .row(null, A, 60)
            .row(C, B, 50)
            .build();
    ResultTable past = new Tables(TOP).row(A, 1000).row("::a00:1", 500).build();
    HistoryAnswer history = Tables.history(END - DAY, past);
    assertEquals(
        List.of(
            "1 2001:db8::2 90 mouse", "2 10.0.0.3 80 mouse", "3  60 mouse", "4 10.0.0.3 50 mouse"),
        lines(report(100, now, history)));
    assertEquals(
        List.of("1 2001:db8::2 90 mouse", "2 10.0.0.3 80 mouse"), lines(report(2, now, history)));
    ResultTable unknown = new Tables(TOP).row(null, 1000).row(B, 3).row(C, 2).build();
    assertEquals(
        List.of("1 10.0.0.1 100 mouse", "2 10.0.0.1 70 mouse"),
        lines(report(100, now, Tables.history(END - DAY, unknown))));
  }

  @Test
  void withoutHistoryNothingIsLeftOutAndTheVerdictSaysSo() {
    ResultTable now = new Tables(LIVE).row(A, C, 100).row(B, C, 90).build();
    ResultTable past = new Tables(TOP).row(A, 1000).build();
    for (HistoryAnswer none : List.of(Tables.failed(), Tables.history(END - 60 * SECOND, past))) {
      ResultTable rows = report(1, now, none);
      assertEquals(List.of("1 10.0.0.1 100 no_history"), lines(rows));
      assertEquals(0.0, rows.doubleValue(0, rows.column("coverage")));
    }
  }

  @Test
  void howMuchOfThePastIsKnownIsSaid() {
    // of two hours before END, which is a full hour, all but the last minute until as-of, and half
    ResultTable now = new Tables(LIVE).row(B, C, 90).build();
    ResultTable past = new Tables(TOP).row(A, 1000).build();
    ResultTable rows = report(100, now, Tables.history(END - DAY, past));
    assertEquals(119.0 / 120, rows.doubleValue(0, rows.column("coverage")));
    rows = report(100, now, Tables.history(END - HOUR, past));
    assertEquals(59.0 / 120, rows.doubleValue(0, rows.column("coverage")));
  }

  @Test
  void anyWindowHasTheRowsOfABruteForceProgram() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Tables top = new Tables(TOP);
      Set<String> heavy = new HashSet<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        String host = address(random);
        if (heavy.add(host)) {
          top.row(host, random.nextInt(1000));
        }
      }
      int limit = 1 + random.nextInt(30);
      Tables live = new Tables(LIVE);
      List<String> expected = new ArrayList<>();
      long bytes = 1_000_000;
      for (int i = random.nextInt(60); i > 0; i--) {
        String host = address(random);
        bytes -= random.nextInt(10);
        live.row(host, A, bytes);
        if (!heavy.contains(host) && expected.size() < limit) {
          String shown = Objects.requireNonNullElse(host, "");
          expected.add((expected.size() + 1) + " " + shown + " " + bytes + " mouse");
        }
      }
      HistoryAnswer history = Tables.history(END - DAY, top.build());
      assertEquals(expected, lines(report(limit, live.build(), history)), "seed " + seed);
    }
  }

  @Test
  void aLimitThatIsAllowedChangesNoRow() {
    int cut = 0;
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int hosts = 1 + random.nextInt(4);
      int limit = 1 + random.nextInt(4);
      long perHost = (long) limit + random.nextInt(2);
      long rows = hosts * perHost + limit;
      Tables top = new Tables(TOP);
      for (int i = 0; i < hosts; i++) {
        top.row("198.51.100." + 2 * i, 100 - i);
      }
      Tables whole = new Tables(LIVE);
      Tables limited = new Tables(LIVE);
      Map<String, Integer> ofHost = new HashMap<>();
      int sent = 0;
      int all = random.nextInt(120);
      for (int i = 0; i < all; i++) {
        // Mostly the rows that are left out come first.
        int host = random.nextInt(i < 60 ? 2 * hosts : 40);
        String source = host == 1 ? null : "198.51.100." + host;
        whole.row(source, A, 1000 - i);
        if (ofHost.merge(String.valueOf(source), 1, Integer::sum) <= perHost && sent < rows) {
          limited.row(source, A, 1000 - i);
          sent++;
        }
      }
      cut += all - sent;
      HistoryAnswer history = Tables.history(END - DAY, top.build());
      assertEquals(
          lines(report(limit, whole.build(), history)),
          lines(report(limit, limited.build(), history)),
          "seed " + seed);
    }
    assertTrue(cut > 1000, cut + " rows cut");
  }

  private static String address(SplittableRandom random) {
    int host = random.nextInt(40);
    return host == 0 ? null : (host % 2 == 0 ? "198.51.100." : "2001:db8::") + host;
  }
}
