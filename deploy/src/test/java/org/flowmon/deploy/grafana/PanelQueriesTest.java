package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.deploy.grafana.Dashboards.Question;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.sink.postgres.PostgresAlerts;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the SQL of every panel and variable as the role that reads, on tables that the sink made for
 * every analysis that comes with flowmon, with a month of reports ({@code -Dflowmon.grafana.days}).
 */
class PanelQueriesTest {
  private static final int DAYS = Integer.getInteger("flowmon.grafana.days", 30);
  private static final double LIMIT = 1;
  private static final Instant TO = Instant.parse("2026-11-21T00:00:00Z");
  private static final Instant FROM = TO.minus(Duration.ofDays(DAYS));

  @SuppressWarnings("NullAway.Init")
  private static ReportsDatabase database;

  @BeforeAll
  static void start() throws Exception {
    database = ReportsDatabase.start();
    PostgresReports.createTables(database.config(), analyses());
    for (AnalysisConfig analysis : Dashboards.analyses()) {
      database.write(MonthOfReports.series(analysis.name(), FROM, TO));
    }
    database.write(MonthOfReports.windows(analyses(), FROM, TO));
    database.write(MonthOfReports.findings(FROM, TO));
    PostgresAlerts.createTable(database.config());
    database.write(MonthOfReports.alerts(FROM, TO));
    database.write("ANALYZE");
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
  }

  private static List<AnalysisConfig> analyses() throws IOException {
    return Stream.of(AnalysisConfig.bundled(), AnalysisConfig.offered(), Dashboards.analyses())
        .flatMap(List::stream)
        .toList();
  }

  static List<Question> questions() throws IOException {
    return Dashboards.sql();
  }

  private static Expansion expansion(String analysis) {
    return new Expansion(FROM, TO, Duration.between(FROM, TO).dividedBy(700))
        .with("top", "10")
        .with("period", "1 day")
        .with("rows", "findings")
        .with("host", "10.0.0.7")
        .withAll("name", VariableBuilder.ALL)
        .with("analysis", List.of(analysis))
        .with("source_analysis", List.of(analysis))
        .with("target_analysis", List.of(analysis));
  }

  private record Answer(List<String> columns, int rows, double seconds) {}

  private static Answer ask(String sql) throws SQLException {
    try (Connection reader = database.asReader();
        Statement statement = reader.createStatement()) {
      statement.execute("SET max_parallel_workers_per_gather = 0");
      double begin = seconds(statement);
      try (ResultSet result = statement.executeQuery(sql)) {
        ResultSetMetaData meta = result.getMetaData();
        List<String> columns = new ArrayList<>();
        for (int c = 1; c <= meta.getColumnCount(); c++) {
          columns.add(meta.getColumnLabel(c));
        }
        int rows = 0;
        while (result.next()) {
          rows++;
        }
        return new Answer(columns, rows, seconds(statement) - begin);
      }
    }
  }

