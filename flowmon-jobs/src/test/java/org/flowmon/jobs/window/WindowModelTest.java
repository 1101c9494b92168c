package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.WatermarkTime;
import org.junit.jupiter.api.Test;

/**
 * Windows, lateness and revisions, compared with a sequential program: the flows of each window,
 * the late flows, and the contents of each result, whatever the order, the parallelism and the
 * restarts.
 */
class WindowModelTest {
  private static final int SEEDS = 100 * Integer.getInteger("flowmon.test.times", 1);

  private static final long MS = 1000;
  private static final long HOUR = 3_600_000 * MS;
  private static final long[] SLIDES = {500 * MS, 1000 * MS, 2000 * MS};
  private static final long[] LATENESS = {0, 700 * MS, 1000 * MS, 2500 * MS, 6000 * MS};

  /** One random schedule: an analysis, flows by partition, and restarts. */
  private static final class Schedule {
    final SplittableRandom random;
    final long seed;
    final long slide;
    final long width;
    final long lateness;
    final boolean byArrival;
    final boolean revisions;
    final long disorder;
    // Whether results come once, with work in advance of them.
    final boolean once;
    final boolean keepsAll;
    final int limit;
    final boolean ascending;
    final AnalysisConfig analysis;
    // Whether restarts may switch revisions off and on again.
    final boolean switches;
    final List<List<TestFlow>> partitions = new ArrayList<>();
    final List<TestFlow> flows = new ArrayList<>();

    Schedule(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
      slide = SLIDES[random.nextInt(SLIDES.length)];
      once = seed % 3 < 2;
      keepsAll = seed % 3 == 0;
      width = slide * (once || random.nextBoolean() ? 1 : 1 + random.nextInt(4));
      lateness = once ? slide >> random.nextInt(3) : LATENESS[random.nextInt(LATENESS.length)];
      byArrival = random.nextInt(6) == 0;
      limit = 1 + random.nextInt(5);
      ascending = seed % 5 < 2;
      revisions = random.nextInt(5) > (once ? 3 : 0);
      disorder = random.nextInt(3) * (200 * MS);
      analysis =
          AnalysisConfig.parse(
              "talkers.yaml",
              """
              name: talkers
              live:
                query: |
                  SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
                  GROUP BY src_addr ORDER BY bytes %s %s
                window: %dms
                slide: %dms
                lateness: %dms
                time: %s
                revisions: %s
                slots: 16
              report:
                logic: live
              """
                  .formatted(
                      ascending ? "" : "DESC",
                      keepsAll ? "" : "LIMIT " + limit,
                      width / MS,
                      slide / MS,
                      lateness / MS,
                      byArrival ? "arrival" : "end_time",
                      revisions));
      switches = seed % 4 == 0;
      int count = 1 + random.nextInt(3);
      for (int p = 0; p < count; p++) {
        partitions.add(new ArrayList<>());
      }
      int number = 200 + random.nextInt(600);
      for (int i = 0; i < number; i++) {
        TestFlow flow = flow(i);
        flows.add(flow);
        partitions.get(random.nextInt(count)).add(flow);
      }
      partitions.replaceAll(this::disordered);
    }

    private TestFlow flow(int i) {
      long arrival = TestFlow.START + i * (30 * MS) + random.nextInt(30) * MS;
      if (random.nextInt(8) == 0) {
        arrival -= arrival % slide; // at a tick, to the microsecond
      } else if (random.nextInt(8) == 0) {
        arrival -= Math.floorMod(arrival - lateness, slide); // at the end of a window's lateness
      } else {
        arrival += random.nextInt(1000);
      }
      int kind = random.nextInt(100);
      Long end;
      if (kind < 4) {
        end = null;
      } else if (kind < 8) {
        end = arrival + (random.nextBoolean() ? HOUR + 1 + random.nextInt(9) : HOUR / 1800);
      } else if (kind < 12) {
        end = arrival - 40_000 * MS;
      } else if (kind < 50) {
        end = arrival - random.nextLong(lateness + 2 * width + 1);
      } else {
        end = arrival - random.nextLong(600 * MS);
      }
      return new TestFlow(
          arrival,
          end,
          IpAddress.ofIpv4(0x0A00_0000 + random.nextInt(keepsAll ? 60 : 9 << random.nextInt(5))),
          1 + random.nextInt(1000),
          random.nextInt(10) == 0);
    }

