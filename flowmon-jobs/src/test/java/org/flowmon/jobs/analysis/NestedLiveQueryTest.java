package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.List;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.examples.ExamplePage;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.ReportColumn;
import org.junit.jupiter.api.Test;

/** The queries over the results of others that an analysis may run live. */
class NestedLiveQueryTest {
  private static final String SENT =
      "(SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr)";

  private static AnalysisConfig analysis(String query, String rest) {
    return AnalysisConfig.parse(
        "nested.yaml",
        """
        name: nested
        live:
          query: %s
          window: 10s
        %s
        """
            .formatted(query, rest));
  }

  private static void refuses(String query, String rest, String... messages) {
    ConfigException e =
        assertThrows(
            ConfigException.class, () -> JobAnalyses.check(List.of(analysis(query, rest))), query);
    for (String message : messages) {
      assertTrue(e.getMessage().contains(message), query + "\n" + e.getMessage());
    }
  }

  @Test
  void theExampleOfThePageRuns() throws Exception {
    String page = Files.readString(ExamplePage.docs().resolve("analyses.md"));
    int begin = page.indexOf("```yaml\nname: unanswered");
    assertTrue(begin > 0, "docs/analyses.md has the example");
    String text = page.substring(begin + 8, page.indexOf("```", begin + 8));
    AnalysisConfig analysis = AnalysisConfig.parse("unanswered.yaml", text);
    JobAnalyses.check(List.of(analysis));
    assertEquals(
        "[true, false, false, false]",
        LiveColumns.of(analysis).stream().map(ReportColumn::key).toList().toString());
  }

  @Test
  void keysAreThoseOfTheQueriesThatItIsMadeOf() {
    AnalysisConfig analysis =
        analysis(
            "SELECT a.src_addr, a.bytes, b.bytes / 2 AS half, NETWORK(b.src_addr, 8) AS net FROM "
                + SENT
                + " AS a LEFT JOIN "
                + SENT
                + " AS b ON a.src_addr = b.src_addr",
            "report: {logic: live}");
    List<ReportColumn> columns = LiveColumns.of(analysis);
    assertEquals(
        List.of(true, false, false, true), columns.stream().map(ReportColumn::key).toList());
    assertTrue(columns.get(1).toString().contains("true"), "sums may be wide: " + columns.get(1));
    JobAnalyses.check(List.of(analysis));
  }

  @Test
  void historyMayNameTheColumnsOfTheWhole() {
    String history =
        """
        history:
          query: SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.%s) GROUP BY src_addr
        report: {logic: live}
        """;
    String query = "SELECT x.src_addr AS host, x.bytes FROM " + SENT + " AS x";
    JobAnalyses.check(List.of(analysis(query, history.formatted("host"))));
    refuses(query, history.formatted("src_addr"), "live.host", "found :live.src_addr");
  }

  @Test
  void whatCannotRunLiveIsRefusedAndSaysWhatCan() {
    String live = "report: {logic: live}";
    refuses(
        "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT dst_addr FROM flows)"
            + " GROUP BY src_addr",
        live,
        "nested.yaml:3: live.query: IN (SELECT …) over flows has no answer before the flows",
        "expected a join of results",
        "history.query");
    refuses(
        "SELECT x.n FROM (SELECT COUNT(*) AS n FROM flows WHERE src_port IN (SELECT dst_port FROM"
            + " flows)) AS x",
        live,
        "IN (SELECT …) over flows has no answer",
        "found it in SELECT COUNT(*)");
    refuses(
        "SELECT COUNT(*) AS n FROM (SELECT bytes FROM flows) AS x",
        live,
        "expected aggregates such as SUM(bytes), found plain columns in SELECT bytes");
    refuses("SELECT bytes FROM flows", live, "expected aggregates such as SUM(bytes)");
    refuses(
        "SELECT x.bytes FROM " + SENT + " AS x WHERE x.bytes > :n",
        live,
        "a query over results has no parameter but :now, found [n]");
    refuses(
        "SELECT x.bytes FROM "
            + SENT.replace("FROM flows", "FROM flows WHERE end_time < :now")
            + " AS x",
        live,
        "a live query over flows has no parameters, found [now] in SELECT");
    refuses(
        "SELECT x.bytes, :now AS at FROM " + SENT + " AS x",
        live,
        "expected a column whose kind does not depend on a parameter, found at");
    refuses("SELECT x.byts FROM " + SENT + " AS x", live, "did you mean 'bytes'");
    StringBuilder many =
        new StringBuilder(
            "SELECT a0.k FROM (SELECT src_port AS k, COUNT(*) AS n"
                + " FROM flows GROUP BY k) AS a0");
    for (int i = 1; i < 9; i++) {
      many.append(" JOIN (SELECT src_port AS k, COUNT(*) AS n FROM flows WHERE bytes > ")
          .append(i)
          .append(" GROUP BY k) AS a")
          .append(i)
          .append(" ON a0.k = a")
          .append(i)
          .append(".k");
    }
    refuses(many.toString(), live, "expected at most 8 different queries over flows, found 9");
    refuses(
        "SELECT x.src_addr, x.bytes FROM " + SENT + " AS x",
        """
        history:
          query: SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows WHERE SAME_HOUR(end_time, :now, 7) GROUP BY src_addr, day
        report: {logic: anomaly}
        """,
        "logic anomaly wants flows",
        "expected flows, found a subquery");
  }

  @Test
  void eachQueryOverFlowsCountsInTheBudget() {
    AnalysisConfig analysis =
        analysis(
            "SELECT a.src_addr FROM "
                + SENT
                + " AS a JOIN (SELECT src_addr, COUNT(DISTINCT dst_port)"
                + " AS n, COUNT(DISTINCT src_port) AS m FROM flows GROUP BY src_addr) AS b ON"
                + " a.src_addr = b.src_addr",
            "report: {logic: live}");
    long groups = analysis.live().groups();
    long slots = analysis.live().slots();
    new AnalysesBudget(2 * groups, 2L << 30, 3 * slots).check(List.of(analysis));
    assertThrows(
        ConfigException.class,
        () -> new AnalysesBudget(2 * groups - 1, 2L << 30, 3 * slots).check(List.of(analysis)));
    assertThrows(
        ConfigException.class,
        () -> new AnalysesBudget(2 * groups, 2L << 30, 3 * slots - 1).check(List.of(analysis)));
  }
}
