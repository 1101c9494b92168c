package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The offered analysis, over planted scans and lookalikes. */
class PortscansTest {
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 1;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int ACK = 16;
  private static final long FROM = END - 60 * SECOND;

  /** A flow as plain values; unknown ones are null. */
  private record Flow(
      long time,
      IpAddress source,
      Integer sourcePort,
      IpAddress target,
      Integer port,
      int protocol,
      Integer flags,
      Integer icmp,
      Long back,
      Integer state) {

    /** Whether the source began it, as far as the flow shows. */
    boolean isBegun() {
      if (back != null || state != null) {
        return true;
      }
      if (protocol == TCP && flags != null) {
        boolean syn = (flags & SYN) != 0;
        return (flags & ACK) == 0 && (syn || (flags & RST) == 0);
      }
      if (protocol == ICMP || protocol == 58) {
        return icmp != null && (icmp >> 8 == 8 || icmp >> 8 == 128);
      }
      return sourcePort != null && port != null && sourcePort > port;
    }
  }

  private final List<Flow> flows = new ArrayList<>();
  private SplittableRandom random = new SplittableRandom(0);
  private Parameters parameters; // of the last history query

  private static String yaml() throws IOException {
    try (InputStream in = AnalysisConfig.class.getResourceAsStream("/analyses/portscans.yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static AnalysisConfig analysis(String parameters) throws IOException {
    return AnalysisConfig.parse("portscans.yaml", yaml().replace("targets: 100", parameters));
  }

  private static AnalysisConfig onlyScans(String parameters) throws IOException {
    return AnalysisConfig.parse(
        "portscans.yaml",
        yaml()
            .replace("targets: 100", parameters)
            .replace("\nsinks:", "\n  condition: verdict = 'scan'\n\nsinks:"));
  }

  private void tcp(long time, String source, int sourcePort, String target, int port, int flags) {
    add(time, source, sourcePort, target, port, TCP, flags, null);
  }

  private void add(
      long time,
      String source,
      Integer sourcePort,
      String target,
      Integer port,
      int protocol,
      Integer flags,
      Integer icmp) {
    IpAddress from = IpAddress.parse(source);
    IpAddress to = IpAddress.parse(target);
    flows.add(new Flow(time, from, sourcePort, to, port, protocol, flags, icmp, null, null));
  }

  private long now() {
    return FROM + random.nextInt(60_000_000);
  }

  private int ephemeral() {
    return 32_768 + random.nextInt(28_000);
  }

  /** Plants scans of every kind, with their victims' answers. */
  private void plantScans() {
    for (int i = 1; i <= 300; i++) {
      tcp(now(), "198.51.100.1", 61_000, "10.0.0.5", i, SYN);
      tcp(now(), "10.0.0.5", i, "198.51.100.1", 61_000, RST | ACK);
      int port = ephemeral();
      tcp(now(), "198.51.100.3", port, "10.0.0.6", i, i % 30 == 0 ? SYN | ACK | RST : SYN);
      tcp(now(), "10.0.0.6", i, "198.51.100.3", port, i % 30 == 0 ? SYN | ACK : RST | ACK);
      tcp(now(), "198.51.100.6", 40_000, "2001:db8::5", i, 41);
      tcp(now(), "2001:db8::5", i, "198.51.100.6", 40_000, RST | ACK);
      add(now(), "2001:db8::bad", 54_321, "10.0.0.7", i, UDP, null, null);
      add(now(), "10.0.0.7", null, "2001:db8::bad", null, ICMP, null, 771);
    }
    for (int i = 0; i < 250; i++) {
      String host = "10.0.3." + i;
      tcp(now(), "198.51.100.2", ephemeral(), host, 22, i % 9 == 0 ? SYN | RST : SYN);
      tcp(now(), host, 22, "198.51.100.2", ephemeral(), SYN | ACK);
      add(now(), "198.51.100.5", null, host, null, ICMP, null, 2048);
      add(now(), host, null, "198.51.100.5", null, ICMP, null, 0);
      IpAddress scanner = IpAddress.parse("198.51.100.7");
      IpAddress target = IpAddress.parse(host);
      boolean answered = random.nextBoolean();
      flows.add(
          new Flow(now(), scanner, 999, target, 5_000, TCP, null, null, answered ? 1L : null, 1));
    }
  }

  /** Plants hosts with many pairs of address and port that are no scanners. */
  private void plantOthers() {
    for (int i = 0; i < 500; i++) {
      String anyone = "10." + random.nextInt(200) + "." + random.nextInt(256) + ".9";
      int[] answers = {SYN | ACK, RST, RST | ACK};
      tcp(now(), "203.0.113.7", 80, anyone, ephemeral(), answers[i % 3]);
      add(now(), "10.0.0.53", 53, anyone, ephemeral(), UDP, null, null);
      tcp(now(), "10.0.1." + i % 50, ephemeral(), anyone, 443, 27);
    }
    for (int day = 0; day <= 7; day++) {
      for (int i = 0; i < 200; i++) {
        long time = day == 0 ? now() : END - day * DAY + random.nextInt(3_600_000) * 1000L;
        tcp(time, "10.0.2.1", ephemeral(), "10.0.4." + i, 161, SYN);
        if (i < (day == 0 ? 120 : 40 + day)) {
          tcp(time, "10.0.2.2", ephemeral(), "10.0.4." + i, 80 + i % 2, SYN);
        }
      }
    }
  }

  /** Plants random traffic of hosts, now and in the past days. */
  private void plantNoise(int count) {
    for (int i = 0; i < count; i++) {
      int day = random.nextInt(8);
      long time = day == 0 ? now() : END - day * DAY + random.nextInt(3_600_000) * 1000L;
      String source = "10.9.0." + random.nextInt(1 + random.nextInt(30));
      String target = "10.8.0." + random.nextInt(250);
      int protocol = new int[] {TCP, UDP, ICMP, 58, 47}[random.nextInt(5)];
      Integer sourcePort = random.nextInt(9) == 0 ? null : Integer.valueOf(random.nextInt(2_000));
      Integer port = random.nextInt(9) == 0 ? null : Integer.valueOf(random.nextInt(2_000));
      Integer flags = random.nextInt(9) == 0 ? null : Integer.valueOf(random.nextInt(64));
      Integer icmp = random.nextInt(9) == 0 ? null : Integer.valueOf(random.nextInt(65_536));
      add(time, source, sourcePort, target, port, protocol, flags, icmp);
    }
  }

  private List<FlowBatch> batches() {
    List<FlowBatch> batches = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += 500) {
      List<Flow> some = flows.subList(from, Math.min(flows.size(), from + 500));
      FlowBatchBuilder builder = new FlowBatchBuilder(some.size());
      for (Flow flow : some) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, flow.time);
        builder.set(FlowColumn.END_TIME, flow.time);
        builder.setAddress(FlowColumn.SRC_ADDR, flow.source);
        builder.setAddress(FlowColumn.DST_ADDR, flow.target);
        builder.set(FlowColumn.PROTOCOL, flow.protocol);
        set(builder, FlowColumn.SRC_PORT, flow.sourcePort);
        set(builder, FlowColumn.DST_PORT, flow.port);
        set(builder, FlowColumn.TCP_FLAGS, flow.flags);
        set(builder, FlowColumn.ICMP_TYPE_CODE, flow.icmp);
        set(builder, FlowColumn.REVERSE_PACKETS, flow.back);
        set(builder, FlowColumn.STATE, flow.state);
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
    }
    return batches;
  }

