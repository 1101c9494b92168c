package org.flowmon.jobs.sink.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.TestReports;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which reports stay in the database, and the indexes that find them. */
class ReportRetentionTest {
  private static TestPostgres database;

  @BeforeAll
  static void start() throws IOException {
    database = new TestPostgres();
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    database.empty();
  }

  private static String value(String sql) throws SQLException {
    return database.rows(sql).get(0);
  }

  private static long count(String table) throws SQLException {
    return Long.parseLong(value("SELECT count(*) FROM " + table));
  }

  private static PostgresStore store(String user, @Nullable Duration retention) {
    String url = database.config().url();
    return new PostgresStore(new JobConfig.Postgres(url, user, null, retention));
  }

  private static Report at(String analysis, long seconds, Object... rows) {
    Report report = TestReports.report(Report.FINAL, rows);
    long micros = seconds * TestReports.SECOND;
    return new Report(
        analysis,
        null,
        report.windowStart() + micros,
        report.windowEnd() + micros,
        Report.FINAL,
        report.columns(),
        report.rows(),
        report.confidence(),
        List.of());
  }

  @Test
  void reportsOlderThanTheRetentionGoWithTheirRowsAndNoOthers() throws Exception {
    try (PostgresStore store = store("postgres", Duration.ofHours(1))) {
      for (String analysis : List.of("elephants", "mice")) {
        for (int second = 0; second < 60; second += 10) {
          store.store(at(analysis, second, "10.0.0.1", 1, "10.0.0.2", 2));
        }
      }
      // a window that ended exactly an hour before the newest stays
      store.store(at("elephants", 3600 + 30, "10.0.0.3", 3));
    }
    assertEquals(
        "00:30, 00:40, 00:50, 00:30",
        value(
            "SELECT string_agg(to_char(window_end AT TIME ZONE 'UTC', 'MI:SS'), ', ' ORDER BY"
                + " window_end) FROM flowmon_windows WHERE analysis = 'elephants'"));
    assertEquals("7", value("SELECT count(*) FROM report_elephants"));
    assertEquals("12", value("SELECT count(*) FROM report_mice"));
    assertEquals("6", value("SELECT count(*) FROM flowmon_windows WHERE analysis = 'mice'"));
  }

