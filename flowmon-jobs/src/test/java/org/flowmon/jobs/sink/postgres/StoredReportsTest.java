package org.flowmon.jobs.sink.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.sink.postgres.StoredReports.Asked;
import org.flowmon.jobs.sink.postgres.StoredReports.Stored;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is read from PostgreSQL is what Kafka has of the same reports. */
class StoredReportsTest {
  private static final Asked ALL =
      new Asked(Optional.empty(), Long.MIN_VALUE, Long.MAX_VALUE, true);
  private static final long BYTES = 1 << 20;

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

  private static void store(Report... reports) throws Exception {
    try (PostgresStore store = new PostgresStore(database.config())) {
      for (Report report : reports) {
        store.store(report);
      }
    }
  }

  /** The same of another analysis and window. */
  private static Report of(Report report, String analysis, long end) {
    long width = report.windowEnd() - report.windowStart();
    return new Report(
        analysis,
        null,
        end - width,
        end,
        report.revision(),
        report.columns(),
        report.rows(),
        report.confidence(),
        report.approximations());
  }

  private static List<ReportRow> inKafka(Report report) throws IOException {
    List<ReportRow> rows = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    ReportJson.lines(report, lines::add);
    for (String line : lines) {
      rows.add(ReportRow.parse(line.getBytes(StandardCharsets.UTF_8)));
    }
    return rows;
  }

  private static List<ReportRow> rows(Stored stored) throws IOException {
    List<ReportRow> rows = new ArrayList<>();
    for (byte[] message : stored.messages()) {
      rows.add(ReportRow.parse(message));
    }
    return rows;
  }

  @Test
  void aReportHasTheMessagesThatKafkaHasOfIt() throws Exception {
    Report[] reports = {
      of(TestReports.report(Report.FINAL, "192.0.2.1", 5, "::ffff:1:2", 7, null, 9), "a", 20),
      of(TestReports.report(Report.FINAL), "b", 21),
      of(TestReports.enriched(), "c", 22),
      of(TestReports.approximate("192.0.2.1", 5, "192.0.2.2", 6), "d", 23),
      of(TestReports.withLists(true), "e", 24),
      of(TestReports.withLists(false), "f", 25)
    };
    store(reports);
    try (StoredReports stored = new StoredReports(database.config())) {
      List<Stored> found = stored.newest(ALL, 1, 100, BYTES).reports();
      assertEquals(reports.length, found.size());
      for (int i = 0; i < reports.length; i++) {
        Stored one = found.get(reports.length - 1 - i);
        assertEquals(inKafka(reports[i]), rows(one), reports[i].analysis());
        assertEquals(reports[i].windowEnd(), one.end());
        assertFalse(one.isUpdated());
      }
      String message = new String(found.get(1).messages().get(0), StandardCharsets.UTF_8);
      assertTrue(message.startsWith("{\"version\":3,"), message);
      assertTrue(message.contains("\"ports\":[{\"item\""), message);
      assertTrue(message.contains("\\u202e"), message);
    }
  }

  @Test
  void whatIsAskedForIsFoundAndNothingElse() throws Exception {
    long seed = 5;
    Random random = new Random(seed);
    List<Report> all = new ArrayList<>();
    for (String analysis : List.of("ab", "a_b", "b", "c")) {
      for (int end = 1; end <= 12; end++) {
        if (random.nextBoolean()) {
          Report report =
              random.nextBoolean()
                  ? TestReports.report(Report.FINAL)
                  : TestReports.report(Report.FINAL, "10.0.0.1", end);
          all.add(of(report, analysis, 1_000_000L * end));
        }
      }
    }
    store(all.toArray(Report[]::new));
    all.sort(
        Comparator.comparingLong(Report::windowEnd).reversed().thenComparing(Report::analysis));
    try (StoredReports stored = new StoredReports(database.config())) {
      for (int i = 0; i < 200; i++) {
        Optional<String> analysis = random.nextBoolean() ? Optional.of("a_b") : Optional.empty();
        long from = random.nextInt(4) == 0 ? Long.MIN_VALUE : 500_000L * random.nextInt(26);
        long to = random.nextInt(4) == 0 ? Long.MAX_VALUE : 500_000L * random.nextInt(26);
        boolean withEmpty = random.nextBoolean();
        int most = 1 + random.nextInt(40);
        List<String> expected =
            all.stream()
                .filter(
                    one ->
                        analysis.map(one.analysis()::equals).orElse(true)
                            && one.windowEnd() >= from
                            && one.windowEnd() < to
                            && (withEmpty || one.rows().rowCount() > 0))
                .limit(most)
                .map(one -> one.analysis() + one.windowEnd() + " " + one.rows().rowCount())
                .toList();
        List<String> found =
            stored
                .newest(new Asked(analysis, from, to, withEmpty), 1, most, BYTES)
                .reports()
                .stream()
                .map(one -> one.analysis() + one.end() + " " + one.rows())
                .toList();
        assertEquals(expected, found, "seed " + seed + ", " + i);
      }
    }
  }

