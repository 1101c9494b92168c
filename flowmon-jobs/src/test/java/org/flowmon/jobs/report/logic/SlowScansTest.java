package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.ICMP_TYPE_CODE;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.STATE;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.junit.jupiter.api.Test;

/** The file slow_scans.yaml, over planted slow scans and lookalikes. */
class SlowScansTest {
  private static final Set<Long> NOT_ESTABLISHED = Set.of(1L, 4L, 9L, 10L, 11L);

  @Test
  void aProbeEachQuarterOfAnHourIsFoundAndABrowserAndABackscatterAreNot() {
    TestFlows flows = new TestFlows();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 90; i++) {
      long time = END - 1 - i * 900L * SECOND;
      flows.tcp(time, "198.51.100.1", 40_000, "10.0.0.1", 1 + i, 2); // one host, many ports
      flows.tcp(time, "10.0.0.1", 1 + i, "198.51.100.1", 40_000, 20); // refused: RST, ACK
      flows.tcp(time, "198.51.100.2", 40_000, "10.0.1." + i, 22, 2); // many hosts
      // The victim of a flood from forged sources answers to all of them.
      flows.tcp(time, "203.0.113.1", 80, "10.0.2." + i, random.nextInt(1024, 65_536), 18);
      flows.add(
          time,
          SRC_ADDR,
          "198.51.100.3",
          DST_ADDR,
          "10.0.0.9",
          DST_PORT,
          100 + i,
          PROTOCOL,
          17,
          REVERSE_PACKETS,
          0);
      ping(flows, time, "198.51.100.4", "10.0.3." + i, 2048, 0);
      ping(flows, time, "10.0.0.53", "10.0.4." + i, 2048, i % 3); // two of three answer
      ping(flows, time, "10.0.0.54", "10.0.3." + i, 771, 0); // port unreachable
      ping(flows, time, "10.0.0.55", "10.0.3." + i, 2048, null); // unknown
    }
    for (int i = 0; i < 600; i++) {
      long time = END - 1 - random.nextLong(DAY);
      boolean isDead = i % 6 == 0; // a sixth of a browser's targets do not exist
      String site = "192.0.2." + i % 200;
      flows.tcp(time, "10.0.0.50", 50_000 + i, site, 443 + i / 200, isDead ? 2 : 27);
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.51",
          DST_ADDR,
          site,
          DST_PORT,
          443 + i / 200,
          PROTOCOL,
          6,
          STATE,
          isDead ? 1 : 3);
      // It is unknown whether these were answered.
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.52",
          SRC_PORT,
          60_000,
          DST_ADDR,
          site,
          DST_PORT,
          53,
          PROTOCOL,
          17);
    }
    AnalysisConfig analysis = offered("slow_scans");
    assertEquals(
        List.of(
            "198.51.100.1 90 scan",
            "198.51.100.2 90 scan",
            "198.51.100.3 90 scan",
            "198.51.100.4 90 scan"),
        TestFlows.lines(
            report(analysis, flows.window(analysis, END, END - 30 * DAY)),
            "src_addr",
            "targets",
            "verdict"));
    // No minute has more than one of them.
    AnalysisConfig fast = offered("portscans");
    assertTrue(flows.windows(fast).values().stream().allMatch(w -> w.rows().rowCount() == 0));
  }

  private static void ping(
      TestFlows flows, long time, String from, String to, int typeCode, Integer answers) {
    flows.add(
        time,
        SRC_ADDR,
        from,
        DST_ADDR,
        to,
        PROTOCOL,
        1,
        ICMP_TYPE_CODE,
        typeCode,
        REVERSE_PACKETS,
        answers);
  }

  private static boolean isIcmp(Flow flow) {
    return flow.number(PROTOCOL) == 1;
  }

  private static Boolean unanswered(Flow flow) { // null: unknown
    Long flags = flow.number(TCP_FLAGS);
    if (isIcmp(flow)) {
      Long type = flow.number(ICMP_TYPE_CODE);
      Long answers = flow.number(REVERSE_PACKETS);
      boolean isKnown = type != null && type / 256 == 8 && answers != null;
      return isKnown ? (Boolean) (answers == 0) : null;
    }
    if (flow.number(STATE) != null) {
      return NOT_ESTABLISHED.contains(flow.number(STATE));
    }
    if (flow.number(PROTOCOL) == 6 && flags != null) {
      boolean isAnswer = (flags & 16) != 0 || ((flags & 4) != 0 && (flags & 2) == 0);
      return !isAnswer;
    }
    return flow.number(REVERSE_PACKETS) == null ? null : flow.number(REVERSE_PACKETS) == 0;
  }

  private static boolean isBegun(Flow flow) {
    if (isIcmp(flow)) {
      return unanswered(flow) != null;
    }
    if (flow.number(REVERSE_PACKETS) != null || flow.number(STATE) != null) {
      return true;
    }
    Boolean unanswered = unanswered(flow);
    if (unanswered == null) {
      return false;
    }
    Long from = flow.number(SRC_PORT);
    return unanswered || (from != null && from > flow.number(DST_PORT));
  }

  @Test
  void targetsAreThoseOfAProgramOverPlainLists() {
    AnalysisConfig analysis =
        offered("slow_scans", "targets >= 20", "targets >= 5", "LIMIT 100", "LIMIT 1000");
    int found = 0;
    for (long seed = 1; seed <= 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      for (int i = 0; i < 2000; i++) {
        boolean isTcp = random.nextInt(4) > 0;
        int kind = random.nextInt(5);
        boolean isScan = random.nextInt(3) == 0;
        boolean isPing = kind == 4 || (kind == 1 && i % 2 == 0);
        flows.add(
            END - 1 - random.nextLong(26 * HOUR),
            SRC_ADDR,
            (isScan ? "198.51.100." : "10.9.0.") + random.nextInt(15),
            SRC_PORT,
            random.nextInt(9) == 0 ? null : (Integer) random.nextInt(2000),
            DST_ADDR,
            "10.0.0." + random.nextInt(9),
            DST_PORT,
            random.nextInt(12),
            PROTOCOL,
            isTcp ? 6 : isPing ? 1 : 17,
            ICMP_TYPE_CODE,
            isPing && !isTcp && i % 7 > 0 ? (Integer) (i % 5 == 0 ? 0 : 2048 + i % 2) : null,
            TCP_FLAGS,
            isTcp && kind > 0 ? (Integer) (isScan ? 2 : random.nextInt(64)) : null,
            REVERSE_PACKETS,
            kind < 2 ? (Integer) random.nextInt(isScan ? 1 : 3) : null,
            STATE,
            kind == 3 ? (Integer) (isScan ? 1 : 1 + random.nextInt(13)) : null);
      }
      Map<String, Set<String>> targets = new HashMap<>();
      Map<String, int[]> counts = new HashMap<>();
      for (Flow flow : flows.all()) {
        if (flow.end() < END - DAY || !isBegun(flow)) {
          continue;
        }
        String source = flow.text(SRC_ADDR);
        int[] count = counts.computeIfAbsent(source, s -> new int[2]);
        count[1]++;
        if (Boolean.TRUE.equals(unanswered(flow))) {
          count[0]++;
          targets
              .computeIfAbsent(source, s -> new HashSet<>())
              .add(flow.text(DST_ADDR) + " " + (isIcmp(flow) ? 0 : flow.number(DST_PORT)));
        }
      }
      List<String> sources = new ArrayList<>(targets.keySet());
      sources.removeIf(s -> targets.get(s).size() < 5 || 2 * counts.get(s)[0] < counts.get(s)[1]);
      sources.sort(
          Comparator.comparing((String s) -> -targets.get(s).size())
              .thenComparing(IpAddress::parse));
      List<String> expected =
          sources.stream()
              .map(
                  s ->
                      s
                          + " "
                          + targets.get(s).size()
                          + " "
                          + counts.get(s)[0]
                          + " "
                          + counts.get(s)[1])
              .toList();
      assertEquals(
          expected,
          TestFlows.lines(
              report(analysis, flows.window(analysis, END, END - 30 * DAY)),
              "src_addr",
              "targets",
              "unanswered",
              "flows"),
          "seed " + seed);
      found += expected.size();
    }
    assertTrue(found > 100, "too few to compare: " + found);
  }
}
