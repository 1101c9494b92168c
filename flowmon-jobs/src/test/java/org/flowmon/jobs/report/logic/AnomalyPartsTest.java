package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.A;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.B;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.BY_DAY;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.LIVE;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.OF_DAYS;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.X;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.Y;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.config;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.number;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.report;
import static org.flowmon.jobs.report.logic.AnomalyLogicTest.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** The logic {@code anomaly} against parts of the past, which say what is usual. */
class AnomalyPartsTest {
  private static AnalysisConfig ofSlots(String parameters) {
    String slots =
        OF_DAYS
            .replace(":now, 2", ":now, 7")
            .replace("AS day", "AS day, TIME_BUCKET(end_time, INTERVAL '10' SECOND) AS slot")
            .replace("outside, day", "outside, day, slot");
    return config(slots, parameters);
  }

  @Test
  void recordsAndTheLargestExcessAreOfEachPairsPastSlots() {
    Tables past = new Tables(BY_DAY + ", slot TIMESTAMP");
    for (int day = 1; day <= 7; day++) {
      long slot = END - day * DAY;
      past.row(A, X, 10 * day, day, slot).row(A, Y, 50, day, slot).row(B, Y, 30, day, slot);
    }
    ResultTable now =
        new Tables(LIVE).row(A, X, 71).row(A, Y, 50).row(B, Y, 20).row(B, X, 24).build();
    HistoryAnswer history = Tables.history(END - 9 * DAY, past.build());
    ResultTable rows = report(ofSlots("decides: 'records, excess'"), now, history);
    assertEquals(0.5, number(rows, 0, "records"), "A and X, B and X, of four");
    // a slot has 40 + 50 + 30 bytes on average
    assertEquals(0.2, number(rows, 0, "excess"), 1e-15, "24 of a pair that is new");
    // The slot of day 7 alone has a record, one of three pairs, of 10 bytes: 6 and 3.6 deviations.
    assertEquals("excess", text(rows, 0, "decided_by"));
    double mean = 10 / 120.0 / 7;
    assertEquals(mean, number(rows, 0, "usual_distance"), 1e-15);
    double deviation = Math.sqrt((6 * mean * mean + Math.pow(10 / 120.0 - mean, 2)) / 6);
    assertEquals(mean + 6 * deviation, number(rows, 0, "distance_limit"), 1e-15);
    assertEquals("usual", text(rows, 0, "verdict"));
    rows = report(ofSlots("decides: 'records, excess', factor: 5.9"), now, history);
    assertEquals("anomalous", text(rows, 0, "verdict"));
    assertEquals("excess", text(rows, 0, "decided_by"), "whatever the order");
    rows = report(ofSlots("decides: records, factor: 3.5"), now, history);
    assertEquals("anomalous", text(rows, 0, "verdict"));
    rows = report(ofSlots("decides: records, factor: 3.6"), now, history);
    assertEquals("usual", text(rows, 0, "verdict"));
  }

  @Test
  void aWindowThatIsShorterThanThePartsOfThePastIsComparedByItsRates() {
    Tables past = new Tables(BY_DAY);
    for (int day = 1; day <= 7; day++) {
      past.row(A, X, 3600 * day, day); // an hour, without slots
    }
    String query = OF_DAYS.replace(":now, 2", ":now, 7");
    HistoryAnswer history = Tables.history(END - 9 * DAY, past.build());
    AnalysisConfig config = config(query, "decides: excess");
    ResultTable rows = report(config, new Tables(LIVE).row(A, X, 70).build(), history);
    assertEquals(0.0, number(rows, 0, "records"), "7 bytes a second were sent on day 7");
    rows = report(config, new Tables(LIVE).row(A, X, 80).build(), history);
    assertEquals(1.0, number(rows, 0, "records"));
    assertEquals(0.25, number(rows, 0, "excess"), 1e-12, "a byte a second more, of four");
  }

  /**
   * A week of windows of five minutes without anything unusual, of pairs whose bytes vary by their
   * hours and by chance, and the same windows with a pair that was never there, and with eight
   * times the bytes of each pair, whose shares are those of any day.
   */
  @Test
  void aWeekOfUsualWindowsAlarmsAtMostOnceAndEachPlantedChangeIsFound() {
    AnalysisConfig config = ofSlots("decides: 'jensen_shannon, records, excess', changes: 1");
    ReportLogic logic = ReportLogics.of(config);
    logic.open(config);
    SplittableRandom random = new SplittableRandom(20261126);
    int alarms = 0;
    int pairs = 0;
    int all = 0;
    for (int hour = 0; hour < 42; hour++) {
      Tables past = new Tables(BY_DAY + ", slot TIMESTAMP");
      for (int slot = 0; slot < 7 * 12; slot++) {
        crowd(random, past, 1 + slot / 12, slot, 1);
      }
      HistoryAnswer history = Tables.history(END - 9 * DAY, past.build());
      for (int window = 0; window < 48; window++) {
        Tables now = new Tables(LIVE);
        crowd(random, now, 0, 0, 1);
        alarms += isAnomalous(logic, now.build(), history) ? 1 : 0;
      }
      Tables planted = new Tables(LIVE);
      long total = crowd(random, planted, 0, 0, 1);
      planted.row("10.9.9.9", "192.0.2.99", total);
      pairs += isAnomalous(logic, planted.build(), history) ? 1 : 0;
      Tables more = new Tables(LIVE);
      crowd(random, more, 0, 0, 8);
      all += isAnomalous(logic, more.build(), history) ? 1 : 0;
    }
    assertTrue(alarms <= 1, alarms + " alarms");
    assertEquals(42, pairs);
    assertEquals(42, all);
  }

  private static boolean isAnomalous(ReportLogic logic, ResultTable now, HistoryAnswer past) {
    WindowHistory window = new WindowHistory(Tables.window(10 * SECOND, now), past);
    return text(logic.report(window), 0, "verdict").equals("anomalous");
  }

  /** Adds pairs by Zipf's law, with bytes by a truncated Pareto law; returns their sum. */
  private static long crowd(SplittableRandom random, Tables table, int day, int slot, int times) {
    Map<Integer, Long> bytes = new HashMap<>();
    long total = 0;
    for (int flow = 0; flow < 5000; flow++) {
      int pair = (int) Math.pow(1000, random.nextDouble());
      long some = (long) Math.min(2e6, 1000 / Math.pow(1 - random.nextDouble(), 1 / 1.3));
      bytes.merge(pair, times * some, Long::sum);
      total += times * some;
    }
    bytes.forEach(
        (pair, sum) -> {
          String inside = "10.0." + pair / 100 + "." + pair % 100;
          if (day == 0) {
            table.row(inside, X, sum);
          } else {
            table.row(inside, X, sum, day, slot * (10 * SECOND));
          }
        });
    return total;
  }
}