  @Test
  void aReportOfMoreFlowsSaysThatItReplacedOne() throws Exception {
    store(TestReports.report(Report.PROVISIONAL), TestReports.report(Report.FINAL));
    try (StoredReports stored = new StoredReports(database.config())) {
      assertFalse(
          stored.newest(ALL, 1, 1, BYTES).reports().get(0).isUpdated(), "of more history alone");
      store(TestReports.report(Report.UPDATE + Report.PROVISIONAL, "10.0.0.1", 6));
      assertTrue(stored.newest(ALL, 1, 1, BYTES).reports().get(0).isUpdated());
      store(TestReports.report(Report.UPDATE + Report.FINAL, "10.0.0.1", 6));
      assertTrue(stored.newest(ALL, 1, 1, BYTES).reports().get(0).isUpdated(), "ever since");
    }
  }

  @Test
  void aDatabaseWithoutReportsOrWithoutATableOfThemIsReadAllTheSame() throws Exception {
    try (StoredReports stored = new StoredReports(database.config())) {
      assertEquals(List.of(), stored.newest(ALL, 1, 10, BYTES).reports());
      store(TestReports.report(Report.FINAL, "10.0.0.1", 1));
      database.execute(
          "DROP TABLE report_elephants; ALTER TABLE flowmon_windows DROP COLUMN final_at,"
              + " DROP COLUMN updated");
      Stored one = stored.newest(ALL, 1, 10, BYTES).reports().get(0);
      assertEquals(1, one.rows());
      String message = new String(one.messages().get(0), StandardCharsets.UTF_8);
      assertTrue(message.contains("\"final_at\":null,\"flows\":1000"), message);
    }
  }

  @Test
  void whatHasNoRoomIsLeftOutOrIfNothingHasRefused() throws Exception {
    for (int end = 1; end <= 3; end++) {
      store(of(TestReports.report(Report.FINAL, "10.0.0.1", end), "a", 1_000_000L * end));
    }
    try (StoredReports stored = new StoredReports(database.config())) {
      StoredReports.Found all = stored.newest(ALL, 1, 10, BYTES);
      assertEquals(3, all.reports().size());
      assertFalse(all.isCut());
      long one = all.reports().get(0).messages().get(0).length;
      StoredReports.Found two = stored.newest(ALL, 2, 10, 2 * one);
      assertTrue(two.isCut());
      assertEquals(
          List.of(3_000_000L, 2_000_000L), two.reports().stream().map(Stored::end).toList());
      assertThrows(StoredReports.TooManyException.class, () -> stored.newest(ALL, 3, 10, 2 * one));
    }
  }

  @Test
  void aReaderThatOnlyLooksWhetherTheDatabaseAnswersLeavesNoTransactionOpen() throws Exception {
    try (StoredReports stored = new StoredReports(database.config())) {
      for (int i = 0; i < 3; i++) {
        stored.mustAnswer();
      }
      assertEquals(
          List.of("idle"),
          database.rows(
              "SELECT string_agg(state, ', ') FROM pg_stat_activity"
                  + " WHERE application_name = 'flowmon'"));
    }
  }

  @Test
  void theReaderChangesNothingAndTakesNoMoreThanItHasRoomFor() throws Exception {
    store(TestReports.report(Report.FINAL, "10.0.0.1", 1, "10.0.0.2", 1));
    try (StoredReports stored = new StoredReports(database.config())) {
      assertThrows(StoredReports.TooManyException.class, () -> stored.newest(ALL, 1, 10, 100));
      stored.mustAnswer();
      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name = 'flowmon'");
      assertEquals(1, stored.newest(ALL, 1, 10, BYTES).reports().size(), "on a new connection");
    }
    try (Connection session = PostgresConnection.open(database.config(), ReadSessions.OPTIONS);
        Statement statement = session.createStatement()) {
      assertEquals(
          "25006",
          assertThrows(SQLException.class, () -> statement.execute("DELETE FROM flowmon_windows"))
              .getSQLState());
    }
  }
}
