package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_AS;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.EXPORTER;
import static org.flowmon.flow.FlowColumn.INPUT_IF;
import static org.flowmon.flow.FlowColumn.OBSERVATION_DOMAIN;
import static org.flowmon.flow.FlowColumn.OUTGOING;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_BYTES;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.SAMPLING_RATE;
import static org.flowmon.flow.FlowColumn.SRC_AS;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class TrafficTest {
  private static final List<String> MEASURES =
      List.of("estimated_bytes", "estimated_packets", "bytes", "packets", "flows");

  private static TestFlows flows(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 3000; i++) {
      int kind = (int) (60 * Math.pow(random.nextDouble(), 3));
      long bytes = random.nextInt(50) == 0 ? 1L << 59 : random.nextInt(100_000);
      boolean isBoth = random.nextBoolean();
      flows.add(
          END - 1 - random.nextLong(10 * SECOND),
          PROTOCOL,
          maybe(random, kind % 30),
          SRC_PORT,
          maybe(random, kind),
          DST_PORT,
          maybe(random, random.nextInt(60)),
          SRC_AS,
          maybe(random, 64_512 + kind),
          DST_AS,
          maybe(random, 64_512 + random.nextInt(60)),
          OUTGOING,
          maybe(random, random.nextInt(2)),
          INPUT_IF,
          maybe(random, kind % 7),
          EXPORTER,
          random.nextInt(9) == 0 ? null : "192.0.2." + kind % 20,
          OBSERVATION_DOMAIN,
          maybe(random, kind % 3),
          BYTES,
          maybe(random, bytes),
          PACKETS,
          maybe(random, 1 + bytes / 1000),
          REVERSE_BYTES,
          isBoth ? maybe(random, random.nextInt(5000)) : null,
          REVERSE_PACKETS,
          isBoth ? maybe(random, random.nextInt(50)) : null,
          SAMPLING_RATE,
          random.nextInt(3) > 0 ? null : (Long) (1L + random.nextInt(1000)));
    }
    return flows;
  }

  private static Long maybe(SplittableRandom random, long value) {
    return random.nextInt(12) == 0 ? null : (Long) value;
  }

  private static String service(Flow flow) {
    Long source = flow.number(SRC_PORT);
    Long target = flow.number(DST_PORT);
    // A comparison with NULL is not TRUE: the destination's port then, known or not.
    Long port = source != null && target != null && source < target ? source : target;
    return flow.number(PROTOCOL) + " " + port;
  }

  private static BigInteger[] measure(Flow flow) {
    BigInteger rate = BigInteger.valueOf(flow.number(SAMPLING_RATE, 1));
    BigInteger bytes = BigInteger.valueOf(flow.number(BYTES, 0) + flow.number(REVERSE_BYTES, 0));
    BigInteger packets =
        BigInteger.valueOf(flow.number(PACKETS, 0) + flow.number(REVERSE_PACKETS, 0));
    BigInteger estimated = bytes.multiply(rate);
    return new BigInteger[] {
      estimated.bitLength() > 63 ? BigInteger.ZERO : estimated,
      packets.multiply(rate),
      bytes,
      packets,
      BigInteger.ONE
    };
  }

  private static void check(String name, int limit, Function<Flow, String> key, String... keys) {
    for (long seed = 1; seed <= 4; seed++) {
      TestFlows flows = flows(seed);
      Map<String, BigInteger[]> groups = new HashMap<>();
      BigInteger[] totals = new BigInteger[MEASURES.size()];
      for (Flow flow : flows.all()) {
        BigInteger[] values = measure(flow);
        BigInteger[] group =
            groups.computeIfAbsent(key.apply(flow), k -> new BigInteger[values.length]);
        for (int m = 0; m < values.length; m++) {
          group[m] = group[m] == null ? values[m] : group[m].add(values[m]);
          totals[m] = totals[m] == null ? values[m] : totals[m].add(values[m]);
        }
      }
      assertTrue(groups.size() > limit, name + ": nothing is left for the row other");
      assertTrue(totals[2].bitLength() > 64, name + ": totals fit 64 bits");
      AnalysisConfig analysis = offered(name);
      ResultTable rows = report(analysis, flows.window(analysis, END, 0));
      assertEquals(limit + 1, rows.rowCount(), name);
      List<BigInteger> largest =
          groups.values().stream().map(g -> g[0]).sorted(Comparator.reverseOrder()).toList();
      for (int row = 0; row < limit; row++) {
        String found = TestFlows.lines(rows, keys).get(row);
        String at = name + ", seed " + seed + ", row " + row + ": " + found;
        assertEquals("top", rows.formatted(row, rows.column("part")), at);
        assertEquals(largest.get(row), rows.bigValue(row, rows.column(MEASURES.get(0))), at);
        checkRow(rows, row, groups.get(found), totals, at);
        assertEquals(1, rows.longValue(row, rows.column("groups")), at);
      }
      BigInteger[] rest = totals.clone();
      for (int row = 0; row < limit; row++) {
        for (int m = 0; m < rest.length; m++) {
          rest[m] = rest[m].subtract(rows.bigValue(row, rows.column(MEASURES.get(m))));
        }
      }
      assertEquals("other", rows.formatted(limit, rows.column("part")), name);
      assertEquals(groups.size() - limit, rows.longValue(limit, rows.column("groups")), name);
      checkRow(rows, limit, rest, totals, name + ", seed " + seed + ", other");
    }
  }

  private static BigInteger value(ResultTable rows, int row, int column) {
    return rows.isNull(row, column) ? null : rows.bigValue(row, column);
  }

  private static void checkRow(
      ResultTable rows, int row, BigInteger[] expected, BigInteger[] totals, String at) {
    for (int m = 0; m < expected.length; m++) {
      int column = rows.column(MEASURES.get(m));
      boolean isKnown = !at.endsWith("other") || expected[m].bitLength() <= 63;
      assertEquals(isKnown ? expected[m] : null, value(rows, row, column), at);
    }
    checkRate(rows, row, 2, "bits_per_second", expected[2].doubleValue() * 8 / 10, at);
    checkRate(rows, row, 1, "estimated_packets_per_second", expected[1].doubleValue() / 10, at);
    checkRate(rows, row, 0, "share", expected[0].doubleValue() / totals[0].doubleValue(), at);
  }

  /** It is NULL if its measure is. */
  private static void checkRate(
      ResultTable rows, int row, int measure, String name, double expected, String at) {
    int column = rows.column(name);
    boolean isKnown = !rows.isNull(row, rows.column(MEASURES.get(measure)));
    assertEquals(isKnown, !rows.isNull(row, column), at);
    if (isKnown) {
      assertEquals(expected, rows.doubleValue(row, column), Math.abs(expected) * 1e-12, at);
    }
  }

  @Test
  void theRowsOfEachFileAreTheTopAndSumToAllThatTheWindowHas() {
    check("traffic_by_protocol", 10, flow -> "" + flow.number(PROTOCOL), "protocol");
    check("traffic_by_port", 20, TrafficTest::service, "protocol", "port");
    check(
        "traffic_by_as",
        20,
        flow -> "" + flow.number(flow.number(OUTGOING, 0) == 1 ? DST_AS : SRC_AS),
        "asn");
    check(
        "traffic_by_interface",
        20,
        flow -> flow.text(EXPORTER) + " " + flow.number(INPUT_IF),
        "exporter",
        "input_if");
    check(
        "traffic_by_exporter",
        20,
        flow -> flow.text(EXPORTER) + " " + flow.number(OBSERVATION_DOMAIN),
        "exporter",
        "observation_domain");
  }

  @Test
  void whereEveryGroupHasARowOfItsOwnNothingIsLeft() {
    TestFlows flows = new TestFlows();
    flows.add(END - 1, PROTOCOL, 6, BYTES, 100, PACKETS, 1);
    flows.add(END - 1, PROTOCOL, 17, BYTES, 50);
    AnalysisConfig analysis = offered("traffic_by_protocol");
    ResultTable rows = report(analysis, flows.window(analysis, END, 0));
    assertEquals(
        List.of("top 1 6 100 1 1 1", "top 2 17 50 0 1 1", "other null null 0 0 0 0"),
        TestFlows.lines(rows, "part", "rank", "protocol", "bytes", "packets", "flows", "groups"));
  }

  @Test
  void valuesThatNobodyKnowsAreNull() {
    AnalysisConfig analysis =
        offered(
            "traffic_by_protocol",
            "SUM(COALESCE(bytes, 0) + COALESCE(reverse_bytes, 0)) AS",
            "SUM(bytes) AS",
            "top: 10",
            "top: 1");
    TestFlows flows = new TestFlows();
    flows.add(END - 1, PROTOCOL, 6, PACKETS, 1);
    flows.add(END - 1, PROTOCOL, 17);
    String[] columns = {"part", "protocol", "bytes", "bits_per_second", "share"};
    assertEquals(
        List.of("top 6 null null null", "other null null null null"),
        TestFlows.lines(report(analysis, flows.window(analysis, END, 0)), columns));
    flows.add(END - 1, PROTOCOL, 6, BYTES, 0);
    flows.add(END - 1, PROTOCOL, 17, BYTES, 30, SAMPLING_RATE, 2);
    WindowHistory window = new WindowHistory(flows.windows(analysis).get(END), HistoryAnswer.NONE);
    assertEquals(
        List.of("top 17 30 24.0 1.0", "other null 0 0.0 0.0"),
        TestFlows.lines(report(analysis, window), columns));
  }

  /** Sums have 128 bits, their differences 64: {@code other} is never wrapped. */
  @Test
  void theRowOtherIsExactUpTo63BitsAndUnknownBeyond() {
    AnalysisConfig analysis = offered("traffic_by_protocol", "top: 10", "top: 1");
    String[] columns = {"part", "protocol", "bytes", "packets", "share", "groups"};
    TestFlows flows = new TestFlows();
    // The total has 65 bits, what is left of it 63.
    flows.add(END - 1, PROTOCOL, 6, BYTES, 1L << 62, PACKETS, 2);
    flows.add(END - 1, PROTOCOL, 6, BYTES, 1L << 62);
    flows.add(END - 1, PROTOCOL, 17, BYTES, 1L << 62, PACKETS, 1);
    flows.add(END - 1, PROTOCOL, 1, BYTES, (1L << 62) - 1);
    WindowHistory fits = new WindowHistory(flows.windows(analysis).get(END), HistoryAnswer.NONE);
    assertEquals(
        List.of("top 6 9223372036854775808 2 0.5 1", "other null 9223372036854775807 1 0.5 2"),
        TestFlows.lines(report(analysis, fits), columns));
    flows.add(END - 1, PROTOCOL, 1, BYTES, 1);
    WindowHistory beyond = new WindowHistory(flows.windows(analysis).get(END), HistoryAnswer.NONE);
    assertEquals(
        List.of("top 6 9223372036854775808 2 0.5 1", "other null null 1 null 2"),
        TestFlows.lines(report(analysis, beyond), columns));
  }
}
