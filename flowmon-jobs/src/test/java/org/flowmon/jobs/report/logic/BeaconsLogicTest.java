package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.START_TIME;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.offered.PlainBeacon;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class BeaconsLogicTest {
  private static final long FROM = END - 24 * HOUR;
  private static final long MINUTE = 60 * SECOND;

  private static void flow(
      TestFlows flows, long start, String source, String target, int port, int bytes) {
    flows.add(
        Math.min(start + SECOND, END - 1),
        START_TIME,
        start,
        SRC_ADDR,
        source,
        DST_ADDR,
        target,
        SRC_PORT,
        50_000,
        DST_PORT,
        port,
        PROTOCOL,
        6,
        TCP_FLAGS,
        27,
        BYTES,
        bytes);
  }

  /**
   * Plants beats from a time on, each off its time by up to the jitter as a share of the period.
   */
  private static void plant(
      TestFlows flows,
      SplittableRandom random,
      String source,
      long from,
      long to,
      long period,
      double jitter) {
    for (long time = from + period / 2; time < to - period; time += period) {
      long off = (long) ((2 * random.nextDouble() - 1) * jitter * period);
      flow(flows, time + off, source, "203.0.113.9", 443, 400 + random.nextInt(9));
    }
  }

  /**
   * Plants traffic of many hosts: popular targets (Zipf), exponential pauses, bursts, all sizes.
   */
  private static void plantNoise(
      TestFlows flows, SplittableRandom random, int hosts, long from, long to) {
    for (int host = 0; host < hosts; host++) {
      double mean = 60 + random.nextInt(1200);
      for (double t = 0; t < (double) (to - from) / SECOND - 20; ) {
        int target = (int) Math.pow(200, random.nextDouble());
        int burst = random.nextInt(8) == 0 ? 6 : 1;
        for (int i = 0; i < burst; i++) {
          long start = from + (long) (t * SECOND) + i * 1_500_000L;
          int bytes = (int) (200 / Math.pow(1 - random.nextDouble(), 0.8));
          flow(flows, start, "10.1.0." + host, "198.51.100." + target, 443, bytes);
        }
        t -= Math.log(1 - random.nextDouble()) * mean;
      }
    }
  }

  private static ResultTable run(TestFlows flows, long end, String... replaced) {
    AnalysisConfig analysis = offered("beacons", replaced);
    return report(analysis, flows.window(analysis, end, 0));
  }

  @Test
  void beaconsOfFiveSecondsToHoursComeFirst() {
    for (long seed = 1; seed <= 2; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      plantNoise(flows, random, 25, FROM, END);
      plant(flows, random, "10.0.0.1", FROM, END, 5 * SECOND, 0);
      plant(flows, random, "10.0.0.2", FROM, END, 30 * SECOND, 0.1);
      plant(flows, random, "10.0.0.3", FROM, END, 5 * MINUTE, 0.2);
      plant(flows, random, "10.0.0.4", FROM, END, 15 * MINUTE, 0);
      plant(flows, random, "10.0.0.5", FROM, END, HOUR, 0.1);
      Collections.shuffle(flows.all(), new java.util.Random(seed));
      ResultTable rows = run(flows, END);
      Map<String, Long> first = new TreeMap<>();
      for (int row = 0; row < 5; row++) {
        first.put(
            rows.formatted(row, rows.column("src_addr")),
            rows.longValue(row, rows.column("period")));
        assertEquals("beacon", rows.formatted(row, rows.column("verdict")));
      }
      assertEquals(
          List.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"),
          List.copyOf(first.keySet()),
          "seed " + seed);
      assertEquals(5 * SECOND, first.get("10.0.0.1"), "seed " + seed);
      assertEquals(5.0 * MINUTE, (double) first.get("10.0.0.3"), 40.0 * SECOND, "seed " + seed);
      assertEquals((double) HOUR, (double) first.get("10.0.0.5"), 6.0 * MINUTE, "seed " + seed);
    }
  }

  @Test
  void aBeaconIsListedMinutesAfterItBeganAndIsTrustedMoreAndMore() {
    SplittableRandom random = new SplittableRandom(9);
    TestFlows flows = new TestFlows();
    long began = END - 7 * HOUR;
    plantNoise(flows, random, 30, FROM, END);
    plant(flows, random, "10.0.0.1", began, END, 30 * SECOND, 0.1);
    double before = 0;
    for (long after : new long[] {12 * MINUTE, HOUR, 4 * HOUR, 7 * HOUR}) {
      ResultTable rows = run(flows, began + after);
      int found = TestFlows.lines(rows, "src_addr").indexOf("10.0.0.1");
      assertTrue(found >= 0, "after " + after / MINUTE + " minutes");
      assertTrue(rows.doubleValue(found, rows.column("score")) > 0.9);
      double confidence = rows.doubleValue(found, rows.column("confidence"));
      assertTrue(confidence > before, "after " + after / MINUTE + " minutes: " + confidence);
      assertEquals(
          after >= 4 * HOUR ? "beacon" : "candidate",
          rows.formatted(found, rows.column("verdict")));
      before = confidence;
    }
    assertEquals(1.0, before);
  }

  @Test
  void aBurstIsOneBeatAndThePiecesOfALongConnectionAndAnswersAreNone() {
    TestFlows flows = new TestFlows();
    for (long time = FROM + MINUTE; time < END - MINUTE; time += 10 * MINUTE) {
      for (int i = 0; i < 5; i++) {
        flow(flows, time + i * 2L * SECOND, "10.0.0.1", "203.0.113.1", 80, 100);
      }
      flows.tcp(time, "10.0.0.2", 50_000, "203.0.113.1", 22, 24); // goes on
      flows.tcp(time, "203.0.113.1", 22, "10.0.0.3", 50_000, 27); // answers
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.4",
          DST_ADDR,
          "239.1.1.1",
          SRC_PORT,
          50_000,
          DST_PORT,
          1900,
          PROTOCOL,
          17,
          PACKETS,
          1);
    }
    assertEquals(
        List.of("10.0.0.1 144 720 72000 beacon"),
        TestFlows.lines(run(flows, END), "src_addr", "beats", "flows", "bytes", "verdict"));
  }

  /** Returns the rows by the program, over all calls of each pair as a list. */
  private static List<String> expected(TestFlows flows) {
    Map<String, List<PlainBeacon.Call>> pairs = new HashMap<>();
    LongSummaryStatistics observed = new LongSummaryStatistics();
    for (Flow flow : flows.all()) {
      long time = flow.number(START_TIME);
      observed.accept(time);
      pairs
          .computeIfAbsent(flow.text(SRC_ADDR) + " " + flow.text(DST_ADDR), p -> new ArrayList<>())
          .add(new PlainBeacon.Call(time, flow.number(BYTES)));
    }
    List<String> lines = new ArrayList<>();
    pairs.forEach(
        (pair, calls) -> {
          PlainBeacon best = PlainBeacon.best(calls, observed.getMin(), observed.getMax());
          if (best != null) {
            lines.add(
                pair + " %s %s %d".formatted(best.score(), best.parts(), best.beats().size()));
          }
        });
    Collections.sort(lines);
    return lines;
  }

  @Test
  void scoresAreThoseOfAProgramOverPlainLists() {
    int found = 0;
    for (long seed = 1; seed <= 4; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      for (int source = 1; source <= 25; source++) {
        double regular = random.nextDouble();
        long period = ((long) (15 * Math.pow(200, random.nextDouble()))) * SECOND;
        long time = FROM + random.nextLong(1 + random.nextLong(20 * HOUR));
        long until = time + random.nextLong(END - time);
        while (time < Math.min(until, END - MINUTE)) {
          int size = random.nextInt(3) > 0 ? 500 : random.nextInt(2000);
          flow(flows, time, "10.0.0." + source, "203.0.113." + random.nextInt(2), 443, size);
          boolean isRegular = random.nextDouble() < regular;
          time += isRegular ? period : 100_000 + random.nextLong(2 * period);
        }
      }
      ResultTable rows = run(flows, END, "score: 0.85", "score: 0", "limit: 100", "limit: 1000");
      List<String> lines = new ArrayList<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        List<Double> parts = new ArrayList<>();
        for (String part :
            List.of("interval_score", "size_score", "histogram_score", "duration_score")) {
          parts.add(rows.doubleValue(row, rows.column(part)));
        }
        lines.add(
            TestFlows.lines(rows, "src_addr", "dst_addr").get(row)
                + " %s %s %d"
                    .formatted(
                        rows.doubleValue(row, rows.column("score")),
                        parts,
                        rows.longValue(row, rows.column("beats"))));
      }
      Collections.sort(lines);
      assertEquals(expected(flows), lines, "seed " + seed);
      found += lines.size();
    }
    assertTrue(found > 150, "too few to compare: " + found);
  }

  @Test
  void aSlotWithoutAFirstOrALastTimeIsLeftOut() {
    TestFlows flows = new TestFlows();
    for (long time = FROM + MINUTE; time < END - 10 * MINUTE; time += 10 * MINUTE) {
      flow(flows, time, "10.0.0.1", "203.0.113.1", 443, 100);
      // Between two beats, and without the time that one of the columns is made of.
      flows.add(
          time + 5 * MINUTE,
          SRC_ADDR,
          "10.0.0.1",
          DST_ADDR,
          "203.0.113.1",
          SRC_PORT,
          50_000,
          DST_PORT,
          443,
          PROTOCOL,
          6,
          BYTES,
          100);
    }
    String first = "MIN(COALESCE(start_time, end_time)) AS first";
    String last = "MAX(COALESCE(start_time, end_time)) AS last";
    for (String[] replaced :
        List.of(
            new String[] {last, "MAX(start_time) AS last"},
            new String[] {first, "MIN(start_time) AS first"})) {
      assertEquals(
          List.of("10.0.0.1 143 286"),
          TestFlows.lines(run(flows, END, replaced), "src_addr", "beats", "flows"),
          replaced[1]);
    }
  }

  @Test
  void whatDoesNotFitTheLogicIsAnErrorOfTheAnalysis() {
    refuses(
        "needs a column TIME_BUCKET",
        "TIME_BUCKET(COALESCE(start_time, end_time), ${slot}) AS slot",
        "end_time AS slot",
        "variables:\n  slot: INTERVAL '10' SECOND\n",
        "");
    refuses("needs a column first", "AS first", "AS frst");
    refuses(
        "needs a column bytes", "SUM(estimated_bytes) AS bytes", "SUM(estimated_bytes) AS octets");
    refuses("expected SUM(…) or COUNT(…) alone", "COUNT(*) AS flows", "MAX(dst_port) AS flows");
    refuses(
        "expected no LIMIT", "server_port, slot\n  window", "server_port, slot LIMIT 5\n  window");
    refuses("beats: expected a whole number", "beats: 4", "beats: 3");
    refuses("needs a column first_seen", "AS first_seen", "AS since");
    refuses(
        "expected dst_addr alone, found [dst_addr, dst_port]",
        "SELECT dst_addr, MIN",
        "SELECT dst_addr, dst_port, MIN",
        "GROUP BY dst_addr\n",
        "GROUP BY dst_addr, dst_port\n");
    refuses("expected no LIMIT", "GROUP BY dst_addr\n", "GROUP BY dst_addr LIMIT 9\n");
    refuses("needs the column inside to be LONG", "COUNT(*) FILTER", "MIN(end_time) FILTER");
  }

  private static void refuses(String part, String... replaced) {
    AnalysisConfig analysis = offered("beacons", replaced);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(analysis).open(analysis));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