  @Test
  void withoutARetentionReportsStay() throws Exception {
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
      store.store(at("elephants", 10 * 365 * 86_400, "10.0.0.1", 1));
    }
    assertEquals("2", value("SELECT count(*) FROM report_elephants"));
  }

  @Test
  void eachStepIsBoundedAndStepsReachTheEnd() throws Exception {
    try (PostgresStore store = store("postgres", Duration.ofHours(1))) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
      // 3,000 windows, of one row but for one of 30,000
      database.execute(
          """
          INSERT INTO flowmon_windows
          SELECT (json_populate_record(w, json_build_object('window_end', w.window_end - n * interval '1 s',
            'window_start', w.window_start - n * interval '1 s', 'row_count', CASE n WHEN 2500 THEN 30000 ELSE 1 END))).*
          FROM flowmon_windows w, generate_series(1, 3000) n;
          INSERT INTO report_elephants (window_start, window_end, revision, row_key, row_number)
          SELECT w.window_start, w.window_end, 3, i::text, i FROM flowmon_windows w,
            LATERAL generate_series(1, w.row_count) i WHERE w.window_end < (SELECT max(window_end) FROM flowmon_windows)
          """);
      assertEquals("33000", value("SELECT count(*) FROM report_elephants"));
      List<Long> steps = new ArrayList<>();
      do {
        long windows = count("flowmon_windows");
        long rows = count("report_elephants");
        store.store(at("elephants", 4000 + steps.size(), "10.0.0.1", 1));
        long goneWindows = windows + 1 - count("flowmon_windows");
        long goneRows = rows + 1 - count("report_elephants");
        assertTrue(goneWindows <= ReportRetention.MAX_WINDOWS, "windows in step " + steps);
        assertTrue(
            goneRows <= ReportRetention.MAX_ROWS || goneWindows == 1, "rows in step " + steps);
        steps.add(goneWindows);
      } while (steps.get(steps.size() - 1) > 0);
      assertEquals(
          List.of(500L, 1L, 1000L, 1000L, 500L, 0L),
          steps,
          "those older than the large one, that one alone, the others");
    }
    assertEquals(
        value("SELECT count(*) FROM flowmon_windows"),
        value("SELECT count(*) FROM report_elephants"));
    assertEquals(
        "0",
        value("SELECT count(*) FROM flowmon_windows WHERE window_end < '2026-11-21T10:00:00Z'"));
  }

  @Test
  void indexesFindARowKeyAndAnAddress() throws Exception {
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
    }
    assertEquals(
        List.of(
            "flowmon_windows_pkey",
            "flowmon_windows_window_end_by",
            "report_elephants_pkey",
            "report_elephants_row_key_by",
            "report_elephants_src_addr_by"),
        database.rows("SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"));
    database.execute(
        """
        INSERT INTO report_elephants (window_start, window_end, revision, row_key, row_number, src_addr)
        SELECT window_start, window_end + n * interval '1 s', 3, (n % 1000)::text, 1, '10.0.0.0'::inet + n % 1000
        FROM report_elephants, generate_series(1, 50000) n;
        ANALYZE report_elephants
        """);
    assertTrue(
        String.join(
                "\n",
                database.rows("EXPLAIN SELECT * FROM report_elephants WHERE src_addr = '10.0.0.7'"))
            .contains("report_elephants_src_addr_by"));
    assertTrue(
        String.join(
                "\n",
                database.rows(
                    "EXPLAIN SELECT min(window_end) FROM report_elephants WHERE row_key = '7'"))
            .contains("report_elephants_row_key_by"));
  }

  @Test
  void aTableOfAnEarlierBuildGetsThem() throws Exception {
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
    }
    database.execute(
        "DROP INDEX report_elephants_src_addr_by, report_elephants_row_key_by,"
            + " flowmon_windows_window_end_by");
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 10, "10.0.0.1", 1));
    }
    assertEquals("5", value("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'"));
  }

  @Test
  void reportsDoNotWaitForAnIndexOfALargeTable() throws Exception {
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
    }
    // One row in each page of 8 KiB: more than 64 MiB.
    database.execute(
        """
        DROP INDEX report_elephants_src_addr_by;
        ALTER TABLE report_elephants ADD COLUMN filler text;
        ALTER TABLE report_elephants ALTER COLUMN filler SET STORAGE PLAIN, SET UNLOGGED;
        INSERT INTO report_elephants (window_start, window_end, revision, row_key, row_number, filler)
        SELECT window_start, window_end + n * interval '1 s', 3, '', 1, repeat('x', 7000)
        FROM report_elephants, generate_series(1, 8300) n
        """);
    try (PostgresStore store = store("postgres", null)) {
      assertTrue(store.store(at("elephants", 10, "10.0.0.1", 1)));
    }
    assertEquals("4", value("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'"));
    database.execute("TRUNCATE report_elephants");
    try (PostgresStore store = store("postgres", null)) {
      assertTrue(store.store(at("elephants", 20, "10.0.0.1", 1)));
    }
    assertEquals("5", value("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'"));
  }

  @Test
  void aRoleThatDoesNotOwnTheTableWritesWithoutThem() throws Exception {
    try (PostgresStore store = store("postgres", null)) {
      store.store(at("elephants", 0, "10.0.0.1", 1));
    }
    database.execute(
        """
        DROP INDEX report_elephants_src_addr_by;
        DROP ROLE IF EXISTS flowmon_writer;
        CREATE ROLE flowmon_writer LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO flowmon_writer
        """);
    try (PostgresStore store = store("flowmon_writer", null)) {
      assertTrue(store.store(at("elephants", 10, "10.0.0.1", 1)));
    }
    assertEquals("2", value("SELECT count(*) FROM report_elephants"));
    assertEquals("4", value("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'"));
  }

  @Test
  void aTableOfAnotherRoleNeedsNoCommentOnItsLists() throws Exception {
    Report report = TestReports.withLists(true);
    String table = PostgresTable.nameOf(report.analysis());
    try (PostgresStore store = store("postgres", null)) {
      store.store(report);
    }
    database.execute(
        """
        COMMENT ON COLUMN %s.ports IS NULL;
        DROP ROLE IF EXISTS flowmon_writer;
        CREATE ROLE flowmon_writer LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO flowmon_writer
        """
            .formatted(table));
    try (PostgresStore store = store("flowmon_writer", null)) {
      assertTrue(store.store(report));
    }
    String comments =
        "SELECT count(*) FROM pg_description WHERE objoid = '" + table + "'::regclass";
    assertEquals("0", value(comments));
    try (PostgresStore store = store("postgres", null)) {
      assertTrue(store.store(report));
    }
    assertEquals("1", value(comments), "an owner comments what lacks it");
  }

  @Test
  void tablesOfTheJobsAnalysesAreThereBeforeTheirFirstReport() throws Exception {
    database.execute("CREATE TABLE report_mice (window_start text)");
    try (PostgresStore store = store("postgres", null)) {
      store.createTables(AnalysisConfig.offered());
    }
    assertEquals("0", value("SELECT count(*) FROM report_ddos"));
    assertEquals("0", value("SELECT count(*) FROM report_traffic_by_as"));
    assertEquals(
        String.valueOf(AnalysisConfig.offered().size()),
        value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'report%'"));
  }

  @Test
  void longNamesOfIndexesStayApart() {
    String table = "report_" + "a".repeat(48);
    String first = PostgresTable.indexName(table, "source_address");
    String second = PostgresTable.indexName(table, "source_addresses");
    assertEquals(63, first.length());
    assertTrue(!first.equals(second), first);
  }
}
