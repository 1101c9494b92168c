package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** What RITA's modifiers do to the ranks of {@code beacons}, over a planted office. */
class BeaconRanksIT {
  private static final long SEED = 5;
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 24 * 60 * MINUTE;
  private static final long END = 20_600 * DAY;
  private static final int HOSTS = 60;

  /**
   * Pairs of one kind.
   *
   * @param hosts the first ones of the office
   * @param jitter of a beat, as a share of the period
   * @param days since when the office speaks with the server
   */
  private record Kind(
      String what, String server, int hosts, long period, double jitter, int days) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("time, of all hosts", "192.0.2.1", HOSTS, 17 * MINUTE, 0, 40),
          new Kind("updates, of all hosts", "192.0.2.2", HOSTS, 60 * MINUTE, 0.05, 40),
          new Kind("a monitoring of the provider", "192.0.2.3", 1, MINUTE, 0, 40),
          new Kind("a service new this month", "192.0.2.4", 20, 10 * MINUTE, 0.1, 14),
          new Kind("a caller home since today", "192.0.2.5", 1, 5 * MINUTE, 0.3, 1));

  private record Call(long time, int host, String server) {}

  private static List<FlowBatch> flows() {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Call> calls = new ArrayList<>();
    for (Kind kind : KINDS) {
      for (int day = kind.days(); day > 1; day--) { // a call a day tells since when
        calls.add(new Call(END - day * DAY + random.nextLong(DAY), 0, kind.server()));
      }
      for (int host = 0; host < kind.hosts(); host++) {
        long first = END - DAY + random.nextLong(kind.period());
        for (long time = first; time < END - 2 * kind.period(); time += kind.period()) {
          double off = (2 * random.nextDouble() - 1) * kind.jitter() * kind.period();
          calls.add(new Call(Math.max(END - DAY, time + (long) off), host, kind.server()));
        }
      }
    }
    calls.sort(Comparator.comparingLong(Call::time));
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(calls.size());
    for (Call call : calls) {
      builder.beginRow();
      builder.set(FlowColumn.START_TIME, call.time());
      builder.set(FlowColumn.END_TIME, call.time());
      builder.set(FlowColumn.ARRIVAL, call.time());
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse("10.1.0." + (1 + call.host())));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(call.server()));
      builder.set(FlowColumn.SRC_PORT, 50_000);
      builder.set(FlowColumn.DST_PORT, 443);
      builder.set(FlowColumn.PROTOCOL, 6);
      builder.set(FlowColumn.TCP_FLAGS, 0x1B);
      builder.set(FlowColumn.BYTES, 800);
      builder.set(FlowColumn.PACKETS, 8);
      builder.endRow();
    }
    batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
    return batches;
  }

  /** Ranks from 1, as if there were no modifiers. */
  private static int[] ranksByScore(ResultTable rows) {
    List<Integer> order = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      order.add(row);
    }
    int verdict = rows.column("verdict");
    int score = rows.column("score");
    int beats = rows.column("beats");
    order.sort(
        Comparator.comparing((Integer row) -> rows.text(row, verdict))
            .thenComparing(row -> -rows.doubleValue(row, score))
            .thenComparing(row -> -rows.longValue(row, beats)));
    int[] ranks = new int[order.size()];
    for (int i = 0; i < ranks.length; i++) {
      ranks[order.get(i)] = i + 1;
    }
    return ranks;
  }

  @Test
  void aServerOfOneHostSinceTodayComesBeforeThoseOfAllHostsForLong() throws IOException {
    List<FlowBatch> flows = flows();
    AnalysisRun run =
        AnalysisRun.withPast(
            flows, "beacons", "slide: 12m", "slide: 24h", "limit: 100", "limit: 1000");
    ResultTable rows = run.report(flows, END);
    int[] byScore = ranksByScore(rows);
    Map<String, Integer> first = new LinkedHashMap<>(); // rows are in the order of ranks
    Map<String, Integer> best = new LinkedHashMap<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      String server = rows.formatted(row, rows.column("dst_addr"));
      first.putIfAbsent(server, row);
      best.merge(server, byScore[row], Math::min);
    }
    List<String> lines = new ArrayList<>();
    for (Kind kind : KINDS) {
      int row = first.get(kind.server());
      lines.add(
          "| %s | %s | %d | %s | %s | %s | %d |"
              .formatted(
                  kind.what(),
                  rows.formatted(row, rows.column("score")),
                  best.get(kind.server()),
                  rows.formatted(row, rows.column("prevalence"))
                      .replaceAll("(\\.\\d\\d)\\d+", "$1"),
                  kind.days(),
                  rows.formatted(row, rows.column("modifier")),
                  row + 1));
    }
    lines.forEach(System.out::println);
    String caller = KINDS.get(4).server();
    assertEquals(0, first.get(caller));
    assertTrue(best.get(caller) > HOSTS, "by the score alone " + best.get(caller));
    DetectionPage.check("<!-- DetectionIT, modifiers -->", lines);
  }
}
