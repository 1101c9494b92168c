package org.flowmon.jobs;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryOperator;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files of offered analyses, unchanged: their live queries over flows, their history queries
 * over an archive of the same flows, their reports against programs over plain lists.
 */
class OfferedAnalysesTest {
  private static final long SEED = 20_261_121;
  private static final Duration DELAY = Duration.ofSeconds(20);

  @TempDir private Path directory;
  private final List<Flow> flows = new ArrayList<>();
  private final List<FlowBatch> batches = new ArrayList<>();

  private record Flow(
      long end, String source, String target, long bytes, Long reverse, Boolean outgoing) {
    long arrival() {
      return end + SECOND;
    }

    boolean isBetween(long from, long to) {
      return end >= from && end < to;
    }

    String pair() {
      boolean isOut = outgoing != null && outgoing;
      return isOut ? source + " " + target : target + " " + source;
    }

    long both() {
      return bytes + (reverse == null ? 0 : reverse);
    }
  }

  @BeforeEach
  void archiveFlows() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    flows.add(new Flow(END - 9 * DAY, host(1), host(2), 1, null, null)); // history begins
    for (int i = 0; i < 6000; i++) {
      long end =
          switch (random.nextInt(4)) {
            case 0 -> END - 1 - random.nextLong(10 * SECOND);
            case 1 -> END - 1 - random.nextLong(600 * SECOND);
            case 2 -> END - DAY * (1 + random.nextInt(8)) + random.nextLong(HOUR);
            default -> END - 1 - random.nextLong(8 * DAY);
          };
      int source = (int) (220 * Math.pow(random.nextDouble(), 2));
      int direction = random.nextInt(3);
      flows.add(
          new Flow(
              end,
              host(source),
              host(random.nextInt(20)),
              random.nextLong(1L << 30),
              random.nextBoolean() ? null : (Long) random.nextLong(1L << 30),
              direction == 0 ? null : (Boolean) (direction == 1)));
    }
    FlowBatchBuilder builder = new FlowBatchBuilder(flows.size());
    for (Flow flow : flows) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, flow.arrival());
      builder.set(FlowColumn.END_TIME, flow.end());
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(flow.source()));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(flow.target()));
      builder.set(FlowColumn.BYTES, flow.bytes());
      builder.set(FlowColumn.REVERSE_PACKETS, 1); // each flow was begun by its source
      if (flow.reverse() != null) {
        builder.set(FlowColumn.REVERSE_BYTES, flow.reverse());
      }
      if (flow.outgoing() != null) {
        builder.set(FlowColumn.OUTGOING, flow.outgoing() ? 1 : 0);
      }
      builder.endRow();
    }
    batches.add(FlowBatch.open(builder.build(1, 0, flows.size(), 0)));
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
      SourceRange range = new SourceRange("t:0", 0, 1, flows.get(0).arrival(), END + HOUR, false);
      archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
    }
  }

  /** Returns host n: three hosts to a network of 24 bits, or of 48. */
  private static String host(int n) {
    return n % 4 == 3
        ? "2001:db8:" + Integer.toHexString(1 + n / 3) + "::" + Integer.toHexString(n + 1)
        : "10.1." + n / 3 + "." + (n + 1);
  }

  private static String network(String address) {
    return address.contains(":")
        ? address.substring(0, address.indexOf("::") + 2)
        : address.substring(0, address.lastIndexOf('.')) + ".0";
  }

  private WindowHistory look(AnalysisConfig config) throws Exception {
    long start = END - config.live().windowMicros();
    // The job makes the windows: here the window is one more condition.
    FlowQuery query = QueryParser.parse(config.live().query()).enriched(Enrichment.NONE);
    String bounds = "SELECT end_time FROM flows WHERE end_time >= :start AND end_time < :end";
    Expression within =
        QueryParser.parse(bounds)
            .bind(
                Parameters.NONE
                    .with("start", Value.ofTimestamp(start))
                    .with("end", Value.ofTimestamp(END)))
            .where();
    Expression where =
        query.where() == null ? within : new Expression.And(List.of(query.where(), within));
    ResultTable rows = FlowQueries.run(batches, query.withWhere(where));
    assertTrue(rows.rowCount() > 0, "an empty window");
    WindowResult result =
        new WindowResult(
            config.name(),
            start,
            END,
            rows,
            new ResultTable.Builder().build(),
            rows.rowCount(),
            new ArrivalCounts(rows.rowCount(), 0, 0, 0));
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment env = LocalFlink.environment(1, options);
    try (CloseableIterator<WindowHistory> results =
        HistoryOperator.apply(
                env.fromData(WindowResult.TYPE, result),
                new HistoryOperator.Settings(
                    List.of(ArchiveLocation.of(directory)),
                    List.of(config),
                    DELAY,
                    new FlowTopic("flows", "t", 1),
                    Duration.ZERO,
                    HistoryOperator.Pace.LIVE))
            .executeAndCollect()) {
      WindowHistory history = results.next();
      assertEquals(HistoryStatus.EXACT, history.history().status(), history.history().message());
      return history;
    }
  }

  /** Returns the report of an offered file, with some of its text replaced. */
  private ResultTable report(String name, String... replaced) throws Exception {
    String text = AnalysisConfig.wholeTextOf(name);
    for (int i = 0; i < replaced.length; i += 2) {
      assertTrue(text.contains(replaced[i]), replaced[i]);
      text = text.replace(replaced[i], replaced[i + 1]);
    }
    AnalysisConfig config = AnalysisConfig.parse(name + ".yaml", text);
    ReportLogic logic = ReportLogics.of(config);
    List<ReportColumn> keys = logic.open(config).stream().filter(ReportColumn::key).toList();
    ResultTable rows = logic.report(look(config));
    Set<String> seen = new HashSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      int at = row;
      List<String> values = keys.stream().map(key -> text(rows, at, key.name())).toList();
      assertTrue(seen.add(values.toString()), "two rows of " + values);
    }
    return rows;
  }

  private Map<String, Double> sums(
      Predicate<Flow> which, Function<Flow, String> key, Function<Flow, Long> value) {
    return flows.stream()
        .filter(which)
        .collect(Collectors.groupingBy(key, TreeMap::new, Collectors.summingDouble(value::apply)));
  }

  private static double number(ResultTable rows, int row, String column) {
    return rows.doubleValue(row, rows.column(column));
  }

  private static String text(ResultTable rows, int row, String column) {
    return rows.formatted(row, rows.column(column));
  }

  @Test
  void theMatrixOfFiveMinutesIsComparedWithTheHoursAroundItOnSevenDays() throws Exception {
    ResultTable rows =
        report( // of hosts
            "anomaly",
            "NETWORK(CASE WHEN outgoing THEN src_addr ELSE dst_addr END, 24, 64)",
            "CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
            "NETWORK(CASE WHEN outgoing THEN dst_addr ELSE src_addr END, 16, 32)",
            "CASE WHEN outgoing THEN dst_addr ELSE src_addr END");
    Map<String, Double> now =
        sums(flow -> flow.isBetween(END - 300 * SECOND, END), Flow::pair, Flow::both);
    Map<String, Double> then =
        sums(
            flow -> {
              long ago = END - flow.end();
              long before = ago - HOUR; // the first of three hours
              long into = (DAY - before % DAY) % DAY;
              return before > 0 && before <= 7 * DAY && into < 3 * HOUR;
            },
            Flow::pair,
            Flow::both);
    double nowTotal = now.values().stream().mapToDouble(v -> v).sum();
    double thenTotal = then.values().stream().mapToDouble(v -> v).sum();
    Set<String> union = new HashSet<>(now.keySet());
    union.addAll(then.keySet());
    double l1 = 0;
    String largest = null;
    double change = 0;
    for (String pair : union) {
      double a = now.getOrDefault(pair, 0.0);
      double b = then.getOrDefault(pair, 0.0);
      l1 += Math.abs(a / nowTotal - b / thenTotal) / 2;
      double difference = a / 300 - b / (7 * 3 * 3600);
      if (Math.abs(difference) > Math.abs(change)) {
        change = difference;
        largest = pair;
      }
    }
    assertEquals(l1, number(rows, 0, "l1"), 1e-12, "seed " + SEED);
    assertEquals(1.0, number(rows, 0, "coverage"));
    long both = now.keySet().stream().filter(then::containsKey).count();
    assertTrue(both > 100, "too few pairs to compare");
    assertEquals(both, rows.longValue(0, rows.column("pairs_both")), "seed " + SEED);
    assertEquals(thenTotal / (7 * 3 * 3600), number(rows, 0, "usual_rate"), 1e-3);
    assertEquals(largest, text(rows, 1, "inside") + " " + text(rows, 1, "outside"));
    assertEquals(change, number(rows, 1, "change"), 1e-6);
  }

  @Test
  void prefixesThatComeAgainAreReportedWithTheirHistory() throws Exception {
    ResultTable rows = report("dispersion");
    Map<String, Set<Long>> slots = new TreeMap<>();
    for (Flow flow : flows) {
      if (flow.isBetween(END - 600 * SECOND, END) && !Boolean.TRUE.equals(flow.outgoing())) {
        long age = (END - 1 - flow.end()) / (60 * SECOND);
        slots.computeIfAbsent(network(flow.source()), k -> new TreeSet<>()).add(age);
      }
    }
    Map<String, Double> past =
        sums(
            flow ->
                flow.isBetween(END - 7 * DAY, END - 3600 * SECOND) // whole hours before the window
                    && !Boolean.TRUE.equals(flow.outgoing()),
            flow -> network(flow.source()),
            Flow::bytes);
    double days = 7 - 3600 / 86_400.0;
    Set<String> expected = new TreeSet<>();
    slots.forEach(
        (prefix, ages) -> {
          List<Long> list = List.copyOf(ages);
          if (list.size() > 1 && list.get(0) == 0 && list.get(1) > 1) {
            String known = past.containsKey(prefix) ? "known" : "new";
            long perDay = Math.round(past.getOrDefault(prefix, 0.0) / days);
            expected.add(
                prefix + " " + list.get(1) * 60 + " s " + list.size() + " " + known + " " + perDay);
          }
        });
    Set<String> found = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      found.add(
          String.join(
              " ",
              text(rows, row, "prefix"),
              text(rows, row, "lag"),
              text(rows, row, "appearances"),
              text(rows, row, "verdict"),
              Long.toString(Math.round(number(rows, row, "bytes_per_day")))));
    }
    assertTrue(expected.size() > 10, "too few to compare: " + expected);
    assertEquals(expected, found, "seed " + SEED);
  }

  @Test
  void pairsOfSourcesOutsideTheTopOfSevenDaysAreReported() throws Exception {
    ResultTable rows = report("mice");
    // As-of is a minute before the window's end, which is a full hour.
    Map<String, Double> past =
        sums(
            flow ->
                flow.isBetween(END - 7 * DAY, END - 60 * SECOND)
                    && flow.arrival() <= END - 60 * SECOND,
            Flow::source,
            Flow::bytes);
    Set<String> heavy =
        past.entrySet().stream()
            .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
            .limit(100)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    Map<String, Double> now =
        sums(
            flow -> flow.isBetween(END - 10 * SECOND, END) && !heavy.contains(flow.source()),
            flow -> flow.source() + " " + flow.target(),
            Flow::bytes);
    List<String> expected =
        now.entrySet().stream()
            .sorted(Comparator.comparingDouble(entry -> -entry.getValue()))
            .limit(100)
            .map(entry -> entry.getKey() + " " + entry.getValue().longValue() + " mouse")
            .toList();
    List<String> found = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      found.add(
          String.join(
              " ",
              text(rows, row, "src_addr"),
              text(rows, row, "dst_addr"),
              text(rows, row, "bytes"),
              text(rows, row, "verdict")));
      assertEquals(1.0, number(rows, row, "coverage"));
    }
    assertTrue(expected.size() > 10, "too few to compare: " + expected);
    assertEquals(expected, found, "seed " + SEED);
  }

  @Test
  void talkersOfNowAreNewWhereTheArchiveHoldsNothingOfThem() throws Exception {
    // The archive has nine days, not ninety: an hour of them is asked for.
    ResultTable rows =
        report("new_talkers", "INTERVAL '90' DAY", "INTERVAL '1' HOUR", "verdict = 'new'", "TRUE");
    Predicate<Flow> isOut = flow -> !Boolean.FALSE.equals(flow.outgoing());
    Map<String, Double> now =
        sums(isOut.and(flow -> flow.isBetween(END - 300 * SECOND, END)), Flow::source, Flow::bytes);
    Set<String> past =
        sums(
                isOut.and(flow -> flow.isBetween(END - HOUR, END - 300 * SECOND)),
                Flow::source,
                Flow::bytes)
            .keySet();
    Set<String> expected = new TreeSet<>();
    now.forEach(
        (source, bytes) ->
            expected.add(
                source + " " + bytes.longValue() + (past.contains(source) ? " known" : " new")));
    Set<String> found = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      found.add(
          text(rows, row, "src_addr")
              + " "
              + text(rows, row, "bytes")
              + " "
              + text(rows, row, "verdict"));
      assertEquals(55 / 1440.0, number(rows, row, "past_days"), 1e-9);
    }
    assertTrue(expected.stream().anyMatch(line -> line.endsWith("known")), "nobody is known");
    assertTrue(expected.stream().anyMatch(line -> line.endsWith("new")), "nobody is new");
    assertEquals(expected, found, "seed " + SEED);
  }

  @Test
  void targetsAreNewWhereTheArchiveHoldsFewDaysOfTheTwo() throws Exception {
    ResultTable rows =
        report(
            "new_targets",
            "targets >= 100",
            "targets >= 2",
            "targets: 100",
            "targets: 2",
            "LIMIT 100",
            "LIMIT 999");
    Map<String, Set<String>> targets = new TreeMap<>();
    Map<String, Set<String>> seen = new TreeMap<>();
    Map<String, Set<Long>> days = new TreeMap<>();
    for (Flow flow : flows) {
      long ago = END - flow.end();
      if (ago <= 60 * SECOND) {
        targets.computeIfAbsent(flow.source(), s -> new TreeSet<>()).add(flow.target());
        if (flow.arrival() <= END) {
          seen.computeIfAbsent(flow.source(), s -> new TreeSet<>()).add(flow.target());
        }
      } else if (ago <= 7 * DAY) {
        String pair = flow.source() + " " + flow.target();
        days.computeIfAbsent(pair, p -> new TreeSet<>()).add((ago + DAY - 1) / DAY);
      }
    }
    Set<String> expected = new TreeSet<>();
    targets.forEach(
        (source, all) -> {
          Set<String> known = seen.getOrDefault(source, Set.of());
          long usual =
              known.stream()
                  .filter(t -> days.getOrDefault(source + " " + t, Set.of()).size() >= 2)
                  .count();
          long fresh = known.size() - usual;
          int unknown = all.size() - known.size();
          if (all.size() >= 2) {
            String verdict = fresh >= 2 ? "scan" : fresh + unknown >= 2 ? "no_history" : "usual";
            expected.add(String.join(" ", source, fresh + "", usual + "", unknown + "", verdict));
          }
        });
    Set<String> found = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      found.add(
          String.join(
              " ",
              text(rows, row, "src_addr"),
              text(rows, row, "new_targets"),
              text(rows, row, "usual_targets"),
              text(rows, row, "unknown_targets"),
              text(rows, row, "verdict")));
    }
    for (String verdict : List.of("scan", "usual")) {
      assertTrue(expected.stream().anyMatch(line -> line.endsWith(verdict)), "no " + verdict);
    }
    assertEquals(expected, found, "seed " + SEED);
  }
}
