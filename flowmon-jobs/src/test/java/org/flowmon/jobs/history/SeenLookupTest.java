package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.Archives;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** SEEN over a real archive: a host is new only if history is there to tell. */
class SeenLookupTest extends HistoryFixture {
  private static final long BEGIN = END - 10 * SECOND; // of the window
  private static final String C = "198.51.100.7";
  private static final String REPORT =
      "SELECT live.src_addr, SEEN(live.src_addr, INTERVAL '%s') AS seen FROM live";

  private FlowTopic topic = TOPIC;

  private static AnalysisConfig analysis(String report, String time, String history) {
    return AnalysisConfig.parse(
        "seen.yaml",
        """
        name: seen
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
          window: 10s
          time: %s
        %s
        report: {query: "%s"}
        """
            .formatted(time, history, report));
  }

  private HistoryQuery query(AnalysisConfig analysis) {
    return new HistoryQuery(
        analysis,
        ReportLogics.seen(analysis),
        DELAY,
        topic,
        disorder,
        Optional.empty(),
        Enrichment.NONE);
  }

  private HistoryAnswer look(AnalysisConfig analysis, WindowResult window, Duration limit)
      throws Exception {
    Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS).close();
    try (Archives archives = opened()) {
      return runOver(archives, query(analysis), window, limit);
    }
  }

  /** The report's rows, and the status and message of its history. */
  private List<String> rows(AnalysisConfig analysis, String... addresses) throws Exception {
    Object[] cells = new Object[2 * addresses.length];
    for (int i = 0; i < addresses.length; i++) {
      cells[2 * i] = addresses[i];
      cells[2 * i + 1] = 100 + i;
    }
    WindowResult window = window(1000, cells);
    HistoryAnswer answer = look(analysis, window, Duration.ofSeconds(60));
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    ResultTable report = logic.report(transferred(new WindowHistory(window, answer)));
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < report.rowCount(); row++) {
      rows.add(report.isNull(row, 1) ? "NULL" : report.formatted(row, 1));
    }
    rows.add(answer.status().text());
    return rows;
  }

  private static WindowHistory transferred(WindowHistory window) throws Exception {
    DataOutputSerializer bytes = new DataOutputSerializer(100);
    WindowHistory.TYPE.createSerializer(null).serialize(window, bytes);
    return WindowHistory.TYPE
        .createSerializer(null)
        .deserialize(new DataInputDeserializer(bytes.getCopyOfBuffer()));
  }

  private static Flow flow(String source, long before) {
    return new Flow(source, BEGIN - before, BEGIN - before + SECOND, 10);
  }

  private static AnalysisConfig days(int days) {
    return analysis(REPORT.formatted(days + " DAY"), "end_time", "");
  }

  @Test
  void aHostIsNewOnlyIfHistoryHoldsAllOfTheTime() throws Exception {
    archive(END + SECOND, flow(A, 100 * DAY), flow(B, 3 * DAY));
    assertEquals(List.of("false", "true", "false", "exact"), rows(days(90), A, B, C));
    // A hundred days ago the archive has nothing but the one flow: it began with it.
    assertEquals(List.of("true", "true", "NULL", "exact"), rows(days(101), A, B, C));
    assertEquals(List.of("false", "false", "false", "exact"), rows(days(2), A, B, C));
    HistoryAnswer answer = look(days(101), window(9, A, 1, C, 1), Duration.ofSeconds(60));
    assertEquals(
        "history does not cover all of the time that SEEN asks for: whether 1 address is new is"
            + " not known",
        answer.message());
    assertTrue(answer.rows().isEmpty());
    assertNull(look(days(90), window(9, A, 1, C, 1), Duration.ofSeconds(60)).message());
  }

  @Test
  void anEmptyArchiveKnowsNobodyAndCallsNobodyNew() throws Exception {
    assertEquals(List.of("NULL", "NULL", "partial"), rows(days(1), A, B));
  }

  @Test
  void anArchiveThatIsBehindKnowsWhomItHasSeenAndCallsNobodyNew() throws Exception {
    archive(BEGIN - SECOND, flow(A, 9 * DAY), flow(B, 2 * DAY));
    assertEquals(List.of("NULL", "true", "partial"), rows(days(5), A, B));
    archive(BEGIN + 1);
    assertEquals(List.of("false", "true", "exact"), rows(days(5), A, B));
  }

  @Test
  void gapsAndWhatHasExpiredAreTimesOfWhichNothingIsKnown() throws Exception {
    archive(END - 20 * DAY, flow(A, 30 * DAY), flow(A, 29 * DAY), flow(B, 25 * DAY));
    commit(new SourceRange("t:0", 11, 12, END - 15 * DAY, END + SECOND, false));
    // Of a clock that is days behind a flow of the gap could be of these days: not quite exact.
    assertEquals(List.of("false", "false", "partial"), rows(days(10), A, C));
    assertEquals(List.of("true", "NULL", "partial"), rows(days(26), B, C));
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      archive.commit(
          ArchiveCommit.ofRetention(
              new RetentionChange(new RetentionOptions(1, 3, 0, 0), Long.MIN_VALUE, false),
              "test"));
    }
    assertEquals("NULL", rows(days(40), A).get(0), "its flows have expired");
    assertEquals("true", rows(days(40), B).get(0));
  }

  @Test
  void importedFilesWithExpiredFlowsCallNobodyNew() throws Exception {
    topic = new FlowTopic("archive", "", 0); // as in a replay
    importFile(flow(A, 8 * DAY), flow(B, 4 * DAY), flow(B, 2 * DAY), new Flow(B, END, END, 1));
    assertEquals(List.of("false", "true", "exact"), rows(days(5), A, B));
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      archive.commit(
          ArchiveCommit.ofRetention(
              new RetentionChange(new RetentionOptions(2, 4, 0, 0), Long.MIN_VALUE, false),
              "test"));
    }
    assertEquals(List.of("NULL", "true", "exact"), rows(days(5), A, B));
  }

  @Test
  void theOperatorLooksUpWithoutAHistoryAndAsksNothingForOtherReports() throws Exception {
    archive(END + SECOND, flow(A, 100 * DAY), flow(B, 3 * DAY));
    AnalysisConfig other =
        AnalysisConfig.parse(
            "other.yaml",
            """
            name: other
            live: {window: 10s, query: 'SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr'}
            report: {logic: live}
            """);
    WindowResult of = window(9, A, 1, B, 2);
    List<WindowResult> windows = new ArrayList<>();
    for (String name : List.of("seen", "other")) {
      windows.add(
          new WindowResult(
              name, of.windowStart(), of.windowEnd(), of.rows(), of.totals(), 2, of.counts()));
    }
    Map<String, HistoryAnswer> answers =
        run(ReportLogics::seen, List.of(days(90), other), windows.toArray(new WindowResult[0]));
    assertEquals(HistoryAnswer.NONE, answers.get("other"));
    assertEquals(HistoryStatus.EXACT, answers.get("seen").status());
    assertEquals(
        "call\taddress\tseen\n0\t" + A + "\tfalse\n0\t" + B + "\ttrue",
        answers.get("seen").seen().orElseThrow().toString());
  }

  @Test
  void theWindowsOwnFlowsAndLaterArrivalsMakeNobodyKnown() throws Exception {
    archive(
        END + SECOND,
        flow(C, 30 * DAY),
        new Flow(A, BEGIN, BEGIN, 5), // of the window
        new Flow(B, BEGIN - SECOND, BEGIN + 1, 5)); // arrived when it had begun
    AnalysisConfig late = analysis(REPORT.formatted("9 DAY"), "end_time", "");
    assertEquals(List.of("false", "false", "exact"), rows(late, A, B));
    // With a shorter delay than the window it is seen what arrives in it.
    AnalysisConfig soon =
        analysis(
            REPORT.formatted("9 DAY"),
            "end_time",
            "history: {delay: 1s, query: 'SELECT COUNT(*) AS n FROM flows WHERE end_time > :now -"
                + " INTERVAL ''1 HOUR'''}");
    assertEquals(List.of("false", "true", "exact"), rows(soon, A, B));
    // Of windows by arrival it counts when flows came.
    archive(END + SECOND, new Flow("::7", BEGIN - DAY, BEGIN + SECOND, 5));
    AnalysisConfig arrivals = analysis(REPORT.formatted("9 DAY"), "arrival", "");
    assertEquals(List.of("false", "false", "exact"), rows(arrivals, B, "::7"));
  }

  @Test
  void bothSidesCountAndCallsOfSeveralTimesAreOneLookup() throws Exception {
    archive(END + SECOND, flow(A, 40 * DAY), flow(B, 5 * DAY));
    AnalysisConfig both =
        analysis(
            "SELECT x.a, CASE WHEN SEEN(x.a, INTERVAL '10' DAY) THEN 'lately' WHEN SEEN(x.a,"
                + " INTERVAL '50' DAY) THEN 'once' WHEN NOT SEEN(x.a, INTERVAL '10' DAY) THEN 'not"
                + " lately' ELSE 'unknown' END AS v FROM (SELECT src_addr AS a FROM live UNION ALL"
                + " SELECT NULL FROM live WHERE bytes = 100) AS x WHERE SEEN(x.a, INTERVAL '10'"
                + " DAY) IS NOT TRUE OR x.a IS NOT NULL",
            "end_time",
            "");
    assertEquals(2, ReportLogics.seen(both).size());
    assertEquals(List.of("once", "lately", "not lately", "unknown", "exact"), rows(both, A, B, C));
    assertFalse(ReportLogics.of(both).open(both).get(1).key(), "it may become known");
    assertTrue(ReportLogics.of(both).open(both).get(0).key());
  }

  @Test
  void theHistoryQueryIsAnsweredBesideIt() throws Exception {
    archive(END + SECOND, flow(A, 9 * DAY), flow(B, DAY));
    AnalysisConfig analysis =
        analysis(
            "SELECT live.src_addr, SEEN(live.src_addr, INTERVAL '5' DAY) AS s, history.n, :history"
                + " AS status FROM live LEFT JOIN history ON history.src_addr = live.src_addr",
            "end_time",
            "history: {query: 'SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN"
                + " (:live.src_addr) AND end_time < :now GROUP BY src_addr'}");
    WindowResult window = window(9, A, 1, B, 2);
    HistoryAnswer answer = look(analysis, window, Duration.ofSeconds(60));
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    assertEquals(
        "src_addr\ts\tn\tstatus\n" + A + "\tfalse\t1\texact\n" + B + "\ttrue\t1\texact",
        logic.report(new WindowHistory(window, answer)).toString());
  }

  @Test
  void aLookupEndsWithItsTime() throws Exception {
    archive(END + SECOND, flow(A, 9 * DAY));
    assertThrows(
        QueryTimeoutException.class,
        () -> look(days(5), window(9, A, 1, B, 2), Duration.ofNanos(1)));
  }

  @Test
  void onlyAddressesOfHostsInTheWindowCanBeAskedFor() {
    Map<String, String> errors =
        Map.of(
            "SELECT SEEN(live.bytes, INTERVAL '1' DAY) AS s FROM live",
            "1:13: expected a column of hosts' addresses in live",
            "SELECT SEEN(live.src_addr, 90) AS s FROM live",
            "1:28: expected how far to look back, such as INTERVAL '90' DAY",
            "SELECT SEEN(NETWORK(live.src_addr, 24), INTERVAL '1' DAY) AS s FROM live",
            "1:13: expected a column of hosts' addresses in live",
            "SELECT SEEN(x.a, INTERVAL '1' DAY) AS s FROM (SELECT MIN(src_addr) AS a FROM live) AS"
                + " x",
            "1:13: expected a column of hosts' addresses in live",
            "SELECT SEEN(live.src_addr) AS s FROM live",
            "1:8: SEEN takes 2 arguments, found 1");
    errors.forEach(
        (report, expected) -> {
          ConfigException e =
              assertThrows(
                  ConfigException.class,
                  () -> ReportLogics.seen(analysis(report, "end_time", "")),
                  report);
          assertTrue(e.getMessage().contains(expected), e.getMessage());
        });
    AnalysisConfig network =
        AnalysisConfig.parse(
            "n.yaml",
            """
            name: n
            live: {window: 10s, query: 'SELECT NETWORK(src_addr, 24) AS net, COUNT(*) AS n FROM flows GROUP BY net'}
            report: {query: "SELECT SEEN(net, INTERVAL '1' DAY) AS s FROM live"}
            """);
    ConfigException e = assertThrows(ConfigException.class, () -> ReportLogics.seen(network));
    assertTrue(e.getMessage().contains("expected a column of hosts' addresses"), e.getMessage());
  }
}
