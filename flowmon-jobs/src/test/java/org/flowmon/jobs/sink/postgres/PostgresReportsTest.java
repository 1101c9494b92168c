package org.flowmon.jobs.sink.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresReportsTest {
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

  private static PostgresReportWriter writer(int port) {
    return new PostgresReportWriter(
        new PostgresStore(TestPostgres.config(port)),
        new UnregisteredMetricsGroup(),
        new WallClock());
  }

  private static PostgresReportWriter writer() {
    return writer(database.port());
  }

  private static void write(PostgresReportWriter writer, Report... reports) throws Exception {
    for (Report report : reports) {
      writer.write(report, null);
    }
    writer.flush(false);
  }

  @Test
  void aTableHasTheReportsColumnsInTypesOfTheDatabase() throws Exception {
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.report(Report.FINAL, "192.0.2.1", 5, "2001:db8::1", 7, null, 9));
    }
    assertEquals(
        List.of(
            "192.0.2.1\t18446744073709551621\t5\t0.25\t90.000001\tt\ta \"new\" one\n",
            "2001:db8::1\t18446744073709551623\t7\t0.25\t90.000001\tt\ta \"new\" one\n",
            "null\t18446744073709551625\t9\t0.25\t90.000001\tt\ta \"new\" one\n"),
        database.rows(
            "SELECT host(src_addr), bytes, flows, share, extract(epoch from longest), outgoing,"
                + " verdict FROM report_elephants ORDER BY row_number"));
    assertEquals(
        List.of("inet\tnumeric(39,0)\tbigint\ttimestamp with time zone"),
        database.rows(
            "SELECT format_type(a.atttypid, a.atttypmod), format_type(b.atttypid, b.atttypmod),"
                + " format_type(c.atttypid, c.atttypmod), format_type(d.atttypid, d.atttypmod)"
                + " FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d"
                + " WHERE a.attrelid = 'report_elephants'::regclass AND a.attname = 'src_addr'"
                + " AND b.attrelid = a.attrelid AND b.attname = 'bytes'"
                + " AND c.attrelid = a.attrelid AND c.attname = 'flows'"
                + " AND d.attrelid = a.attrelid AND d.attname = 'first_seen'"));
    assertEquals(
        List.of("192.0.2.1\t2026-11-21 10:00:00\t2026-11-21 10:00:00.000001"),
        database.rows(
            "SELECT row_key, window_end AT TIME ZONE 'UTC', first_seen AT TIME ZONE 'UTC'"
                + " FROM report_elephants WHERE src_addr << '192.0.2.0/24'"));
    assertEquals(
        List.of("elephants\t3\t3\texact\t1000\t3\t2\t1"),
        database.rows(
            "SELECT analysis, revision, row_count, history, flows, late_flows, ahead_flows,"
                + " lost_flows FROM flowmon_windows"));
  }

  @Test
  void aRevisionReplacesOlderAndEqualOnesWithAllTheirRows() throws Exception {
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.report(Report.PROVISIONAL, "10.0.0.1", 1, "10.0.0.2", 2));
      write(writer, TestReports.report(Report.FINAL, "10.0.0.2", 3));
      assertEquals(
          List.of("10.0.0.2\t3\t3"),
          database.rows("SELECT row_key, flows, revision FROM report_elephants"));
      // a restart's report with less history changes nothing
      write(writer, TestReports.report(Report.PARTIAL, "10.0.0.9", 9));
      assertEquals(List.of("10.0.0.2"), database.rows("SELECT row_key FROM report_elephants"));
      // a final report without rows leaves none
      write(writer, TestReports.report(Report.FINAL));
    }
    assertEquals(List.of(), database.rows("SELECT * FROM report_elephants"));
    assertEquals(List.of("3\t0"), database.rows("SELECT revision, row_count FROM flowmon_windows"));
  }

  @Test
  void whatHoldsMoreFlowsReplacesWhatRestsOnMoreHistory() throws Exception {
    Report first = TestReports.report(Report.FINAL, "192.0.2.1", 5, "192.0.2.2", 4);
    Report later = TestReports.report(Report.UPDATE + Report.PROVISIONAL, "192.0.2.3", 6);
    String rows = "SELECT row_key, revision FROM report_elephants ORDER BY row_number";
    try (PostgresReportWriter writer = writer()) {
      write(writer, first, later, first);
      assertEquals(List.of("192.0.2.3\t5"), database.rows(rows));
      write(writer, TestReports.report(Report.UPDATE + Report.FINAL, "192.0.2.4", 6));
      assertEquals(List.of("192.0.2.4\t7"), database.rows(rows));
    }
  }

  @Test
  void aTableOfWindowsThatWasMadeBeforeResultsWereRevisedGetsTheirColumns() throws Exception {
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.report(Report.FINAL, "192.0.2.1", 5));
    }
    database.execute(
        "ALTER TABLE flowmon_windows DROP COLUMN arrived_through, DROP COLUMN final_at");
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.report(Report.UPDATE + Report.FINAL, "192.0.2.1", 6));
    }
    assertEquals(
        List.of("7\t00:00:00\t00:01:00"),
        database.rows(
            "SELECT revision, arrived_through - window_end, final_at - window_end"
                + " FROM flowmon_windows"));
  }

  @Test
  void aTableOfWindowsThatWasMadeBeforeGroupsWereEstimatedGetsTheirColumns() throws Exception {
    database.execute(
        """
        CREATE TABLE flowmon_windows (
          analysis text NOT NULL,
          window_start timestamptz NOT NULL,
          window_end timestamptz NOT NULL,
          revision integer NOT NULL,
          row_count integer NOT NULL,
          history text NOT NULL,
          as_of timestamptz,
          history_from timestamptz,
          history_through timestamptz,
          arrived_through timestamptz,
          final_at timestamptz,
          flows bigint NOT NULL,
          late_flows bigint NOT NULL,
          ahead_flows bigint NOT NULL,
          lost_flows bigint NOT NULL,
          sampled_flows bigint NOT NULL DEFAULT 0,
          sampling_rate bigint NOT NULL DEFAULT 0,
          group_sampling double precision NOT NULL DEFAULT 1,
          message text,
          written_at timestamptz NOT NULL,
          PRIMARY KEY (analysis, window_end, window_start))
        """);
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.approximate());
    }
    assertEquals(
        List.of("elephants\t1\tnull\t2"),
        database.rows(
            "SELECT analysis, row_count, groups, jsonb_array_length(approximate)"
                + " FROM flowmon_windows"));
  }

  @Test
  void repeatsInAnyOrderEndWithTheSameRows() throws Exception {
    long seed = 7;
    List<Report> reports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      reports.add(TestReports.report(Report.PROVISIONAL, "10.0.0.1", 1));
      reports.add(TestReports.report(Report.PARTIAL, "10.0.0.1", 1, "10.0.0.2", 2));
      reports.add(TestReports.report(Report.FINAL, "10.0.0.3", 3, "10.0.0.4", 4));
    }
    for (int round = 0; round < 5; round++) {
      empty();
      Collections.shuffle(reports, new Random(seed + round));
      try (PostgresReportWriter writer = writer()) {
        write(writer, reports.toArray(Report[]::new));
      }
      assertEquals(
          List.of("10.0.0.3\t3", "10.0.0.4\t3"),
          database.rows("SELECT row_key, revision FROM report_elephants ORDER BY row_number"),
          "seed " + (seed + round));
    }
  }

  @Test
  void twoWritersOfOneTableNeitherCollideNorMixTheirRows() throws Exception {
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                try (PostgresReportWriter writer = writer()) {
                  for (int i = 0; i < 50; i++) {
                    write(
                        writer,
                        TestReports.report(
                            Report.FINAL, "10." + number + ".0.1", i, "10." + number + ".0.2", i));
                  }
                } catch (Throwable e) {
                  failures.add(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), failures);
    assertEquals(
        List.of("2\t1\t49"),
        database.rows(
            "SELECT count(*), count(DISTINCT network(set_masklen(src_addr, 16))), min(flows)"
                + " FROM report_elephants"));
  }

  @Test
  void aLostConnectionLosesNoReport() throws Exception {
    try (Proxy proxy = new Proxy(database.port());
        PostgresReportWriter writer = writer(proxy.port())) {
      write(writer, TestReports.report(Report.PROVISIONAL, "10.0.0.1", 1));
      proxy.cut(3);
      write(writer, TestReports.report(Report.PARTIAL, "10.0.0.1", 2));
      assertEquals(List.of("2"), database.rows("SELECT flows FROM report_elephants"));
      // the server ends the session itself
      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name = 'flowmon'");
      write(writer, TestReports.report(Report.FINAL, "10.0.0.1", 3));
    }
    assertEquals(List.of("3"), database.rows("SELECT flows FROM report_elephants"));
  }

  @Test
  void aTableOfAnotherTypeIsNamedWithWhatToDoAndHoldsUpNoOther() throws Exception {
    database.execute("CREATE TABLE report_elephants (window_start timestamptz, src_addr text)");
    Report report = TestReports.report(Report.FINAL, "10.0.0.1", 1);
    try (PostgresStore store = new PostgresStore(database.config())) {
      PostgresRejectedException e =
          assertThrows(PostgresRejectedException.class, () -> store.store(report));
      assertTrue(
          e.getMessage().contains("table report_elephants: column src_addr is text"),
          e.getMessage());
      assertTrue(e.getMessage().contains("RENAME TO report_elephants_old"), e.getMessage());
    }
    try (PostgresReportWriter writer = writer()) {
      Report other =
          new Report(
              "mice",
              null,
              report.windowStart(),
              report.windowEnd(),
              Report.FINAL,
              report.columns(),
              report.rows(),
              report.confidence(),
              List.of());
      write(writer, report, other, report);
      database.execute("ALTER TABLE report_elephants RENAME TO report_elephants_old");
      write(writer, report);
    }
    assertEquals(List.of("10.0.0.1"), database.rows("SELECT row_key FROM report_mice"));
    assertEquals(List.of("10.0.0.1"), database.rows("SELECT row_key FROM report_elephants"));
  }

  @Test
  void whatIsApproximateIsStoredWithItsBoundAndExactQuery() throws Exception {
    database.execute("DROP TABLE IF EXISTS flowmon_windows");
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.approximate());
    }
    String select = "SELECT approximate->0->>'%s' FROM flowmon_windows";
    assertEquals(List.of("12.5"), database.rows(select.formatted("bound")));
    assertEquals(List.of("ranks"), database.rows(select.formatted("bound_of")));
    assertTrue(database.rows(select.formatted("exact")).get(0).contains("service = 'a\"b'"));
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.report(Report.FINAL + Report.UPDATE, "192.0.2.1", 5));
    }
    assertEquals(
        List.of("1"),
        database.rows("SELECT count(*) FROM flowmon_windows WHERE approximate IS NULL"));
  }

  @Test
  void theVersionsOfJoinedFilesAreStored() throws Exception {
    database.execute("DROP TABLE IF EXISTS flowmon_windows");
    try (PostgresReportWriter writer = writer()) {
      write(writer, TestReports.enriched());
    }
    assertEquals(
        List.of("networks /n.csv of 2"),
        database.rows("SELECT enrichment->>1 FROM flowmon_windows"));
  }

  @Test
  void aColumnThatAnAnalysisGainsIsAddedToItsTable() throws Exception {
    Report report = TestReports.report(Report.FINAL, "10.0.0.1", 1);
    ResultTable.Builder rows = new ResultTable.Builder().column("src_addr", ValueKind.ADDRESS);
    rows.row().set(0, 0, report.rows().address(0, 0).lo());
    Report narrow =
        new Report(
            "elephants",
            null,
            report.windowStart(),
            report.windowEnd(),
            Report.FINAL,
            List.of(ReportColumn.key("src_addr", ValueKind.ADDRESS)),
            rows.build(),
            report.confidence(),
            List.of());
    try (PostgresReportWriter writer = writer()) {
      write(writer, narrow, report);
    }
    assertEquals(List.of("1"), database.rows("SELECT flows FROM report_elephants"));
  }

  @Test
  void aTableThatIsDroppedOrAlteredWhileRunningIsMadeAgainAndLosesNoReport() throws Exception {
    Report report = TestReports.report(Report.FINAL, "10.0.0.1", 1);
    try (PostgresStore store = new PostgresStore(database.config())) {
      for (String change :
          List.of(
              "DROP TABLE report_elephants",
              "ALTER TABLE report_elephants DROP COLUMN flows",
              "DROP TABLE flowmon_windows",
              "DROP TABLE report_elephants, flowmon_windows")) {
        assertTrue(store.store(report));
        database.execute(change);
        assertTrue(store.store(report), change);
        assertEquals(
            List.of("10.0.0.1\t1"), database.rows("SELECT row_key, flows FROM report_elephants"));
        assertEquals(
            List.of("elephants\t1"),
            database.rows("SELECT analysis, row_count FROM flowmon_windows"));
      }
      database.execute("ALTER TABLE report_elephants ALTER COLUMN src_addr TYPE bytea USING NULL");
      PostgresRejectedException e =
          assertThrows(PostgresRejectedException.class, () -> store.store(report));
      assertTrue(e.getMessage().contains("column src_addr is bytea"), e.getMessage());
    }
  }

  @Test
  void namesThatCouldNotBeColumnsAreRefused() {
    for (String name : List.of("x\"; DROP TABLE y; --", "SUM(bytes)", "", "window_end", "Bytes")) {
      assertThrows(
          IllegalArgumentException.class, () -> ReportColumn.of(name, ValueKind.LONG), name);
    }
    assertFalse(ReportColumn.of("order", ValueKind.LONG).key()); // quoted, so a keyword may be
  }

  /** The clock of this machine; timers are left to {@code flush}. */
  static final class WallClock implements ProcessingTimeService {
    @Override
    public long getCurrentProcessingTime() {
      return System.currentTimeMillis();
    }

    @Override
    public ScheduledFuture<?> registerTimer(long time, ProcessingTimeCallback target) {
      return null;
    }
  }

  /** Passes connections on to the database, and can cut them. */
  private static final class Proxy implements AutoCloseable {
    private final ServerSocket server;
    private final int target;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger refuse = new AtomicInteger();

    Proxy(int target) throws IOException {
      this.target = target;
      this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      start(this::accept);
    }

    int port() {
      return server.getLocalPort();
    }

    /** Cuts open connections, and refuses the next ones. */
    void cut(int refuseNext) throws IOException {
      refuse.set(refuseNext);
      for (Socket socket : open) {
        socket.close();
      }
    }

    private void accept() throws IOException {
      while (true) {
        Socket client = server.accept();
        if (refuse.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
          client.close();
          continue;
        }
        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(upstream);
        start(() -> copy(client, upstream));
        start(() -> copy(upstream, client));
      }
    }

    private static void copy(Socket from, Socket to) throws IOException {
      try (InputStream in = from.getInputStream();
          OutputStream out = to.getOutputStream()) {
        in.transferTo(out);
      }
    }

    private interface Task {
      void run() throws IOException;
    }

    private static void start(Task task) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  task.run();
                } catch (IOException e) {
                  // closed, as the test wants
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      server.close();
      cut(0);
    }
  }
}
