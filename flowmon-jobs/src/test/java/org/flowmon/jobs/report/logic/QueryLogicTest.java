package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.history;
import static org.flowmon.jobs.report.TestReports.window;
import static org.flowmon.jobs.report.logic.TestFlows.lines;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.Approximation;
import org.junit.jupiter.api.Test;

/** Analyses whose report is a query. */
class QueryLogicTest {
  private static final String A = "192.0.2.1";
  private static final String B = "192.0.2.2";

  private static AnalysisConfig analysis(String query, String... more) {
    String text =
        """
        name: own
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 4
          window: 10s
        history:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows
            WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 3)
            GROUP BY src_addr, DAYS_BEFORE(end_time, :now)
        report:
          query: %s
        """
            .formatted(query);
    for (int i = 0; i < more.length; i += 2) {
      text = text.replace(more[i], more[i + 1]);
    }
    return AnalysisConfig.parse("own.yaml", text);
  }

  private static List<String> rows(AnalysisConfig analysis, HistoryAnswer past) {
    var rows = report(analysis, new WindowHistory(window(1000, A, 700, B, 100), past));
    return lines(rows, rows.names().toArray(String[]::new));
  }

  private static List<String> rows(String query) {
    // Of the three days the first two are inside history.
    return rows(analysis(query), history(END - 2 * DAY, END, A, 1, 40, A, 2, 20, B, 2, 7));
  }

  @Test
  void aQueryReadsTheWindowItsTotalsItsHistoryAndTheDays() {
    assertEquals(
        List.of("192.0.2.1 700 1 1000", "192.0.2.2 100 2 1000"), rows("SELECT * FROM live"));
    assertEquals(List.of("1000"), rows("SELECT * FROM totals"));
    assertEquals(
        List.of("192.0.2.1 40 1", "192.0.2.1 20 2", "192.0.2.2 7 2"),
        rows("SELECT * FROM history"));
    assertEquals(
        List.of(
            "1 2026-11-20T10:00:00Z true",
            "2 2026-11-19T10:00:00Z true",
            "3 2026-11-18T10:00:00Z false"),
        rows("SELECT * FROM days"));
    assertEquals(
        List.of("192.0.2.1 30.0", "192.0.2.2 3.5"),
        rows(
            "SELECT l.src_addr, MEDIAN(COALESCE(h.bytes, 0)) AS usual FROM live AS l CROSS JOIN"
                + " days AS d LEFT JOIN history AS h ON h.src_addr = l.src_addr AND h.day = d.day"
                + " WHERE d.inside GROUP BY l.src_addr"));
  }

  @Test
  void parametersTellOfTheWindowAndOfTheFile() {
    assertEquals(
        List.of("2026-11-21T10:00:00Z 2026-11-21T09:59:50Z 10.0 2 exact 2 2026-11-18T10:00:00Z"),
        rows(
            "SELECT :now AS a, :window_start AS b, :seconds AS c, :groups AS d, :history AS e,"
                + " :days_used AS f, :days_missing AS g FROM totals"));
    AnalysisConfig own =
        analysis(
            "SELECT src_addr, :word AS word FROM live WHERE bytes > :least * total_bytes",
            "report:",
            "report:\n  parameters: {least: 0.5, word: 'it''s'}");
    assertEquals(List.of("192.0.2.1 it's"), rows(own, HistoryAnswer.NONE));
  }

  @Test
  void daysBeginAtAnyTimeThatIsMadeOfNow() {
    String same = "SAME_HOUR(end_time, :now, 3)";
    String[][] begins = {
      {":now - INTERVAL '30' MINUTE", "09:30:00Z"},
      {"INTERVAL '30' MINUTE + :now", "10:30:00Z"},
      {"TIME_BUCKET(:now - INTERVAL '1' MINUTE, INTERVAL '1' HOUR)", "09:00:00Z"},
    };
    for (String[] begin : begins) {
      AnalysisConfig own =
          analysis("SELECT begin FROM days WHERE day = 1", same, same.replace(":now", begin[0]));
      assertEquals(List.of("2026-11-20T" + begin[1]), rows(own, history(END - 9 * DAY, END)));
    }
    refuses(
        "history.query: expected :now or a time made of it, as in SAME_HOUR(end_time, "
            + "TIME_BUCKET(:now, INTERVAL '1' HOUR), 7), found arrival",
        "SELECT day FROM days",
        same,
        same.replace(":now", "arrival"));
  }