  /** Processor time of the connection's server process: tests may run beside others. */
  private static double seconds(Statement statement) throws SQLException {
    try (ResultSet pid =
        statement.getConnection().createStatement().executeQuery("SELECT pg_backend_pid()")) {
      pid.next();
      String stat = Files.readString(Path.of("/proc", pid.getString(1), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    } catch (IOException e) {
      return System.nanoTime() / 1e9; // not Linux
    }
  }

  @ParameterizedTest
  @MethodSource("questions")
  void itAnswersWithinASecond(Question question) throws Exception {
    for (String analysis : named(question)) {
      String sql = expansion(analysis).sql(question.text());
      Answer answer = ask(sql);
      System.out.printf("%-60s %6.3f s %6d rows%n", question, answer.seconds(), answer.rows());
      if (answer.seconds() >= LIMIT) {
        fail(question + " took " + answer.seconds() + " s:\n" + plan(sql));
      }
      boolean isOfFindings = !question.text().contains("${") || analysis.equals("scans");
      assertTrue(answer.rows() > 0 || !isOfFindings, question + " has no rows:\n" + sql);
      if (question.isSeries()) {
        assertEquals(List.of("time", "metric", "value"), answer.columns(), question.toString());
      }
    }
  }

  private static String plan(String sql) throws SQLException {
    return database.read("EXPLAIN (ANALYZE, BUFFERS) " + sql).stream()
        .map(line -> line.get(0).toString())
        .collect(Collectors.joining("\n"));
  }

  /** Analyses that the question's variable may name, or one if it has none. */
  private static List<String> named(Question question) throws Exception {
    Matcher repeated = Pattern.compile("\\$\\{(\\w+):raw}").matcher(question.text());
    return repeated.find() ? values(question.dashboard(), repeated.group(1)) : List.of("scans");
  }

  private static List<String> values(String dashboard, String variable) throws Exception {
    String sql =
        Dashboards.sql().stream()
            .filter(q -> q.dashboard().equals(dashboard))
            .filter(q -> q.title().equals("variable " + variable))
            .findFirst()
            .orElseThrow()
            .text();
    return database.read(expansion("scans").sql(sql)).stream()
        .map(row -> row.get(0).toString())
        .toList();
  }

  @Test
  void theVariablesNameEveryAnalysisWithAVerdict() throws Exception {
    List<String> security = values("flowmon-security", "analysis");
    assertTrue(security.containsAll(List.of("scans", "ddos", "anomaly", "exporters", "beacons")));
    assertTrue(
        security.stream().noneMatch(name -> name.startsWith("series_")), security.toString());
    assertTrue(values("flowmon-host", "source_analysis").contains("brute_force"));
    assertTrue(values("flowmon-host", "target_analysis").contains("ddos"));
  }

  /** A column that is renamed would silently lose its unit and its links. */
  @Test
  void everyColumnWithAUnitOrLinkIsInAnAnswer() throws Exception {
    int checked = 0;
    for (JsonNode dashboard : Dashboards.all()) {
      String uid = dashboard.get("uid").asText();
      for (JsonNode panel : dashboard.get("panels")) {
        JsonNode sql = panel.get("targets").get(0).path("rawSql");
        if (!panel.get("type").asText().equals("table") || sql.isMissingNode()) {
          continue;
        }
        Question question = new Question(uid, panel.get("title").asText(), false, sql.asText());
        Set<String> columns = new HashSet<>();
        for (String analysis : named(question)) {
          columns.addAll(ask(expansion(analysis).sql(question.text())).columns());
        }
        for (JsonNode override : panel.get("fieldConfig").get("overrides")) {
          String name = override.get("matcher").get("options").asText();
          assertTrue(columns.contains(name), question + ": no analysis has column " + name);
          checked++;
        }
      }
    }
    assertTrue(checked >= 100, checked + " columns");
  }

  /** The dashboards hide what is benign: a verdict that they do not know would be a finding. */
  @Test
  void everyVerdictOfTheAnalysesIsAFindingOrNone() throws IOException {
    Pattern verdict =
        Pattern.compile("(?:THEN|ELSE) '(\\w+)'(?: END AS verdict)?|'(\\w+)' AS verdict");
    Set<String> shapes = Set.of("few", "ports", "hosts", "mixed");
    Set<String> found = new TreeSet<>();
    for (AnalysisConfig analysis : analyses()) {
      String query = analysis.report().query() == null ? "" : analysis.report().query().toString();
      Matcher all = verdict.matcher(query);
      while (all.find()) {
        found.add(all.group(1) == null ? all.group(2) : all.group(1));
      }
    }
    assertTrue(found.size() > 15, found.toString());
    found.removeAll(shapes);
    found.removeAll(Verdicts.BENIGN);
    found.removeAll(Verdicts.FINDINGS);
    assertEquals(Set.of(), found, "verdicts that the dashboards do not know");
  }
}
