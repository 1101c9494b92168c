package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.END_TIME;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.START_TIME;
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
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class BeaconsLogicTest {
  private static final long FROM = END - 4 * HOUR;
  private static final long MINUTE = 60 * SECOND;

  private static void flow(TestFlows flows, long start, String source, String target, int port) {
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
        BYTES,
        100);
  }

  /** Plants beats from…to, each off its time by up to the jitter as a share of the period. */
  private static void plant(
      TestFlows flows, SplittableRandom random, String source, long period, double jitter) {
    for (long time = FROM + period / 2; time < END - period; time += period) {
      long off = (long) ((2 * random.nextDouble() - 1) * jitter * period);
      flow(flows, time + off, source, "203.0.113.9", 443);
    }
  }

  /** Plants traffic of many hosts: popular targets (Zipf), exponential pauses, bursts. */
  private static void plantNoise(TestFlows flows, SplittableRandom random, int hosts) {
    for (int host = 0; host < hosts; host++) {
      double mean = 20 + random.nextInt(400);
      for (double t = 0; t < 4 * 3600 - 20; t += -Math.log(1 - random.nextDouble()) * mean) {
        int target = (int) Math.pow(200, random.nextDouble());
        int burst = random.nextInt(8) == 0 ? 6 : 1;
        for (int i = 0; i < burst; i++) {
          long start = FROM + (long) (t * SECOND) + i * 1_500_000L;
          flow(flows, start, "10.1.0." + host, "198.51.100." + target, 443);
        }
      }
    }
  }

  private static ResultTable run(TestFlows flows, String... replaced) {
    AnalysisConfig analysis = offered("beacons", replaced);
    return report(analysis, flows.window(analysis, END, 0));
  }

  @Test
  void plantedBeaconsAreFoundWithTheirPeriodAndNothingElse() {
    for (long seed = 1; seed <= 6; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      plantNoise(flows, random, 60);
      plant(flows, random, "10.0.0.1", 5 * MINUTE, 0);
      plant(flows, random, "10.0.0.2", 5 * MINUTE, 0.1);
      plant(flows, random, "10.0.0.3", 15 * MINUTE, 0.1);
      plant(flows, random, "10.0.0.4", 90 * SECOND, 0.12);
      plant(flows, random, "10.0.0.5", 5 * MINUTE, 0.45); // none: too far off
      Collections.shuffle(flows.all(), new java.util.Random(seed));
      ResultTable rows = run(flows);
      Map<String, Long> found = new TreeMap<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        found.put(
            rows.formatted(row, rows.column("src_addr")),
            rows.longValue(row, rows.column("period")));
        assertEquals("beacon", rows.formatted(row, rows.column("verdict")));
      }
      assertEquals(
          new TreeSet<>(List.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4")),
          found.keySet(),
          "seed " + seed);
      assertEquals("10.0.0.4", rows.formatted(0, rows.column("src_addr")), "most beats");
      assertEquals(5 * MINUTE, found.get("10.0.0.1"), "seed " + seed);
      assertEquals(15 * MINUTE, found.get("10.0.0.3"), 1.5 * MINUTE, "seed " + seed);
    }
  }

  @Test
  void aBurstIsOneBeatAndALongPauseOrAShortTimeIsNoBeacon() {
    TestFlows flows = new TestFlows();
    for (int beat = 0; beat < 24; beat++) {
      long time = FROM + MINUTE + beat * 10L * MINUTE;
      for (int i = 0; i < 5; i++) {
        flow(flows, time + i * 2L * SECOND, "10.0.0.1", "203.0.113.1", 80);
      }
      // As often, but within 40 minutes: less than half of the window.
      flow(flows, FROM + beat * 100L * SECOND, "10.0.0.2", "203.0.113.1", 80);
      // A tenth of the intervals may differ, three of eleven are too many.
      if (beat % 8 != 4) {
        flow(flows, time, "10.0.0.3", "203.0.113.1", 80);
      }
      if (beat < 12 && beat != 5) {
        flow(flows, FROM + MINUTE + beat * 18L * MINUTE, "10.0.0.4", "203.0.113.1", 80);
      }
    }
    assertEquals(
        List.of("10.0.0.1 24 120 12000 1.0"),
        TestFlows.lines(run(flows), "src_addr", "beats", "flows", "bytes", "regularity"));
    assertEquals(
        List.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"),
        TestFlows.lines(
                run(
                    flows,
                    "span: 0.5",
                    "span: 0.1",
                    "share: 0.9",
                    "share: 0.8",
                    "beats: 12",
                    "beats: 11"),
                "src_addr")
            .stream()
            .sorted()
            .toList());
  }

  /** Returns the rows by the rule, over all times of each pair as a list. */
  private static List<String> expected(TestFlows flows) {
    Map<String, List<Long>> pairs = new HashMap<>();
    for (Flow flow : flows.all()) {
      pairs
          .computeIfAbsent(flow.text(SRC_ADDR) + " " + flow.text(DST_ADDR), p -> new ArrayList<>())
          .add(flow.number(START_TIME));
    }
    List<String> lines = new ArrayList<>();
    pairs.forEach(
        (pair, times) -> {
          Collections.sort(times);
          List<Long> beats = new ArrayList<>();
          for (int i = 0; i < times.size(); i++) {
            if (i == 0 || times.get(i) - times.get(i - 1) > 10 * SECOND) {
              beats.add(times.get(i));
            }
          }
          if (beats.size() < 5) {
            return;
          }
          List<Long> intervals = new ArrayList<>();
          for (int i = 1; i < beats.size(); i++) {
            intervals.add(beats.get(i) - beats.get(i - 1));
          }
          Collections.sort(intervals);
          long median = intervals.get((intervals.size() - 1) / 2);
          long near =
              intervals.stream().filter(d -> 10 * Math.abs(d - median) <= 3 * median).count();
          long length = beats.get(beats.size() - 1) - beats.get(0);
          if (10 * near >= 6L * intervals.size() && 2 * length >= 4 * HOUR) {
            lines.add(
                pair + " " + beats.size() + " " + median + " " + (double) near / intervals.size());
          }
        });
    Collections.sort(lines);
    return lines;
  }

  @Test
  void theRuleIsThatOfAProgramOverAllTimesWhereSlotsHoldTwo() {
    int found = 0;
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      for (int source = 1; source <= 40; source++) {
        // No pause under 31 seconds: a slot of a minute has two times at most.
        double regular = random.nextDouble();
        long period = (60 + random.nextInt(1500)) * SECOND;
        long time = FROM + random.nextLong(period);
        while (time < END - 20 * MINUTE) {
          flow(flows, time, "10.0.0." + source, "203.0.113." + random.nextInt(2), 443);
          boolean isRegular = random.nextDouble() < regular;
          time += isRegular ? period : 31 * SECOND + random.nextLong(2 * period);
        }
      }
      ResultTable rows = run(flows, "beats: 12", "beats: 5", "share: 0.9", "share: 0.6");
      List<String> lines = new ArrayList<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        lines.add(
            TestFlows.lines(rows, "src_addr", "dst_addr", "beats").get(row)
                + " "
                + rows.longValue(row, rows.column("period"))
                + " "
                + rows.doubleValue(row, rows.column("regularity")));
      }
      Collections.sort(lines);
      assertEquals(expected(flows), lines, "seed " + seed);
      found += lines.size();
    }
    assertTrue(found > 50, "too few to compare: " + found);
  }

  @Test
  void aSlotWithoutAFirstOrALastTimeIsLeftOut() {
    TestFlows flows = new TestFlows();
    for (int beat = 0; beat < 24; beat++) {
      long time = FROM + MINUTE + beat * 10L * MINUTE;
      flow(flows, time, "10.0.0.1", "203.0.113.1", 443);
      // Between two beats, and without the time that one of the columns is made of.
      flows.add(
          time + 5 * MINUTE,
          END_TIME,
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
          List.of("10.0.0.1 24 48"),
          TestFlows.lines(run(flows, replaced), "src_addr", "beats", "flows"),
          replaced[1]);
    }
  }

  @Test
  void whatDoesNotFitTheLogicIsAnErrorOfTheAnalysis() {
    refuses(
        "needs a column TIME_BUCKET",
        "TIME_BUCKET(COALESCE(start_time, end_time), INTERVAL '1' MINUTE) AS slot",
        "end_time AS slot");
    refuses("needs a column first", "AS first", "AS frst");
    refuses("expected SUM(…) or COUNT(…) alone", "SUM(bytes) AS bytes", "AVG(bytes) AS bytes");
    refuses("expected no LIMIT", "dst_port, slot\n  window", "dst_port, slot LIMIT 5\n  window");
    refuses("beats: expected a whole number", "beats: 12", "beats: 2");
  }

  private static void refuses(String part, String... replaced) {
    AnalysisConfig analysis = offered("beacons", replaced);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(analysis).open(analysis));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
