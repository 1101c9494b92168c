package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.elephants;
import static org.flowmon.jobs.report.TestReports.history;
import static org.flowmon.jobs.report.TestReports.window;
import static org.flowmon.jobs.report.TestReports.withGap;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class ElephantsTest {
  private static final long LONG_AGO = END - 30 * DAY;
  private static final String A = "192.0.2.1";
  private static final String B = "2001:db8::1";

  private static ResultTable report(String parameters, WindowHistory window) {
    ReportLogic logic = ReportLogics.of(elephants(parameters));
    List<ReportColumn> columns = logic.open(elephants(parameters));
    ResultTable rows = logic.report(window);
    assertEquals(columns.stream().map(ReportColumn::name).toList(), rows.names());
    for (ReportColumn column : columns) {
      assertEquals(column.kind(), rows.kind(rows.column(column.name())), column.name());
    }
    return rows;
  }

  private static String verdict(ResultTable rows, int row) {
    return rows.text(row, rows.column("verdict"));
  }

  private static double number(ResultTable rows, int row, String column) {
    return rows.doubleValue(row, rows.column(column));
  }

  @Test
  void aHostThatSendsThreeTimesItsMedianIsNewAndJustBelowIsUsual() {
    // Rates of days 1…7: 100 200 300 400 500 600 700 bytes/s; median 400, times 3 is 1200.
    // Ten seconds at 1200 bytes/s are 12,000 bytes.
    Object[] past = new Object[21];
    for (int day = 1; day <= 7; day++) {
      past[3 * day - 3] = A;
      past[3 * day - 2] = day;
      past[3 * day - 1] = 100L * day * 3600;
    }
    HistoryAnswer history = history(LONG_AGO, END, past);
    ResultTable above =
        report("share: 0.1, factor: 3", new WindowHistory(window(20_000, A, 12_000), history));
    assertEquals("new", verdict(above, 0));
    assertEquals(400.0, number(above, 0, "median_rate"));
    assertEquals(1200.0, number(above, 0, "rate"));
    assertEquals(0.6, number(above, 0, "share"));
    assertEquals(1, above.longValue(0, above.column("rank")));
    assertEquals(7, above.longValue(0, above.column("days_used")));
    assertTrue(above.isNull(0, above.column("days_missing")));
    ResultTable below =
        report("share: 0.1, factor: 3", new WindowHistory(window(20_000, A, 11_999), history));
    assertEquals("usual", verdict(below, 0));
  }

  @Test
  void daysWithoutTrafficAreZeroesOfTheMedian() {
    // Days 2, 4, 6: 3600 bytes/s; the other four days none: the median is 0, so it is new.
    long hour = 3600L * 3600;
    HistoryAnswer four = history(LONG_AGO, END, A, 2, hour, A, 4, hour, A, 6, hour);
    ResultTable rows = report("", new WindowHistory(window(100, A, 50), four));
    assertEquals(0.0, number(rows, 0, "median_rate"));
    assertEquals("new", verdict(rows, 0));
    // One more day: four of seven, the median is 3600 bytes/s, and 5 bytes/s are usual.
    HistoryAnswer five = history(LONG_AGO, END, A, 2, hour, A, 4, hour, A, 6, hour, A, 7, hour);
    rows = report("", new WindowHistory(window(100, A, 50), five));
    assertEquals(3600.0, number(rows, 0, "median_rate"));
    assertEquals("usual", verdict(rows, 0));
  }

  @Test
  void aHostNeverSeenOnDaysInsideHistoryIsNew() {
    ResultTable rows = report("", new WindowHistory(window(100, A, 50), history(LONG_AGO, END)));
    assertEquals("new", verdict(rows, 0));
    assertEquals(7, rows.longValue(0, rows.column("days_used")));
  }

  @Test
  void daysBeforeHistoryBeganAreLeftOutAndNamed() {
    // History began three days ago, in the middle of that day's hour: days 1 and 2 are inside.
    long from = END - 3 * DAY + HOUR / 2;
    HistoryAnswer history = history(from, END, A, 1, 100L * 3600, A, 2, 300L * 3600, A, 3, 1L);
    ResultTable rows = report("", new WindowHistory(window(10_000, A, 6_000), history));
    // an even number of days: the mean of the two in the middle
    assertEquals(200.0, number(rows, 0, "median_rate"));
    assertEquals("new", verdict(rows, 0)); // 600 bytes/s = 3 · 200
    assertEquals(2, rows.longValue(0, rows.column("days_used")));
    assertEquals(
        "2026-11-18T10:00:00Z 2026-11-17T10:00:00Z 2026-11-16T10:00:00Z 2026-11-15T10:00:00Z"
            + " 2026-11-14T10:00:00Z",
        rows.text(0, rows.column("days_missing")));
    // history that began exactly with the hour holds it whole
    rows = report("", new WindowHistory(window(100, A, 60), history(END - 3 * DAY, END)));
    assertEquals(3, rows.longValue(0, rows.column("days_used")));
  }

  @Test
  void daysThatTheArchiveDoesNotReachYetAreLeftOut() {
    // The archive ends in the middle of yesterday's hour.
    HistoryAnswer history = history(LONG_AGO, END - DAY + HOUR / 2, A, 1, 9L * 3600);
    assertEquals(HistoryStatus.PARTIAL, history.status());
    ResultTable rows = report("", new WindowHistory(window(100, A, 60), history));
    assertEquals(6, rows.longValue(0, rows.column("days_used")));
    assertEquals("2026-11-20T10:00:00Z", rows.text(0, rows.column("days_missing")));
    assertEquals(0.0, number(rows, 0, "median_rate"));
  }

  @Test
  void daysThatLieInAGapAreLeftOutAndNamed() {
    // 100 bytes/s on three days; the other four lie in a gap, and do not count as days without
    // traffic.
    HistoryAnswer whole =
        history(LONG_AGO, END, A, 1, 100L * 3600, A, 2, 100L * 3600, A, 3, 100L * 3600);
    HistoryAnswer history = withGap(whole, END - 7 * DAY + HOUR / 2, END - 4 * DAY);
    ResultTable rows = report("", new WindowHistory(window(10_000, A, 2_000), history));
    assertEquals(100.0, number(rows, 0, "median_rate"));
    assertEquals("usual", verdict(rows, 0)); // 200 bytes/s are less than 3 · 100
    assertEquals(3, rows.longValue(0, rows.column("days_used")));
    assertEquals(
        "2026-11-17T10:00:00Z 2026-11-16T10:00:00Z 2026-11-15T10:00:00Z 2026-11-14T10:00:00Z",
        rows.text(0, rows.column("days_missing")));
    HistoryAnswer none = withGap(whole, END - 8 * DAY, END - DAY);
    rows = report("", new WindowHistory(window(10_000, A, 2_000), none));
    assertEquals("no_history", verdict(rows, 0));
  }

  @Test
  void withoutADayInsideHistoryTheVerdictSaysSo() {
    HistoryAnswer young = history(END - 2 * HOUR, END);
    ResultTable rows = report("", new WindowHistory(window(100, A, 60, B, 40), young));
    assertEquals("no_history", verdict(rows, 0));
    assertTrue(rows.isNull(0, rows.column("median_rate")));
    assertEquals(0, rows.longValue(0, rows.column("days_used")));
    HistoryAnswer failed = HistoryAnswer.without(HistoryStatus.FAILED, END, "gone");
    assertEquals(
        "no_history", verdict(report("", new WindowHistory(window(100, A, 60), failed)), 0));
    // history is not needed for a row that is small now
    rows = report("share: 0.5", new WindowHistory(window(100, A, 60, B, 40), young));
    assertEquals("usual", verdict(rows, 1));
  }

  @Test
  void theShareMustBeExceededExactly() {
    HistoryAnswer history = history(LONG_AGO, END);
    assertEquals(
        "usual",
        verdict(report("share: 0.1", new WindowHistory(window(1000, A, 100), history)), 0));
    assertEquals(
        "new", verdict(report("share: 0.1", new WindowHistory(window(1000, A, 101), history)), 0));
  }

  @Test
  void aLogicIsFoundByTheNameOfItsClass() {
    AnalysisConfig config = elephants("");
    AnalysisConfig.Report byClass =
        new AnalysisConfig.Report(ConstantLogic.class.getName(), config.report().parameters());
    AnalysisConfig own =
        new AnalysisConfig(
            "own", config.live(), null, byClass, config.sinks(), List.of(), Places.NONE);
    ReportLogic logic = ReportLogics.of(own);
    assertEquals(ConstantLogic.class, logic.getClass());
  }

  /** A user's own logic. */
  public static final class ConstantLogic implements ReportLogic {
    public ConstantLogic() {}

    @Override
    public List<ReportColumn> open(AnalysisConfig analysis) {
      return List.of();
    }

    @Override
    public ResultTable report(WindowHistory window) {
      return new ResultTable.Builder().build();
    }
  }

  @Test
  void recordsKeepEverythingThroughTheirSerializers() throws Exception {
    assertRoundTrip(
        WindowHistory.TYPE,
        new WindowHistory(window(9, A, 1, B, 2), history(LONG_AGO, END, A, 1, 5)));
    assertRoundTrip(WindowHistory.TYPE, new WindowHistory(window(9, A, 1), HistoryAnswer.NONE));
    HistoryAnswer gap = withGap(history(LONG_AGO, END, A, 1, 5), 7, 9);
    assertRoundTrip(WindowHistory.TYPE, new WindowHistory(window(9, A, 1), gap));
    assertRoundTrip(Report.TYPE, TestReports.report(2, A, 1, null, 2));
    assertEquals(
        10 * SECOND, TestReports.report(2).windowEnd() - TestReports.report(2).windowStart());
  }

  private static <T> void assertRoundTrip(
      org.apache.flink.api.common.typeinfo.TypeInformation<T> type, T record) throws Exception {
    var serializer =
        type.createSerializer(new org.apache.flink.api.common.serialization.SerializerConfigImpl());
    var out = new org.apache.flink.core.memory.DataOutputSerializer(64);
    serializer.serialize(record, out);
    var in = new org.apache.flink.core.memory.DataInputDeserializer(out.getCopyOfBuffer());
    assertEquals(record, serializer.deserialize(in));
    assertEquals(0, in.available());
  }
}