    /**
     * Returns an order in which no flow comes further behind the largest arrival than the bound.
     */
    private List<TestFlow> disordered(List<TestFlow> partition) {
      Map<TestFlow, Long> key = new HashMap<>();
      partition.forEach(f -> key.put(f, f.arrival() + random.nextLong(disorder + 1)));
      List<TestFlow> order = new ArrayList<>(partition);
      order.sort(Comparator.comparingLong(key::get));
      return order;
    }

    private long time(TestFlow flow) {
      return byArrival ? flow.arrival() : flow.time();
    }

    /** Returns a window's content, by its end: its flows that arrived by then. */
    String expected(long end, long through) {
      Map<IpAddress, Long> sums = new TreeMap<>();
      for (TestFlow flow : flows) {
        boolean isOf =
            !flow.outgoing()
                && time(flow) >= end - width
                && time(flow) < end
                && time(flow) <= flow.arrival() + HOUR
                && flow.arrival() <= Math.min(through, end + lateness);
        if (isOf) {
          sums.merge(flow.source(), flow.bytes(), Long::sum);
        }
      }
      long total = sums.values().stream().mapToLong(Long::longValue).sum();
      StringBuilder text =
          new StringBuilder("end " + end + " groups " + sums.size() + " total " + total);
      sums.entrySet().stream()
          .sorted((a, b) -> (ascending ? 1 : -1) * Long.compare(a.getValue(), b.getValue()))
          .limit(keepsAll ? Long.MAX_VALUE : limit)
          .forEach(row -> text.append("\n" + row.getKey() + " " + row.getValue()));
      return text.toString();
    }

    /** Returns the final results of all windows with flows. */
    Map<Long, String> finals() {
      Map<Long, String> finals = new TreeMap<>();
      for (TestFlow flow : flows) {
        long first = Math.floorDiv(time(flow), slide) * slide + slide;
        for (long end = first; end < first + width; end += slide) {
          String text = expected(end, Long.MAX_VALUE);
          if (!text.contains(" groups 0 ")) {
            finals.put(end, text);
          }
        }
      }
      return finals;
    }

    long late() {
      return flows.stream()
          .filter(flow -> !flow.outgoing() && time(flow) <= flow.arrival() + HOUR)
          .filter(
              flow -> flow.arrival() > Math.floorDiv(time(flow), slide) * slide + width + lateness)
          .count();
    }
  }

  /** The progress of a run, at a checkpoint. */
  private record Position(
      WindowNetwork.State state, List<Integer> next, long late, Map<Long, WindowResult> last) {}

  private static final class Run {
    private final Schedule schedule;
    private final String at;
    private WindowNetwork network;
    private List<Integer> next;
    private long[] largest;
    // The contents of a sink: of each window the highest revision.
    private final Map<Long, WindowResult> kept = new TreeMap<>();
    private final Map<String, String> said = new HashMap<>();
    private Map<Long, WindowResult> last = new TreeMap<>();
    private int revisions;
    private int interim;
    private int superseded;

    Run(Schedule schedule) {
      this.schedule = schedule;
      this.at = "seed " + schedule.seed + ", " + schedule.analysis.live();
    }

    void open(Position from) throws Exception {
      int tasks = 1 << schedule.random.nextInt(3);
      int sources = schedule.partitions.size();
      network =
          new WindowNetwork(
              List.of(
                  schedule.switches && schedule.random.nextBoolean()
                      ? schedule.analysis.withoutRevisions()
                      : schedule.analysis),
              sources,
              tasks,
              from == null ? null : from.state(),
              // A definition changes with a savepoint, which is never unaligned.
              !schedule.switches && schedule.random.nextBoolean(),
              schedule.random.split());
      next = new ArrayList<>(from == null ? Collections.nCopies(sources, 0) : from.next());
      largest = new long[sources];
      Arrays.fill(largest, Long.MIN_VALUE);
      network.late = from == null ? 0 : from.late();
      last = new TreeMap<>(from == null ? Map.of() : from.last());
    }