  private static void set(FlowBatchBuilder builder, FlowColumn column, Number value) {
    if (value != null) {
      builder.set(column, value.longValue());
    }
  }

  /** Returns the window's result over both levels, and its history over the same flows. */
  private WindowHistory run(AnalysisConfig analysis) {
    LiveQuery live = LiveQuery.of(analysis);
    List<FlowBatch> batches = batches();
    WindowPart window =
        FlowWindows.run(batches, live.query(), live.window(), 64, 8).windows().get(END);
    ArrivalCounts none = new ArrivalCounts(0, 0, 0, 0);
    WindowResult result =
        new WindowResult(
            "portscans", FROM, END, window.result(), window.totals(), window.groups(), none);
    List<Value> sources = new ArrayList<>();
    for (int row = 0; row < result.rows().rowCount(); row++) {
      sources.add(result.rows().value(row, result.rows().column("src_addr")));
    }
    parameters = Parameters.NONE.with("now", Value.ofTimestamp(END)).with("live.src_addr", sources);
    ResultTable past =
        FlowQueries.run(batches, QueryParser.parse(analysis.history().query()).bind(parameters));
    return new WindowHistory(
        result, history(HistoryStatus.EXACT, END - 30 * DAY, Optional.of(past)));
  }

  private static HistoryAnswer history(
      HistoryStatus status, long from, Optional<ResultTable> rows) {
    return new HistoryAnswer(status, END - 20 * SECOND, from, END, LongRanges.NONE, rows, null);
  }

