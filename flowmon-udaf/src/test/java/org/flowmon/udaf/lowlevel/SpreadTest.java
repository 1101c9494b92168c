package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** Long flows divided among the slides of their activity, against a count by hand. */
class SpreadTest {
  private static final long SECOND = 1_000_000L;
  private static final long START = 1_700_000_000L * SECOND;
  private static final FlowQuery QUERY =
      QueryParser.parse(
          "SELECT src_addr, SUM(bytes) AS bytes, SUM(packets) AS packets, SUM(reverse_bytes) AS"
              + " reverse, MAX(bytes) AS largest, COUNT(*) AS n, COUNT(reverse_bytes) AS both"
              + " FROM flows WHERE bytes > 100 GROUP BY src_addr");

  private record Flow(
      long arrival, Long start, Long end, int source, long bytes, long packets, Long reverse) {}

  /** The sums of a source in a window. */
  private static final class Sums {
    private BigInteger bytes = BigInteger.ZERO;
    private long packets;
    private Long reverse;
    private long largest = Long.MIN_VALUE;
    private long count;
    private long both;

    @Override
    public String toString() {
      return bytes + " " + packets + " " + reverse + " " + largest + " " + count + " " + both;
    }
  }

  private static List<Flow> flows(SplittableRandom random, int number, boolean inTime) {
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      long arrival = START + i * 5_000L + random.nextInt(4_000);
      int kind = random.nextInt(100);
      Long end = arrival - random.nextLong(kind < 10 && !inTime ? 20 * SECOND : SECOND / 2);
      if (!inTime && kind >= 95) {
        end = arrival + (kind == 95 ? 4000 * SECOND : SECOND);
      }
      if (!inTime && kind == 96) {
        end = null;
      }
      Long start = arrival - random.nextLong(kind % 3 == 0 ? 10 * SECOND : SECOND);
      if (kind == 50) {
        start = null;
      } else if (kind == 51) {
        start = Long.MIN_VALUE + random.nextInt(5); // years off
      } else if (kind < 60 && end != null) {
        start = end - end % (SECOND / 4); // at a slide's beginning
      }
      long bytes = random.nextInt(20) == 0 ? Long.MAX_VALUE / 3 : random.nextInt(100_000);
      Long reverse = random.nextInt(3) == 0 ? null : Long.valueOf(random.nextInt(50));
      flows.add(
          new Flow(arrival, start, end, random.nextInt(30), bytes, 1 + random.nextInt(9), reverse));
    }
    return flows;
  }

  private static FlowBatch batch(List<Flow> flows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(flows.size());
    for (Flow flow : flows) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, flow.arrival());
      if (flow.start() != null) {
        builder.set(FlowColumn.START_TIME, flow.start());
      }
      if (flow.end() != null) {
        builder.set(FlowColumn.END_TIME, flow.end());
      }
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(flow.source()));
      builder.set(FlowColumn.BYTES, flow.bytes());
      builder.set(FlowColumn.PACKETS, flow.packets());
      if (flow.reverse() != null) {
        builder.set(FlowColumn.REVERSE_BYTES, flow.reverse());
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, 0, 0));
  }

  private static long through(long total, long elapsed, long duration) {
    return BigInteger.valueOf(total)
        .multiply(BigInteger.valueOf(elapsed))
        .divide(BigInteger.valueOf(duration))
        .longValueExact();
  }

  /** By window's end and source. */
  private static Map<Long, Map<Integer, Sums>> expected(List<Flow> flows, WindowSpec window) {
    long slide = window.slideMicros();
    Map<Long, Map<Integer, Sums>> windows = new TreeMap<>();
    for (Flow flow : flows) {
      long end = flow.end() == null ? flow.arrival() : flow.end();
      if (flow.bytes() <= 100 || end > flow.arrival() + window.aheadMicros()) {
        continue;
      }
      boolean isDivided =
          flow.end() != null && flow.start() != null && flow.start() > 0 && flow.start() < end;
      long start = isDivided ? flow.start() : end;
      long duration = Math.max(1, end - start);
      long lastPane = Math.floorDiv(isDivided ? end - 1 : end, slide) * slide;
      for (long pane = Math.floorDiv(start, slide) * slide; pane <= lastPane; pane += slide) {
        long lo = Math.max(pane, start) - start;
        long hi = pane == lastPane ? duration : pane + slide - start;
        for (long e = pane + slide; e <= pane + window.widthMicros(); e += slide) {
          if (flow.arrival() <= e + window.latenessMicros()) {
            add(windows.computeIfAbsent(e, k -> new TreeMap<>()), flow, lo, hi, duration);
          }
        }
      }
    }
    return windows;
  }

  private static void add(Map<Integer, Sums> sources, Flow flow, long lo, long hi, long duration) {
    Sums sums = sources.computeIfAbsent(flow.source(), s -> new Sums());
    long share = through(flow.bytes(), hi, duration) - through(flow.bytes(), lo, duration);
    sums.bytes = sums.bytes.add(BigInteger.valueOf(share));
    sums.largest = Math.max(sums.largest, share);
    sums.packets += through(flow.packets(), hi, duration) - through(flow.packets(), lo, duration);
    sums.count++;
    if (flow.reverse() != null) {
      sums.both++;
      long reverse = through(flow.reverse(), hi, duration) - through(flow.reverse(), lo, duration);
      sums.reverse = (sums.reverse == null ? 0 : sums.reverse) + reverse;
    }
  }

  private static Map<Long, String> described(Map<Long, Map<Integer, Sums>> windows) {
    Map<Long, String> described = new TreeMap<>();
    windows.forEach((end, sources) -> described.put(end, sources.toString()));
    return described;
  }

  private static Map<Long, WindowPart> run(
      List<FlowBatch> batches,
      WindowSpec window,
      SplittableRandom random,
      LowLevelCounts[] counts) {
    Map<Integer, WindowTables> tables = new HashMap<>();
    Map<Long, WindowPart> windows = new TreeMap<>();
    LowLevelQuery low =
        new LowLevelQuery(
            7,
            QUERY,
            window,
            16,
            5,
            (keyGroup, bytes) ->
                tables
                    .computeIfAbsent(keyGroup, k -> new WindowTables(7, QUERY, window))
                    .merge(PartialGroups.open(bytes)));
    for (FlowBatch batch : batches) {
      low.process(batch);
      if (random.nextBoolean()) {
        low.closePanesUpTo(batch.maxArrival() - 1);
      }
      if (random.nextInt(4) == 0) {
        low.drainAll();
      }
    }
    low.drainAll();
    for (WindowTables table : tables.values()) {
      table.closeUpTo(
          Long.MAX_VALUE / 4,
          part -> {
            WindowPart known = windows.putIfAbsent(part.windowEnd(), part);
            if (known != null) {
              known.merge(part);
            }
          });
    }
    counts[0] = low.counts();
    return windows;
  }

  private static String describe(ResultTable rows) {
    Map<Integer, String> sources = new TreeMap<>();
    for (int r = 0; r < rows.rowCount(); r++) {
      StringBuilder text = new StringBuilder(rows.bigValue(r, 1).toString());
      for (int c = 2; c < rows.columnCount(); c++) {
        text.append(' ').append(rows.isNull(r, c) ? "null" : rows.bigValue(r, c).toString());
      }
      sources.put((int) rows.address(r, 0).lo(), text.toString());
    }
    return sources.toString();
  }

  @Test
  void everyWindowHasTheSharesOfTheTimeThatFlowsWereActiveInIt() {
    for (long seed = 1; seed <= 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long slide = SECOND / 4 * (1 + random.nextInt(8));
      WindowSpec window =
          new WindowSpec(
              slide * (1 + random.nextInt(3)),
              slide,
              FlowColumn.END_TIME,
              random.nextInt(4) * 700_000L,
              3_600 * SECOND,
              random.nextBoolean(),
              true);
      List<Flow> flows = flows(random, 2_500, false);
      List<FlowBatch> batches = new ArrayList<>();
      for (int from = 0; from < flows.size(); from += 1_250) {
        batches.add(batch(flows.subList(from, from + 1_250)));
      }
      String at = "seed " + seed + ", " + window;
      LowLevelCounts[] counts = new LowLevelCounts[1];
      Map<Long, String> windows = new TreeMap<>();
      run(batches, window, random, counts)
          .forEach((end, part) -> windows.put(end, describe(part.result())));
      assertEquals(described(expected(flows, window)), windows, at);
      assertEquals(
          counts[0].selected(),
          counts[0].counted() + counts[0].late() + counts[0].ahead() + counts[0].behindWatermark(),
          at);
      assertEquals(0, counts[0].behindWatermark(), at);
      assertTrue(counts[0].partlyLate() > 0 && counts[0].ahead() > 0, at);
    }
  }

  @Test
  void theSharesOfFlowsThatAreNotLateAreTheirTotals() {
    SplittableRandom random = new SplittableRandom(77);
    List<Flow> flows = flows(random, 3_000, true);
    WindowSpec window =
        new WindowSpec(
            SECOND, SECOND, FlowColumn.END_TIME, 20 * SECOND, 3_600 * SECOND, true, true);
    LowLevelCounts[] counts = new LowLevelCounts[1];
    BigInteger bytes = BigInteger.ZERO;
    for (WindowPart part : run(List.of(batch(flows)), window, random, counts).values()) {
      bytes = bytes.add(part.totals().bigValue(0, part.totals().column("bytes")));
    }
    BigInteger expected = BigInteger.ZERO;
    for (Flow flow : flows) {
      expected = expected.add(BigInteger.valueOf(flow.bytes() > 100 ? flow.bytes() : 0));
    }
    assertEquals(expected, bytes, "seed 77");
    assertEquals(0, counts[0].late() + counts[0].partlyLate(), "seed 77");
  }

  @Test
  void sharesAreExactWhereTheProductTakes128Bits() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 100_000; i++) {
      long total = random.nextLong() >>> (1 + random.nextInt(62));
      long duration = 1 + (random.nextLong() >>> (2 + random.nextInt(60)));
      long elapsed = random.nextLong(duration + 1);
      assertEquals(
          through(total, elapsed, duration),
          SpreadRows.through(total, elapsed, duration),
          total + " · " + elapsed + " / " + duration);
    }
  }

  @Test
  void windowsOverArrivalsDivideNothing() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new WindowSpec(1000, 1000, FlowColumn.ARRIVAL, 0, 0, false, true));
    assertTrue(e.getMessage().contains("end_time"), e.getMessage());
  }
}