    void run() throws Exception {
      open(null);
      Position checkpoint = null;
      int crashes = 2;
      while (!isAtEnd()) {
        step();
        int chance = schedule.random.nextInt(schedule.once ? 40 : 100);
        if (chance < 4) {
          checkpoint = checkpoint();
        } else if (chance < 7) {
          Position position = checkpoint();
          leave();
          open(position);
        } else if (chance < 9 && crashes-- > 0) {
          leave();
          open(checkpoint);
        }
      }
      network.end();
      take();
      leave();
    }

    private void leave() throws Exception {
      superseded += network.superseded;
      network.close();
    }

    private boolean isAtEnd() {
      for (int p = 0; p < next.size(); p++) {
        if (next.get(p) < schedule.partitions.get(p).size()) {
          return false;
        }
      }
      return true;
    }

    private void step() throws Exception {
      int p = schedule.random.nextInt(next.size());
      List<TestFlow> partition = schedule.partitions.get(p);
      int to = Math.min(partition.size(), next.get(p) + 1 + schedule.random.nextInt(25));
      if (next.get(p) < to) {
        List<TestFlow> flows = partition.subList(next.get(p), to);
        network.batch(p, FlowBatch.open(TestFlow.batch(flows, p, to, to)));
        flows.forEach(flow -> largest[p] = Math.max(largest[p], flow.arrival()));
        next.set(p, to);
      }
      boolean isDone = to == partition.size();
      if (largest[p] > Long.MIN_VALUE && schedule.random.nextInt(4) > 0) {
        long clock = isDone ? TestFlow.START + 100_000 * MS : largest[p];
        network.watermark(p, WatermarkTime.watermark(clock, schedule.disorder));
      }
      take();
    }

    private Position checkpoint() throws Exception {
      WindowNetwork.State state = network.checkpoint();
      take();
      return new Position(state, List.copyOf(next), network.late, new TreeMap<>(last));
    }

    private void take() {
      for (WindowResult result : network.results()) {
        if (!result.hasGroups()) {
          continue; // covered by another test
        }
        long end = result.windowEnd();
        String of = at + ", window " + end + ", update " + result.update();
        long through = result.arrivedThrough();
        String text = BruteForce.describe(result);
        // For windows that were open when revisions were switched on, the order of arrivals is
        // unknown.
        if (result.isFinal() || !schedule.switches) {
          assertEquals(schedule.expected(end, through), text, of);
        }
        assertEquals(end + schedule.lateness, result.finalAt(), of);
        assertTrue(
            result.isFinal() || (schedule.revisions && (through - end) % schedule.slide == 0), of);
        long slides = -Math.floorDiv(end - through, schedule.slide);
        assertEquals(slides, result.update(), of);
        WindowResult before = last.put(end, result);
        if (before != null) {
          assertTrue(before.update() < result.update(), of + ": one result of a tick");
          boolean isNew = !BruteForce.describe(before).equals(text);
          assertTrue(isNew || schedule.switches, of + ": nothing had changed");
          revisions++;
        }
        interim += result.isFinal() ? 0 : 1;
        String repeated = said.put(end + " " + result.update(), text);
        boolean isSame = repeated == null || repeated.equals(text);
        assertTrue(isSame || schedule.switches, of + ": the same in a repeat");
        kept.merge(end, result, (a, b) -> a.update() > b.update() ? a : b);
      }
    }
  }

  @Test
  void resultsAreThoseOfTheSequentialProgram() throws Exception {
    int revisions = 0;
    int interim = 0;
    int superseded = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Schedule schedule = new Schedule(seed);
      Run run = new Run(schedule);
      run.run();
      Map<Long, String> kept = new TreeMap<>();
      run.kept.forEach((end, result) -> kept.put(end, BruteForce.describe(result)));
      assertEquals(schedule.finals(), kept, run.at);
      assertEquals(schedule.late(), run.network.late, run.at + ": late flows");
      revisions += run.revisions;
      interim += run.interim;
      superseded += run.superseded;
      if (schedule.lateness == 0 || !schedule.revisions) {
        assertEquals(0, run.revisions, run.at);
      }
    }
    assertTrue(revisions > SEEDS && interim > 2 * SEEDS, revisions + " revisions of " + interim);
    assertTrue(superseded > SEEDS / 3, superseded + " groups changed after they went in advance");
  }
}