  /** Returns the expected report, one flow at a time. */
  private List<String> expected() {
    Map<IpAddress, Map<Integer, Set<List<Object>>>> targets = new TreeMap<>();
    Map<IpAddress, Set<IpAddress>> hosts = new HashMap<>();
    Map<IpAddress, Set<Integer>> ports = new HashMap<>();
    Map<IpAddress, Long> counts = new HashMap<>();
    for (Flow flow : flows) {
      if (!flow.isBegun()) {
        continue;
      }
      long before = END - flow.time;
      int day = flow.time >= FROM ? 0 : (int) -Math.floorDiv(-before, DAY);
      targets
          .computeIfAbsent(flow.source, s -> new HashMap<>())
          .computeIfAbsent(day, d -> new HashSet<>())
          .add(List.of(flow.target, flow.port == null ? 0 : flow.port));
      if (day == 0) {
        hosts.computeIfAbsent(flow.source, s -> new HashSet<>()).add(flow.target);
        Set<Integer> own = ports.computeIfAbsent(flow.source, s -> new HashSet<>());
        if (flow.port != null) {
          own.add(flow.port);
        }
        counts.merge(flow.source, 1L, Long::sum);
      }
    }
    List<IpAddress> sources = new ArrayList<>(counts.keySet());
    sources.removeIf(source -> targets.get(source).get(0).size() < 20);
    sources.sort(
        Comparator.comparing((IpAddress source) -> -targets.get(source).get(0).size())
            .thenComparing(source -> source));
    List<String> lines = new ArrayList<>();
    for (IpAddress source : sources) {
      int now = targets.get(source).get(0).size();
      long[] past = new long[7];
      for (int day = 1; day <= 7; day++) {
        past[day - 1] = targets.get(source).getOrDefault(day, Set.of()).size();
      }
      Arrays.sort(past);
      String verdict = now >= 100 && now >= 3 * past[3] ? "scan" : "usual";
      int rank = lines.size() + 1;
      lines.add(
          String.join(
              " ",
              "" + rank,
              "" + source,
              "" + now,
              "" + hosts.get(source).size(),
              "" + ports.get(source).size(),
              "" + counts.get(source),
              "" + (double) past[3],
              "7",
              "null",
              verdict));
    }
    return lines;
  }