  @Test
  void aFailedLookupHasNoRowsAndNoDays() {
    AnalysisConfig own =
        analysis("SELECT :history AS a, :days_used AS b, COUNT(*) AS n FROM history");
    assertEquals(List.of("failed 0 0"), rows(own, Tables.failed()));
  }

  @Test
  void keysAreThoseOfTheLiveQueryAndNeverAVerdict() {
    AnalysisConfig own =
        analysis(
            "SELECT rank, src_addr, bytes, 1 AS one, :groups AS groups, CASE WHEN bytes > 5 THEN"
                + " 'a' END AS verdict FROM live");
    List<ReportColumn> columns = ReportLogics.of(own).open(own);
    assertEquals(
        List.of("src_addr"),
        columns.stream().filter(ReportColumn::key).map(ReportColumn::name).toList());
    assertTrue(columns.get(2).wide(), "a sum may exceed 64 bits");
  }

  @Test
  void approximateColumnsKeepTheirExactQueries() {
    AnalysisConfig own =
        analysis(
            "SELECT src_addr, 2 * p AS twice, n FROM (SELECT src_addr, p95 AS p, n FROM live)",
            "SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC",
            "COUNT(*) AS n, QUANTILE(QUANTILES(bytes), 0.95) AS p95 FROM flows GROUP BY src_addr"
                + " ORDER BY n DESC");
    ReportLogic logic = ReportLogics.of(own);
    logic.open(own);
    List<Approximation> found = Approximation.of(logic.query().orElseThrow());
    assertEquals(List.of("twice"), found.stream().map(Approximation::column).toList());
    assertEquals("QUANTILE(QUANTILES(bytes), 0.95)", found.get(0).what().toString());
  }

  private static void refuses(String expected, String query, String... more) {
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> {
              AnalysisConfig own = analysis(query, more);
              ReportLogics.of(own).open(own);
            });
    assertTrue(e.getMessage().contains(expected), e.getMessage());
    assertTrue(e.getMessage().startsWith("own.yaml:"), e.getMessage());
  }

  @Test
  void errorsNameFileKeyLineAndColumn() {
    refuses(
        "own.yaml:11: report.query: line 1:8: no column 'byte' in live", "SELECT byte FROM live");
    refuses(
        "line 1:19: no table 'flows': expected one of live, totals, history",
        "SELECT bytes FROM flows");
    refuses("line 1:8: no parameter :nov: did you mean :now?", "SELECT :nov AS x FROM live");
    refuses(
        "report.parameters.least: expected a parameter that report.query reads, of :now",
        "SELECT :now AS x FROM live",
        "report:",
        "report:\n  parameters: {least: 1}");
    refuses(
        "report.parameters.now: expected another name",
        "SELECT :now AS x FROM live",
        "report:",
        "report:\n  parameters: {now: 1}");
    refuses("needs a name of lower-case letters", "SELECT bytes / 2 FROM live");
    refuses(
        "history.query: expected … AND SAME_HOUR(end_time, :now, 7): report.query compares days",
        "SELECT day FROM days",
        "SAME_HOUR(end_time, :now, 3)",
        "end_time < :now");
    refuses(
        "history.query: expected WHERE end_time >=",
        "SELECT :coverage AS c FROM live",
        "SAME_HOUR(end_time, :now, 3)",
        "end_time < :now");
    refuses(
        "report.logic: expected logic or query, found both",
        "SELECT * FROM live",
        "report:",
        "report:\n  logic: live");
    refuses(
        "report.query: is missing",
        "SELECT * FROM live",
        "  query: SELECT * FROM live",
        "  parameters: {}");
  }
}
