package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.withGap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class AnomalyLogicTest {
  static final String LIVE = "inside ADDRESS, outside ADDRESS, bytes LONG";
  static final String BY_DAY = LIVE + ", day LONG";
  private static final String KEYS = "src_addr AS inside, dst_addr AS outside";
  static final String OF_DAYS =
      "SELECT "
          + KEYS
          + ", SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows"
          + " WHERE SAME_HOUR(end_time, :now, 2) GROUP BY inside, outside, day";
  private static final String OF_RANGE =
      "SELECT "
          + KEYS
          + ", SUM(bytes) AS bytes FROM flows WHERE end_time >= :now - INTERVAL '101' MINUTE"
          + " AND end_time < :now - INTERVAL '1' MINUTE GROUP BY inside, outside";
  static final String A = "10.0.0.1";
  static final String B = "10.0.0.2";
  static final String X = "2001:db8::1";
  static final String Y = "192.0.2.9";

  static AnalysisConfig config(String history, String parameters) {
    return AnalysisConfig.parse(
        "anomaly.yaml",
        """
        name: anomaly
        live:
          query: SELECT src_addr AS inside, dst_addr AS outside, SUM(bytes) AS bytes FROM flows GROUP BY inside, outside
          window: 10s
        history:
          query: %s
        report:
          logic: anomaly
          parameters: {%s}
        """
            .formatted(history, parameters));
  }

  static ResultTable report(AnalysisConfig config, ResultTable now, HistoryAnswer past) {
    ReportLogic logic = ReportLogics.of(config);
    List<ReportColumn> columns = logic.open(config);
    ResultTable rows = logic.report(new WindowHistory(Tables.window(10 * SECOND, now), past));
    assertEquals(columns.stream().map(ReportColumn::name).toList(), rows.names());
    for (ReportColumn column : columns) {
      assertEquals(column.kind(), rows.kind(rows.column(column.name())), column.name());
    }
    assertEquals("summary", text(rows, 0, "part"));
    return rows;
  }

  /** Returns the report against a range of a hundred minutes, all of it inside history. */
  private static ResultTable report(String parameters, ResultTable now, ResultTable past) {
    return report(config(OF_RANGE, parameters), now, Tables.history(END - DAY, past));
  }

  static String text(ResultTable rows, int row, String column) {
    return rows.text(row, rows.column(column));
  }

  static double number(ResultTable rows, int row, String column) {
    assertTrue(!rows.isNull(row, rows.column(column)), column + " is NULL");
    return rows.doubleValue(row, rows.column(column));
  }

  private static void assertSimilarity(
      ResultTable rows, double cosine, double l1, double jensenShannon) {
    assertEquals(cosine, number(rows, 0, "cosine"));
    assertEquals(l1, number(rows, 0, "l1"));
    assertEquals(jensenShannon, number(rows, 0, "jensen_shannon"));
  }

  @Test
  void theSameMatrixAtAnotherLengthIsTheSame() {
    ResultTable now =
        new Tables(LIVE).row(A, X, 10).row(A, Y, 30).row(B, null, 60).row(null, null, 7).build();
    Tables past = new Tables(LIVE); // the 600-fold of ten seconds, in 6000 seconds
    past.row(null, null, 4200).row(A, Y, 18_000).row(A, X, 6000).row(B, null, 36_000);
    ResultTable rows = report("threshold: 0", now, past.build());
    assertSimilarity(rows, 1, 0, 0);
    assertEquals("usual", text(rows, 0, "verdict"));
    assertEquals(1, rows.rowCount(), "no pair changed");
    assertEquals(4, rows.longValue(0, rows.column("pairs_both")));
    assertEquals(1.0, number(rows, 0, "coverage"));
    assertEquals(10.7, number(rows, 0, "rate"), 1e-12);
    assertEquals(10.7, number(rows, 0, "usual_rate"), 1e-12);
  }

  @Test
  void matricesWithoutACommonPairAreApart() {
    ResultTable now = new Tables(LIVE).row(A, X, 10).row(A, Y, 20).build();
    ResultTable past = new Tables(LIVE).row(X, A, 1).row(A, null, 1).row(B, X, 1).build();
    ResultTable rows = report("threshold: 0.999", now, past);
    assertSimilarity(rows, 0, 1, 1);
    assertEquals("anomalous", text(rows, 0, "verdict"));
    assertEquals(2, rows.longValue(0, rows.column("pairs_now")));
    assertEquals(3, rows.longValue(0, rows.column("pairs_then")));
    assertEquals("appeared", text(rows, 1, "verdict"));
    assertEquals("vanished", text(rows, 5, "verdict"));
  }

  @Test
  void withoutTrafficNowOrThenNothingIsShared() {
    ResultTable none = new Tables(LIVE).build();
    ResultTable zero = new Tables(LIVE).row(A, X, 0).row(A, Y, null).row(B, Y, -5).build();
    ResultTable some = new Tables(LIVE).row(A, X, 5).build();
    assertSimilarity(report("", zero, none), 1, 0, 0);
    assertSimilarity(report("", none, zero), 1, 0, 0);
    assertSimilarity(report("", some, zero), 0, 1, 1);
    ResultTable rows = report("", zero, some);
    assertSimilarity(rows, 0, 1, 1);
    assertEquals("vanished", text(rows, 1, "verdict"));
    assertEquals(0.0, number(rows, 1, "rate"));
    assertEquals(0L, rows.longValue(1, rows.column("bytes")));
  }

  @Test
  void aHandMadePairOfMatricesHasItsTextbookMeasures() {
    // p = (1/2, 1/2, 0), q = (1/4, 1/4, 1/2)
    ResultTable now = new Tables(LIVE).row(A, X, 50).row(A, Y, 50).build();
    ResultTable past = new Tables(LIVE).row(A, X, 1).row(A, Y, 1).row(B, X, 2).build();
    ResultTable rows = report("", now, past);
    assertEquals(0.25 / Math.sqrt(0.5 * 0.375), number(rows, 0, "cosine"), 1e-15);
    assertEquals(0.5, number(rows, 0, "l1"), 1e-15);
    // m = (3/8, 3/8, 1/4): ½ (2 · ½ log₂ 4/3) + ½ (2 · ¼ log₂ 2/3 + ½ log₂ 2)
    double log3 = Math.log(3) / Math.log(2);
    assertEquals(
        0.5 * (2 - log3) + 0.25 * (1 - log3) + 0.25, number(rows, 0, "jensen_shannon"), 1e-15);
  }

  @Test
  void theParameterChoosesWhatDecides() {
    // cosine 0.577…, L1 0.5, Jensen–Shannon 0.311…
    ResultTable now = new Tables(LIVE).row(A, X, 50).row(A, Y, 50).build();
    ResultTable past = new Tables(LIVE).row(A, X, 1).row(A, Y, 1).row(B, X, 2).build();
    Map<String, String> verdicts = new HashMap<>();
    verdicts.put("decides: cosine, threshold: 0.57", "usual");
    verdicts.put("decides: cosine, threshold: 0.58", "anomalous");
    verdicts.put("decides: l1, threshold: 0.49", "anomalous");
    verdicts.put("decides: l1, threshold: 0.5", "usual");
    verdicts.put("decides: jensen_shannon, threshold: 0.31", "anomalous");
    verdicts.put("threshold: 0.32", "usual");
    verdicts.forEach(
        (parameters, verdict) ->
            assertEquals(verdict, text(report(parameters, now, past), 0, "verdict"), parameters));
  }

  @Test
  void daysOutsideHistoryAreLeftOutAndNamed() {
    ResultTable now = new Tables(LIVE).row(A, X, 100).build();
    Tables past = new Tables(BY_DAY);
    past.row(A, X, 3600, 1).row(A, Y, 7200, 2).row(A, X, 7200, 3).row(A, X, 9, null);
    HistoryAnswer whole = Tables.history(END - 9 * DAY, past.build());
    ResultTable rows = report(config(OF_DAYS, ""), now, whole);
    assertEquals(1.0, number(rows, 0, "coverage"));
    assertEquals(1.5, number(rows, 0, "usual_rate"), "10800 bytes in two hours");
    assertTrue(rows.isNull(0, rows.column("days_missing")));
    rows = report(config(OF_DAYS, ""), now, withGap(whole, END - 2 * DAY, END - 2 * DAY + 1));
    assertEquals(0.5, number(rows, 0, "coverage"));
    assertEquals(1.0, number(rows, 0, "usual_rate"), "3600 bytes in an hour");
    assertEquals("2026-11-19T10:00:00Z", text(rows, 0, "days_missing"));
    assertSimilarity(rows, 1, 0, 0);
  }

  @Test
  void ofARangeThePartInsideHistoryMakesTheRates() {
    ResultTable now = new Tables(LIVE).row(A, X, 100).build();
    ResultTable past = new Tables(LIVE).row(A, X, 3000).build();
    AnalysisConfig config = config(OF_RANGE, "");
    // fifty of a hundred minutes
    ResultTable rows = report(config, now, Tables.history(END - 51 * 60 * SECOND, past));
    assertEquals(0.5, number(rows, 0, "coverage"));
    assertEquals(1.0, number(rows, 0, "usual_rate"));
    assertEquals(9.0, number(rows, 1, "change"));
    assertEquals("more", text(rows, 1, "verdict"));
  }

  @Test
  void withoutHistoryTheVerdictSaysSo() {
    ResultTable now = new Tables(LIVE).row(A, X, 100).build();
    ResultTable past = new Tables(BY_DAY).row(A, X, 100, 1).build();
    for (HistoryAnswer none : List.of(Tables.failed(), Tables.history(END - HOUR, past))) {
      ResultTable rows = report(config(OF_DAYS, ""), now, none);
      assertEquals(1, rows.rowCount());
      assertEquals("no_history", text(rows, 0, "verdict"));
      assertTrue(rows.isNull(0, rows.column("jensen_shannon")));
      assertEquals(0.0, number(rows, 0, "coverage"));
      assertEquals(1, rows.longValue(0, rows.column("pairs_now")));
    }
    ResultTable rows = report(config(OF_RANGE, ""), now, Tables.history(END - 60 * SECOND, now));
    assertEquals("no_history", text(rows, 0, "verdict"));
  }

  @Test
  void sumsBeyondALongAreExact() {
    BigInteger huge = BigInteger.ONE.shiftLeft(100).add(BigInteger.TEN);
    ResultTable now = new Tables(LIVE).row(A, X, huge).row(A, Y, huge).build();
    ResultTable past = new Tables(BY_DAY).row(A, X, huge, 1).row(A, Y, huge, 2).build();
    HistoryAnswer history = Tables.history(END - 9 * DAY, past);
    ResultTable rows = report(config(OF_DAYS, ""), now, history);
    assertSimilarity(rows, 1, 0, 0);
    assertEquals(huge.shiftLeft(1), rows.bigValue(0, rows.column("bytes")));
    assertEquals(huge, rows.bigValue(1, rows.column("bytes")));
  }

  @Test
  void anyMatricesHaveTheMeasuresOfABruteForceProgramInAnyOrderOfRows() {
    for (long seed = 1; seed <= 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Object[]> now = rows(random, false);
      List<Object[]> past = rows(random, true);
      String said = "seed " + seed;
      AnalysisConfig config = config(OF_DAYS, "changes: 5");
      ResultTable first = report(config, table(LIVE, now), whole(past));
      assertBruteForce(first, now, past, said);
      Collections.shuffle(now, new Random(seed));
      Collections.shuffle(past, new Random(seed));
      assertEquals(first, report(config, table(LIVE, now), whole(past)), said);
    }
  }

  private static HistoryAnswer whole(List<Object[]> past) {
    return Tables.history(END - 9 * DAY, table(BY_DAY, past));
  }

  private static List<Object[]> rows(SplittableRandom random, boolean byDay) {
    int hosts = 2 + random.nextInt(40);
    List<Object[]> rows = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = random.nextInt(300); i >= 0; i--) {
      String inside = address(random, hosts);
      String outside = address(random, hosts);
      Integer day = byDay ? (Integer) (1 + random.nextInt(3)) : null;
      if (seen.add(inside + " " + outside + " " + day)) {
        long bytes = random.nextInt(10) == 0 ? 0 : random.nextLong(1L << random.nextInt(1, 50));
        rows.add(new Object[] {inside, outside, bytes, day});
      }
    }
    return rows;
  }

  private static String address(SplittableRandom random, int hosts) {
    int host = random.nextInt(hosts);
    return host == 0 ? null : host % 3 == 0 ? "2001:db8::" + host : "192.0.2." + host;
  }

  private static ResultTable table(String columns, List<Object[]> rows) {
    Tables table = new Tables(columns);
    boolean byDay = columns.equals(BY_DAY);
    rows.forEach(row -> table.row(byDay ? row : new Object[] {row[0], row[1], row[2]}));
    return table.build();
  }

  private static void assertBruteForce(
      ResultTable rows, List<Object[]> now, List<Object[]> past, String said) {
    Map<String, Double> p = sums(now);
    // day 3 is not asked for
    Map<String, Double> q = sums(past.stream().filter(row -> !row[3].equals(3)).toList());
    Set<String> union = new HashSet<>(p.keySet());
    union.addAll(q.keySet());
    double pTotal = p.values().stream().mapToDouble(v -> v).sum();
    double qTotal = q.values().stream().mapToDouble(v -> v).sum();
    double dot = 0;
    double pp = 0;
    double qq = 0;
    double apart = 0;
    double js = 0;
    List<Double> changes = new ArrayList<>();
    for (String pair : union) {
      double a = p.getOrDefault(pair, 0.0) / pTotal;
      double b = q.getOrDefault(pair, 0.0) / qTotal;
      dot += a * b;
      pp += a * a;
      qq += b * b;
      apart += Math.abs(a - b) / 2;
      js += a == 0 ? 0 : a / 2 * Math.log(2 * a / (a + b)) / Math.log(2);
      js += b == 0 ? 0 : b / 2 * Math.log(2 * b / (a + b)) / Math.log(2);
      double change = p.getOrDefault(pair, 0.0) / 10 - q.getOrDefault(pair, 0.0) / 7200;
      changes.add(change);
    }
    if (pTotal == 0 || qTotal == 0) {
      return; // covered by another test
    }
    assertEquals(dot / Math.sqrt(pp * qq), number(rows, 0, "cosine"), 1e-12, said);
    assertEquals(apart, number(rows, 0, "l1"), 1e-12, said);
    assertEquals(js, number(rows, 0, "jensen_shannon"), 1e-12, said);
    long both = p.keySet().stream().filter(q::containsKey).count();
    assertEquals(both, rows.longValue(0, rows.column("pairs_both")), said);
    assertEquals(p.size() - both, rows.longValue(0, rows.column("pairs_now")), said);
    assertEquals(q.size() - both, rows.longValue(0, rows.column("pairs_then")), said);
    changes.sort(Comparator.comparingDouble(change -> -Math.abs(change)));
    assertEquals(Math.min(5, changes.size()), rows.rowCount() - 1, said);
    for (int row = 1; row < rows.rowCount(); row++) {
      double expected = changes.get(row - 1);
      double found = number(rows, row, "change");
      assertEquals(Math.abs(expected), Math.abs(found), 1e-9 * Math.abs(expected), said);
      String pair =
          rows.formatted(row, rows.column("inside"))
              + " "
              + rows.formatted(row, rows.column("outside"));
      double own = p.getOrDefault(pair, 0.0) / 10 - q.getOrDefault(pair, 0.0) / 7200;
      assertEquals(own, found, 1e-9 * Math.abs(own), said + " " + pair);
    }
  }

  private static Map<String, Double> sums(List<Object[]> rows) {
    Map<String, Double> sums = new HashMap<>();
    for (Object[] row : rows) {
      long bytes = (Long) row[2];
      if (bytes > 0) {
        String pair = (row[0] == null ? "" : row[0]) + " " + (row[1] == null ? "" : row[1]);
        sums.merge(pair, (double) bytes, Double::sum);
      }
    }
    return sums;
  }

  @Test
  void aMatrixOfManyPairsIsCompared() {
    int pairs = 300_000;
    Tables now = new Tables(LIVE);
    Tables past = new Tables(BY_DAY);
    for (int i = 0; i < pairs; i++) {
      String host = "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255);
      now.row(host, X, 7);
      past.row(host, i % 2 == 0 ? X : Y, 9, 1 + i % 2);
    }
    HistoryAnswer history = Tables.history(END - 9 * DAY, past.build());
    ResultTable rows = report(config(OF_DAYS, ""), now.build(), history);
    assertEquals(0.5, number(rows, 0, "l1"), 1e-12);
    assertEquals(0.5, number(rows, 0, "cosine"), 1e-12);
    assertEquals(0.5, number(rows, 0, "jensen_shannon"), 1e-12);
    assertEquals(pairs / 2, rows.longValue(0, rows.column("pairs_both")));
    assertEquals(21, rows.rowCount());
  }

  @Test
  void whatDoesNotFitTheLogicIsAnErrorOfTheAnalysis() {
    assertMessage("report.parameters.changes: expected a whole number", OF_DAYS, "changes: -1");
    assertMessage("report.parameters.decides: expected one of", OF_DAYS, "decides: euclid");
    assertMessage("several with commas between them, found ''", OF_DAYS, "decides: 'l1,'");
    assertMessage("l1 or cosine alone", OF_RANGE, "decides: 'l1, cosine'");
    assertMessage("l1 or cosine alone", OF_DAYS, "factor: 0, decides: records");
    assertMessage("live.query: logic anomaly needs a column packets", OF_DAYS, "measure: packets");
    assertMessage("needs the column inside to be LONG", OF_DAYS, "measure: inside");
    assertMessage("history.query: expected no LIMIT", OF_RANGE + " LIMIT 9", "");
    assertMessage(
        "needs a column day", OF_DAYS.replace("AS day", "AS days").replace(", day", ", days"), "");
    assertMessage("expected WHERE end_time >=", OF_RANGE.replaceAll("WHERE.*GROUP", "GROUP"), "");
    assertMessage(
        "needs the column outside to be ADDRESS, found LONG",
        OF_RANGE.replace("dst_addr AS outside", "dst_port AS outside"),
        "");
    AnalysisConfig config = config(OF_DAYS, "");
    AnalysisConfig alone =
        new AnalysisConfig(
            "anomaly", config.live(), null, config.report(), List.of(), List.of(), Places.NONE);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(alone).open(alone));
    assertTrue(e.getMessage().contains("history: is missing"), e.getMessage());
  }

  private static void assertMessage(String part, String history, String parameters) {
    AnalysisConfig config = config(history, parameters);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(config).open(config));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
