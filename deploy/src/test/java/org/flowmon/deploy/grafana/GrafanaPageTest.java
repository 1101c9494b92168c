package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/grafana.md. */
class GrafanaPageTest {
  private static final Path PAGE = Path.of("..", "docs", "grafana.md");

  @TempDir Path folder;

  private static List<String> blocks(String language) throws IOException {
    Matcher block =
        Pattern.compile("(?s) *```" + language + "\n(.*?)```").matcher(Files.readString(PAGE));
    List<String> all = new ArrayList<>();
    while (block.find()) {
      all.add(block.group(1).indent(-3));
    }
    return all;
  }

  @Test
  void theGraphOfOnesOwnIsASeries() throws Exception {
    List<String> sql = blocks("sql");
    assertEquals(1, sql.size());
    try (ReportsDatabase database = ReportsDatabase.start()) {
      PostgresReports.createTables(database.config(), Dashboards.analyses());
      Instant to = Instant.parse("2026-11-21T12:00:00Z");
      Instant from = to.minusSeconds(600);
      database.write(
          "INSERT INTO report_series_by_port (window_start, window_end, revision, row_key,"
              + " row_number, port_name, estimated_bytes) VALUES ('2026-11-21T11:58:00Z',"
              + " '2026-11-21T11:59:00Z', 3, 'k', 1, 'https', 600)");
      try (Connection reader = database.asReader();
          Statement statement = reader.createStatement();
          ResultSet row =
              statement.executeQuery(
                  new Expansion(from, to, Duration.ofMinutes(1)).sql(sql.get(0)))) {
        assertTrue(row.next());
        assertEquals("https", row.getString("metric"));
        assertEquals(80, row.getDouble("value"));
      }
    }
  }

  @Test
  void theAnalysisOfOnesOwnIsRight() throws IOException {
    String text =
        blocks("yaml").stream().filter(y -> y.startsWith("name: ")).findFirst().orElseThrow();
    Files.copy(
        ReportsDatabase.GRAFANA.resolve("analyses").resolve("series_by_protocol.yaml"),
        folder.resolve("series_by_protocol.yaml"));
    AnalysisConfig analysis =
        AnalysisConfig.read(Files.writeString(folder.resolve("series_by_vlan.yaml"), text));
    JobAnalyses.check(List.of(analysis));
    assertTrue(analysis.live().query().contains("GROUP BY vlan"), analysis.live().query());
  }
}