  private static List<String> lines(ResultTable rows) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      List<String> cells = new ArrayList<>();
      for (int column = 0; column < rows.columnCount(); column++) {
        boolean isNull = rows.isNull(row, column);
        cells.add(
            isNull
                ? "null"
                : rows.name(column).equals("median_targets")
                    ? Double.toString(rows.doubleValue(row, column))
                    : rows.formatted(row, column));
      }
      lines.add(String.join(" ", cells));
    }
    return lines;
  }

  private static ResultTable report(AnalysisConfig analysis, WindowHistory window) {
    ReportLogic logic = ReportLogics.of(analysis);
    List<ReportColumn> columns = logic.open(analysis);
    ResultTable rows = logic.report(window);
    assertEquals(columns.stream().map(ReportColumn::name).toList(), rows.names());
    for (ReportColumn column : columns) {
      assertEquals(column.kind(), rows.kind(rows.column(column.name())), column.name());
    }
    return rows;
  }

  @Test
  void plantedScansAreFoundAndNothingElseAmongRandomTraffic() throws IOException {
    for (long seed = 51; seed <= 60; seed++) {
      random = new SplittableRandom(seed);
      flows.clear();
      plantScans();
      plantOthers();
      plantNoise(5_000 + random.nextInt(10_000));
      AnalysisConfig analysis = analysis("targets: 100");
      ResultTable rows = report(analysis, run(analysis));
      assertEquals(expected(), lines(rows), "seed " + seed);
    }
  }

  @Test
  void everyKindOfScanIsOneAndAVictimThatAnswersIsNone() throws IOException {
    random = new SplittableRandom(61);
    plantScans();
    plantOthers();
    AnalysisConfig analysis = onlyScans("targets: 100");
    ResultTable rows = report(analysis, run(analysis));
    Set<String> scanners = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      scanners.add(rows.formatted(row, rows.column("src_addr")));
      assertEquals("scan", rows.text(row, rows.column("verdict")));
    }
    assertEquals(
        new TreeSet<>(
            List.of(
                "198.51.100.1",
                "198.51.100.2",
                "198.51.100.3",
                "198.51.100.5",
                "198.51.100.6",
                "198.51.100.7",
                "2001:db8::bad")),
        scanners);
  }

  @Test
  void withoutADayInsideHistoryWhatIsManyIsAScan() throws IOException {
    random = new SplittableRandom(62);
    plantScans();
    plantOthers();
    AnalysisConfig analysis = analysis("targets: 290");
    WindowHistory whole = run(analysis);
    HistoryAnswer young = history(HistoryStatus.EXACT, END - HOUR, whole.history().rows());
    HistoryAnswer failed = history(HistoryStatus.FAILED, HistoryAnswer.UNKNOWN, Optional.empty());
    for (HistoryAnswer history : List.of(young, failed)) {
      WindowHistory window = new WindowHistory(whole.window(), history);
      ResultTable rows = report(analysis, window);
      Map<String, Integer> verdicts = new TreeMap<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        assertTrue(rows.isNull(row, rows.column("median_targets")));
        assertEquals(0, rows.longValue(row, rows.column("days_used")));
        verdicts.merge(rows.text(row, rows.column("verdict")), 1, Integer::sum);
      }
      assertEquals(Map.of("scan", 4, "usual", rows.rowCount() - 4), verdicts);
      assertEquals(4, report(onlyScans("targets: 290"), window).rowCount());
    }
  }

  @Test
  void theHistoryQueryGivesTheSameOverAnArchive(@TempDir Path directory) throws IOException {
    random = new SplittableRandom(64);
    plantScans();
    plantOthers();
    plantNoise(8_000);
    AnalysisConfig analysis = analysis("targets: 100");
    ResultTable expected = run(analysis).history().rows().orElseThrow();
    assertTrue(expected.rowCount() > 20, expected.rowCount() + " rows");
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          archive.newSegmentWriter().seal(archive.segmentsDirectory(), batches(), Provenance.NONE);
      SourceRange range = new SourceRange("t:0", 0, 1, END - 9 * DAY, END, false);
      archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        FlowQuery query = QueryParser.parse(analysis.history().query()).bind(parameters);
        assertEquals(
            expected, ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table(), "seed 64");
      }
    }
  }

  @Test
  void daysAreThoseOfTheTimeThatHistoryIsRefreshedAt() throws IOException {
    random = new SplittableRandom(63);
    plantScans();
    AnalysisConfig each = analysis("targets: 100");
    AnalysisConfig rarely =
        AnalysisConfig.parse(
            "portscans.yaml",
            yaml().replace("  concurrency: 4", "  refresh: 4h\n  concurrency: 4"));
    WindowHistory whole = run(each);
    // The seventh day's hour begins at 10:00 by the window's end, and at 8:00 by the refreshed
    // time.
    HistoryAnswer young =
        history(HistoryStatus.EXACT, END - 7 * DAY - HOUR, whole.history().rows());
    WindowHistory window = new WindowHistory(whole.window(), young);
    ResultTable rows = report(each, window);
    assertEquals(7, rows.longValue(0, rows.column("days_used")));
    rows = report(rarely, window);
    assertEquals(6, rows.longValue(0, rows.column("days_used")));
    assertEquals("2026-11-14T08:00:00Z", rows.text(0, rows.column("days_missing")));
  }
}
