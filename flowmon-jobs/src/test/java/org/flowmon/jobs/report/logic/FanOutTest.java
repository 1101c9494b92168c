package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.junit.jupiter.api.Test;

/** The file fan_out.yaml and its logic, over planted and random peers. */
class FanOutTest {
  private static final long WINDOW = 600 * SECOND;
  private static final String[] COLUMNS = {
    "src_addr", "dst_port", "peers", "median_peers", "verdict"
  };

  @Test
  void sshWithFiveHundredHostsAndNotWithFiveIsMore() {
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 500; i++) {
      String peer = "10." + i / 250 + ".0." + i % 250;
      flows.tcp(END - 1 - i * SECOND / 2, "10.9.0.1", 50_000, peer, 22, 27);
      flows.tcp(END - 1 - i * SECOND / 2, peer, 22, "10.9.0.1", 50_000, 27); // its answer
      for (int day = 0; day <= 7; day++) {
        long time = day == 0 ? END - 1 - i * SECOND : END - day * DAY + i * SECOND;
        flows.tcp(time, "10.9.0.2", 50_000, peer, 443, 27); // a proxy, as every day
        if (i < 5) {
          flows.tcp(time, "10.9.0.1", 50_000, peer, 22, 27);
        }
      }
    }
    AnalysisConfig analysis = offered("fan_out");
    assertEquals(
        List.of("10.9.0.1 22 500 5.0 more", "10.9.0.2 443 500 500.0 usual"),
        TestFlows.lines(report(analysis, flows.window(analysis, END, END - 30 * DAY)), COLUMNS));
    AnalysisConfig onlyMore =
        offered("fan_out", "factor: 3", "factor: 3\n  condition: verdict = 'more'");
    assertEquals(
        List.of("10.9.0.1 22"),
        TestFlows.lines(
            report(onlyMore, flows.window(onlyMore, END, END - 30 * DAY)), "src_addr", "dst_port"));
    assertEquals(
        List.of("more", "more"),
        TestFlows.lines(report(analysis, flows.window(analysis, END, END - 1)), "verdict"));
  }

  private static boolean isBegun(Flow flow) {
    Long flags = flow.number(TCP_FLAGS);
    Long from = flow.number(SRC_PORT);
    Long to = flow.number(DST_PORT);
    boolean isHigher = from != null && to != null && from > to;
    if (flow.number(REVERSE_PACKETS) != null || flow.number(STATE) != null) {
      return true;
    }
    if (flow.number(PROTOCOL, 0) == 6 && flags != null) {
      boolean syn = (flags & 2) != 0;
      boolean ack = (flags & 16) != 0;
      return syn && (!ack || isHigher);
    }
    return isHigher;
  }

  @Test
  void peersAreThoseOfAProgramOverPlainLists() {
    AnalysisConfig analysis =
        offered(
            "fan_out",
            "peers >= 10",
            "peers >= 2",
            "peers: 20",
            "peers: 4",
            "LIMIT 100",
            "LIMIT 1000");
    int more = 0;
    for (long seed = 1; seed <= 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TestFlows flows = new TestFlows();
      for (int i = 0; i < 3000; i++) {
        int day = random.nextInt(8);
        long end =
            day == 0 ? END - 1 - random.nextLong(WINDOW) : END - day * DAY + random.nextLong(HOUR);
        int source = 1 + random.nextInt(1 + random.nextInt(12));
        // Some of the sources have more peers now than then.
        int peers = day == 0 && source % 3 == 0 ? 40 : 3;
        flows.add(
            end,
            SRC_ADDR,
            "10.9.0." + source,
            SRC_PORT,
            random.nextInt(10) == 0 ? null : (Integer) random.nextInt(2000),
            DST_ADDR,
            "10.0.0." + random.nextInt(peers),
            DST_PORT,
            20 + random.nextInt(4),
            PROTOCOL,
            random.nextInt(3) == 0 ? 17 : 6,
            TCP_FLAGS,
            random.nextInt(6) == 0 ? null : (Integer) random.nextInt(32),
            REVERSE_PACKETS,
            random.nextInt(6) == 0 ? (Integer) random.nextInt(3) : null,
            STATE,
            random.nextInt(9) == 0 ? (Integer) 3 : null);
      }
      Map<String, List<Set<String>>> byKey = new HashMap<>();
      for (Flow flow : flows.all()) {
        if (isBegun(flow)) {
          long before = END - flow.end();
          int day = before <= WINDOW ? 0 : (int) ((before + DAY - 1) / DAY);
          List<Set<String>> days =
              byKey.computeIfAbsent(
                  flow.text(SRC_ADDR) + " " + flow.number(PROTOCOL) + " " + flow.number(DST_PORT),
                  k -> {
                    List<Set<String>> all = new ArrayList<>();
                    for (int d = 0; d <= 7; d++) {
                      all.add(new HashSet<>());
                    }
                    return all;
                  });
          days.get(day).add(flow.text(DST_ADDR));
        }
      }
      Set<String> expected = new HashSet<>();
      for (Map.Entry<String, List<Set<String>>> entry : byKey.entrySet()) {
        int now = entry.getValue().get(0).size();
        int[] past = entry.getValue().stream().skip(1).mapToInt(Set::size).toArray();
        Arrays.sort(past);
        if (now >= 2) {
          String verdict = now >= 4 && now >= 3 * past[3] ? "more" : "usual";
          expected.add(entry.getKey() + " " + now + " " + (double) past[3] + " " + verdict);
        }
      }
      List<String> found =
          TestFlows.lines(
              report(analysis, flows.window(analysis, END, END - 30 * DAY)),
              "src_addr",
              "protocol",
              "dst_port",
              "peers",
              "median_peers",
              "verdict");
      assertEquals(expected, new HashSet<>(found), "seed " + seed);
      more += (int) found.stream().filter(line -> line.endsWith("more")).count();
    }
    assertTrue(more > 10, "too few with more peers: " + more);
  }
}
