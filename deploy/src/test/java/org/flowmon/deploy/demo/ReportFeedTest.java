package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.ingest.synthetic.Incidents;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportFeedTest {
  private static final String DAY = "2026-01-05T10:00:";

  @TempDir Path directory;

  @Test
  void windowsAreToldInOrderWithWhatTheyWereComparedWith() throws Exception {
    List<String> lines = new ArrayList<>();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory.resolve("postgres"));
        Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement sql = connection.createStatement();
        ReportFeed feed = new ReportFeed(postgres, Detection.none(), lines::add)) {
      assertEquals(0, feed.poll());
      assertEquals(Map.of(), feed.counts());
      sql.execute(
          "CREATE TABLE flowmon_windows (analysis text, window_start timestamptz, window_end"
              + " timestamptz, revision integer, row_count integer, history text)");
      sql.execute(
          "CREATE TABLE report_elephants (window_start timestamptz, window_end timestamptz,"
              + " row_number integer, src_addr inet, days_used bigint, verdict text)");
      sql.execute(
          "CREATE TABLE report_talkers (window_start timestamptz, window_end timestamptz,"
              + " row_number integer, src_addr inet)");
      window(sql, "elephants", 30, 2, "exact");
      row(sql, 30, "10.0.0.1", 7, "usual");
      row(sql, 30, "10.0.0.2", 7, "new");
      assertEquals(1, feed.poll());
      window(sql, "elephants", 20, 1, "exact");
      row(sql, 20, "10.0.0.1", 0, "no_history");
      window(sql, "talkers", 20, 1, "exact");
      sql.execute(
          "INSERT INTO report_talkers VALUES ('" + DAY + "10Z', '" + DAY + "20Z', 1, '::1')");
      assertEquals(2, feed.poll());
      window(sql, "elephants", 40, 0, "timeout");
      assertEquals(1, feed.poll());
      List<String> first =
          List.of(
              "elephants 2026-01-05T10:00:10Z + 10 s: 1 row, nothing new, no past day in history",
              "talkers 2026-01-05T10:00:10Z + 10 s: 1 row, history exact",
              "    src_addr ::1",
              "elephants 2026-01-05T10:00:20Z + 10 s: 2 rows, 1 new, history exact over 7 past"
                  + " days",
              "    src_addr 10.0.0.2  days_used 7  verdict new");
      assertEquals(first, lines);
      feed.flush();
      assertEquals(first, lines.subList(0, first.size()));
      assertEquals(
          List.of("elephants 2026-01-05T10:00:30Z + 10 s: 0 rows, history timeout"),
          lines.subList(first.size(), lines.size()));
      lines.clear();
      window(sql, "elephants", 50, 3, "exact");
      row(sql, 50, "10.0.0.3", 7, "scan");
      row(sql, 50, "10.0.0.4", 7, "known");
      row(sql, 50, "10.0.0.5", 7, "new");
      assertEquals(1, feed.poll());
      feed.flush();
      assertEquals(
          List.of(
              "elephants 2026-01-05T10:00:40Z + 10 s: 3 rows, 1 new, 1 scan, history exact over 7"
                  + " past days",
              "    src_addr 10.0.0.3  days_used 7  verdict scan",
              "    src_addr 10.0.0.5  days_used 7  verdict new"),
          lines);
      lines.clear();
      String name = "a_column_whose_name_is_rather_long_";
      sql.execute(
          "CREATE TABLE report_wide AS SELECT window_start, window_end, row_number, 1 AS %sa, 2 AS %sb,"
                  .formatted(name, name)
              + " 3 AS %sc FROM report_talkers".formatted(name));
      sql.execute(
          "CREATE TABLE report_rates AS SELECT window_start, window_end, row_number,"
              + " 0.0231::float8 AS share, 17172000.4::float8 AS rate FROM report_talkers");
      window(sql, "rates", 20, 1, "none");
      window(sql, "wide", 20, 1, "exact");
      assertEquals(2, feed.poll());
      feed.flush();
      assertEquals(
          List.of(
              "rates 2026-01-05T10:00:10Z + 10 s: 1 row, nothing to compare",
              "    share 0.0231  rate 17,172,000",
              "wide 2026-01-05T10:00:10Z + 10 s: 1 row, history exact",
              "    %sa 1".formatted(name),
              "        %sb 2".formatted(name),
              "        %sc 3".formatted(name)),
          lines);
      sql.execute("DELETE FROM flowmon_windows WHERE analysis IN ('rates', 'wide')");
      sql.execute("DELETE FROM report_elephants WHERE window_end = '" + DAY + "50Z'");
      sql.execute("DELETE FROM flowmon_windows WHERE window_end = '" + DAY + "50Z'");
      assertEquals(
          Map.of(
              "elephants",
              new DemoSummary.Reported(3, 3, Map.of("new", 1L, "usual", 1L, "no_history", 1L)),
              "talkers",
              new DemoSummary.Reported(1, 1, Map.of())),
          feed.counts());
    }
  }

  @Test
  void whatIsPlantedIsToldOnceAndQuietWindowsNotAtAll() throws Exception {
    List<String> lines = new ArrayList<>();
    Incidents truth = new TrafficModel(7, TrafficOptions.demo()).incidents();
    Detection detection = new Detection(truth, lines::add);
    detection.begin(Instant.parse(DAY + "00Z").toEpochMilli(), Duration.ofSeconds(60));
    String talker = truth.newHeavyTalker().toString();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory.resolve("postgres"));
        Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement sql = connection.createStatement();
        ReportFeed feed = new ReportFeed(postgres, detection, lines::add)) {
      sql.execute(
          "CREATE TABLE flowmon_windows (analysis text, window_start timestamptz, window_end"
              + " timestamptz, revision integer, row_count integer, history text)");
      sql.execute(
          "CREATE TABLE report_elephants (window_start timestamptz, window_end timestamptz,"
              + " row_number integer, src_addr inet, days_used bigint, verdict text)");
      window(sql, "elephants", 10, 1, "exact");
      row(sql, 10, "198.18.0.1", 7, "usual");
      window(sql, "elephants", 20, 1, "exact");
      row(sql, 20, talker, 7, "new");
      window(sql, "elephants", 30, 2, "exact");
      row(sql, 30, talker, 7, "new");
      row(sql, 30, "198.18.0.7", 7, "new");
      feed.poll();
      feed.flush();
      assertEquals(1, lines.stream().filter(line -> line.contains("FOUND")).count(), lines + "");
      assertEquals(
          1,
          lines.stream().filter(line -> line.contains("src_addr " + talker)).count(),
          lines + "");
      assertEquals(
          2, lines.stream().filter(line -> line.startsWith("elephants ")).count(), lines + "");
      assertEquals(Set.of("heavy_talker"), detection.score().found().keySet());
      assertEquals(Set.of("elephants 198.18.0.7"), detection.score().falses());
    }
  }

  private static void window(Statement sql, String analysis, int end, int rows, String history)
      throws Exception {
    sql.execute(
        String.format(
            "INSERT INTO flowmon_windows VALUES ('%s', '%s%dZ', '%s%dZ', 1, %d, '%s')",
            analysis, DAY, end - 10, DAY, end, rows, history));
  }

  private static void row(Statement sql, int end, String source, int days, String verdict)
      throws Exception {
    sql.execute(
        String.format(
            "INSERT INTO report_elephants VALUES ('%s%dZ', '%s%dZ', 1, '%s', %d, '%s')",
            DAY, end - 10, DAY, end, source, days, verdict));
  }
}
