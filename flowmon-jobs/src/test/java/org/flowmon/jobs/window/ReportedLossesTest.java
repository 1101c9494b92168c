package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.source.PositionedBatchSerializer;
import org.flowmon.jobs.source.PositionedBatches;
import org.flowmon.jobs.source.SequenceCheckOperator;
import org.flowmon.jobs.types.WatermarkTime;
import org.junit.jupiter.api.Test;

/**
 * Late and lost flows in results, compared with the counters and a sequential program: over
 * successive windows the counts of the last results add up to the counters, whatever the windows,
 * the parallelism and the restarts.
 */
class ReportedLossesTest {
  private static final long MS = 1000;
  private static final long HOUR = 3_600_000 * MS;
  private static final long[] SLIDES = {500 * MS, 1000 * MS, 2000 * MS};
  private static final long[] LATENESS = {0, 0, 700 * MS, 1000 * MS, 2500 * MS};

  /**
   * A message of one producer, in order; a heartbeat has no flows.
   *
   * @param refused whether it comes as a message that is quarantined
   */
  private record Sent(List<TestFlow> flows, FlowBatch batch, boolean refused) {
    PositionedBatch at(int partition, int number) {
      String key = "t:" + partition;
      return refused
          ? PositionedBatches.refused(key, number, batch.bytes())
          : new PositionedBatch(key, number, batch, 0);
    }
  }

  /** An analysis, and the contents of its partitions. */
  private static final class Schedule {
    final long seed;
    final SplittableRandom random;
    final long slide;
    final long width;
    final long lateness;
    final boolean byArrival;
    final long disorder;
    // Whether some batches come after the watermark has passed them.
    final boolean breaksItsBound;
    final AnalysisConfig analysis;
    final List<List<Sent>> partitions = new ArrayList<>();
    // By the pane's start: its arrivals and reported losses.
    final TreeMap<Long, ArrivalCounts> arrived = new TreeMap<>();
    // Windows that have groups.
    final TreeMap<Long, Boolean> grouped = new TreeMap<>();
    ArrivalCounts total = ArrivalCounts.NONE;

    Schedule(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
      slide = SLIDES[random.nextInt(SLIDES.length)];
      width = slide * (random.nextBoolean() ? 1 : 1 + random.nextInt(4));
      lateness = LATENESS[random.nextInt(LATENESS.length)];
      byArrival = random.nextInt(5) == 0;
      disorder = random.nextInt(3) * (200 * MS);
      breaksItsBound = seed % 3 == 0;
      String query =
          switch (random.nextInt(3)) {
            case 0 ->
                "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE"
                    + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 3";
            case 1 ->
                "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE"
                    + " GROUP BY src_addr";
            default -> "SELECT COUNT(*) AS n FROM flows WHERE outgoing IS NOT TRUE";
          };
      analysis =
          AnalysisConfig.parse(
              "talkers.yaml",
              """
              name: talkers
              live:
                query: %s
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
                      query,
                      width / MS,
                      slide / MS,
                      lateness / MS,
                      byArrival ? "arrival" : "end_time",
                      random.nextBoolean()));
      int count = 1 + random.nextInt(3);
      for (int p = 0; p < count; p++) {
        partitions.add(partition(p));
      }
    }

    private List<Sent> partition(int number) {
      List<TestFlow> flows = new ArrayList<>();
      long time = TestFlow.START + random.nextInt(1000) * MS;
      for (int stretch = 0; stretch < 12; stretch++) {
        int kind = random.nextInt(4);
        long end = time + (500 + random.nextInt(5000)) * MS;
        for (; time < end; time += random.nextInt(150) * MS) {
          flows.add(flow(time + random.nextInt(1000), kind));
        }
        time += random.nextInt(3) == 0 ? 6000 * MS : 0;
      }
      Map<TestFlow, Long> key = new HashMap<>();
      flows.forEach(flow -> key.put(flow, flow.arrival() + random.nextLong(disorder + 1)));
      flows.sort(Comparator.comparingLong(key::get));
      return sent(number, flows);
    }

    /**
     * A flow.
     *
     * @param kind of its stretch: in some all are late, or none is kept
     */
    private TestFlow flow(long arrival, int kind) {
      int odd = random.nextInt(20);
      Long end = odd == 0 ? null : Long.valueOf(arrival - random.nextLong(600 * MS));
      if (kind == 1 || odd == 1) {
        end = arrival - 60_000 * MS - random.nextLong(1000 * MS);
      } else if (odd == 2) {
        end = arrival + HOUR + 1;
      } else if (odd < 6) {
        end = arrival - random.nextLong(lateness + 2 * width + 1);
      }
      return new TestFlow(
          arrival,
          end,
          IpAddress.ofIpv4(0x0A00_0000 + random.nextInt(20)),
          1 + random.nextInt(1000),
          kind == 2 || random.nextInt(10) == 0);
    }

    private List<Sent> sent(int producer, List<TestFlow> flows) {
      List<Sent> sent = new ArrayList<>();
      long[] totals = new long[2]; // flows and losses, as the producer counts them
      long sequence = 0;
      long last = TestFlow.START;
      for (int from = 0; from < flows.size(); ) {
        boolean isBeat = random.nextInt(4) == 0;
        int to = isBeat ? from : Math.min(flows.size(), from + 1 + random.nextInt(30));
        List<TestFlow> rows = flows.subList(from, to);
        from = to;
        totals[0] += rows.size();
        totals[1] += random.nextInt(6) == 0 ? 1 + random.nextInt(9) : 0;
        FlowBatch batch =
            FlowBatch.open(
                isBeat
                    ? Heartbeat.of(producer, sequence, totals[0], totals[1], last)
                    : TestFlow.batch(rows, producer, sequence, totals[0], totals[1]));
        sequence++;
        last = Math.max(last, batch.maxArrival());
        if (!sent.isEmpty() && from < flows.size() && random.nextInt(8) == 0) {
          continue; // it never comes
        }
        if (random.nextInt(12) == 0) {
          sent.add(stranger());
        }
        Sent one = new Sent(rows, batch, random.nextInt(8) == 0);
        sent.add(one);
        if (random.nextInt(8) == 0) {
          sent.add(one); // a repeat
        }
      }
      if (breaksItsBound) {
        for (int i = 1; i + 12 < sent.size(); i += 1 + random.nextInt(15)) {
          sent.add(i + 1 + random.nextInt(10), sent.remove(i));
        }
      }
      count(sent);
      return sent;
    }

    /** Returns a refused message of an unknown producer. */
    private Sent stranger() {
      TestFlow flow = flow(TestFlow.START, 0);
      List<TestFlow> rows = Collections.nCopies(1 + random.nextInt(9), flow);
      byte[] batch = TestFlow.batch(rows, 1000 + random.nextInt(1000), 7, 99, 0);
      return new Sent(List.of(), FlowBatch.open(batch), true);
    }

    /** Counts taken flows, and losses by the check of sequence numbers. */
    private void count(List<Sent> sent) {
      Set<Long> seen = new HashSet<>();
      boolean begun = false;
      // Of the batch with the largest number, and the largest arrival.
      long number = 0;
      long flows = 0;
      long losses = 0;
      long latest = 0;
      long untold = 0;
      for (Sent one : sent) {
        FlowBatch batch = one.batch();
        boolean isKnown = batch.producerId() < 1000;
        boolean follows =
            batch.sequence() == number + 1 && batch.cumulativeFlows() == flows + batch.rows();
        if (one.refused()) {
          if (!begun) {
            untold += batch.rows();
          } else if (!isKnown || follows) {
            count(latest, new ArrivalCounts(0, 0, 0, batch.rows()));
          }
          if (begun && isKnown && follows) {
            seen.add(batch.sequence());
            number++;
            flows += batch.rows();
          }
          continue;
        }
        if ((begun && batch.sequence() < firstSeen(seen)) || !seen.add(batch.sequence())) {
          continue;
        }
        if (!begun || batch.sequence() > number) {
          long lost = untold;
          untold = 0;
          if (begun) {
            lost += batch.cumulativeLosses() - losses;
            lost +=
                batch.sequence() > number + 1 ? batch.cumulativeFlows() - batch.rows() - flows : 0;
          }
          count(batch.maxArrival(), new ArrivalCounts(0, 0, 0, lost));
          begun = true;
          number = batch.sequence();
          flows = batch.cumulativeFlows();
          losses = batch.cumulativeLosses();
          latest = Math.max(latest, batch.maxArrival());
        }
        countFlows(one);
      }
    }

    /** Messages before the first are not judged. */
    private static long firstSeen(Set<Long> seen) {
      return Collections.min(seen);
    }

    private void countFlows(Sent one) {
      for (TestFlow flow : one.flows()) {
        if (flow.outgoing()) {
          continue;
        }
        long time = byArrival ? flow.arrival() : flow.time();
        long first = Math.floorDiv(time, slide) * slide + slide;
        boolean isAhead = time > flow.arrival() + HOUR;
        boolean isLate = !isAhead && flow.arrival() > first - slide + width + lateness;
        count(flow.arrival(), new ArrivalCounts(1, isLate ? 1 : 0, isAhead ? 1 : 0, 0));
        for (long end = first; end < first + width && !isAhead; end += slide) {
          if (flow.arrival() <= end + lateness) {
            grouped.put(end, true);
          }
        }
      }
    }

    private void count(long arrival, ArrivalCounts more) {
      arrived.merge(Math.floorDiv(arrival, slide) * slide, more, ArrivalCounts::plus);
      total = total.plus(more);
    }

    /** Returns by the window's end the arrivals in it, for windows with groups or counts. */
    Map<Long, ArrivalCounts> expected() {
      Map<Long, ArrivalCounts> expected = new TreeMap<>();
      grouped.keySet().forEach(end -> expected.put(end, ArrivalCounts.NONE));
      arrived.forEach(
          (pane, counts) -> {
            for (long end = pane + slide; end <= pane + width; end += slide) {
              if (!counts.equals(ArrivalCounts.NONE)) {
                expected.merge(end, counts, ArrivalCounts::plus);
              }
            }
          });
      return expected;
    }
  }

  /** The progress of a run, at a checkpoint. */
  private record Position(
      WindowNetwork.State state, List<OperatorSubtaskState> checks, List<Integer> next) {}

  private static final class Run implements AutoCloseable {
    private final Schedule schedule;
    private final String at;
    private final List<OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch>> checks =
        new ArrayList<>();
    private WindowNetwork network;
    private List<Integer> next;
    private long[] largest;
    // The contents of a sink: of each window the highest revision.
    private final Map<Long, WindowResult> kept = new TreeMap<>();

    Run(Schedule schedule) {
      this.schedule = schedule;
      this.at = "seed " + schedule.seed + ", " + schedule.analysis.live();
    }

    void open(Position from) throws Exception {
      int sources = schedule.partitions.size();
      for (int p = 0; p < sources; p++) {
        var check =
            new OneInputStreamOperatorTestHarness<>(
                new SequenceCheckOperator(), new PositionedBatchSerializer());
        check.setup(new PositionedBatchSerializer());
        if (from != null) {
          check.initializeState(from.checks().get(p));
        }
        check.open();
        checks.add(check);
      }
      network =
          new WindowNetwork(
              List.of(schedule.analysis),
              sources,
              1 << schedule.random.nextInt(3),
              from == null ? null : from.state(),
              schedule.random.nextBoolean(),
              schedule.random.split());
      next = new ArrayList<>(from == null ? Collections.nCopies(sources, 0) : from.next());
      largest = new long[sources];
      Arrays.fill(largest, Long.MIN_VALUE);
    }

    void run() throws Exception {
      open(null);
      Position checkpoint = null;
      // The windows of messages behind the watermark are not defined after a restart.
      int crashes = schedule.breaksItsBound ? 0 : 2;
      while (!isAtEnd()) {
        step();
        int chance = schedule.random.nextInt(60);
        if (chance < 3) {
          checkpoint = checkpoint();
        } else if (chance < 6) {
          Position position = checkpoint();
          close();
          open(position);
        } else if (chance < 8 && crashes-- > 0) {
          close();
          open(checkpoint);
        }
      }
      network.end();
      take();
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
      List<Sent> partition = schedule.partitions.get(p);
      int number = next.get(p);
      if (number < partition.size()) {
        Sent sent = partition.get(number);
        var check = checks.get(p);
        check.processElement(new StreamRecord<>(sent.at(p, number)));
        for (PositionedBatch record : check.extractOutputValues()) {
          network.batch(p, record);
        }
        check.getOutput().clear();
        if (!sent.refused()) {
          largest[p] = Math.max(largest[p], sent.batch().maxArrival());
        }
        next.set(p, number + 1);
      }
      boolean isDone = number + 1 >= partition.size();
      if (largest[p] > Long.MIN_VALUE && schedule.random.nextInt(3) > 0) {
        long clock = isDone ? TestFlow.START + 200_000 * MS : largest[p];
        network.watermark(p, WatermarkTime.watermark(clock, schedule.disorder));
      }
      take();
    }

    private Position checkpoint() throws Exception {
      List<OperatorSubtaskState> states = new ArrayList<>();
      for (var check : checks) {
        states.add(check.snapshot(1, 1));
      }
      WindowNetwork.State state = network.checkpoint();
      take();
      return new Position(state, states, List.copyOf(next));
    }

    private void take() {
      for (WindowResult result : network.results()) {
        String of = at + ", window " + result.windowEnd() + ", update " + result.update();
        assertEquals(result.groups() == 0, !result.hasGroups(), of);
        assertTrue(result.hasGroups() || result.rows().rowCount() == 0, of);
        WindowResult before = kept.get(result.windowEnd());
        if (before != null && !schedule.breaksItsBound) {
          assertEquals(before.counts(), result.counts(), of + ": the same in each revision");
        }
        kept.merge(result.windowEnd(), result, (a, b) -> a.update() > b.update() ? a : b);
      }
    }

    @Override
    public void close() throws Exception {
      for (var check : checks) {
        check.close();
      }
      checks.clear();
      network.close();
    }
  }

  @Test
  void theCountsOfWindowsThatFollowOneAnotherAddUpToTheCounters() throws Exception {
    int withoutGroups = 0;
    int lossesAlone = 0;
    for (long seed = 1; seed <= 45 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      Schedule schedule = new Schedule(seed);
      try (Run run = new Run(schedule)) {
        run.run();
        Map<Long, ArrivalCounts> told = new TreeMap<>();
        // Windows that slide share panes: those one width apart do not.
        Map<Long, ArrivalCounts> sums = new TreeMap<>();
        for (long at = 0; at < schedule.width; at += schedule.slide) {
          sums.put(at, ArrivalCounts.NONE);
        }
        for (WindowResult result : run.kept.values()) {
          told.put(result.windowEnd(), result.counts());
          sums.merge(
              Math.floorMod(result.windowEnd(), schedule.width),
              result.counts(),
              ArrivalCounts::plus);
          withoutGroups += result.hasGroups() ? 0 : 1;
          lossesAlone += !result.hasGroups() && result.counts().flows() == 0 ? 1 : 0;
        }
        if (!schedule.breaksItsBound) {
          assertEquals(schedule.expected(), told, run.at);
        }
        for (Map.Entry<Long, ArrivalCounts> sum : sums.entrySet()) {
          assertEquals(schedule.total, sum.getValue(), run.at + ", from " + sum.getKey() + " on");
        }
      }
    }
    assertTrue(withoutGroups > 50 && lossesAlone > 10, withoutGroups + ", " + lossesAlone);
  }

  @Test
  void whatComesAfterADrainedSavepointCountsInTheNextWindow() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "2s", "2s", "0s", 16, 10);
    List<WindowResult> results = new ArrayList<>();
    WindowNetwork.State drained;
    try (WindowNetwork network = network(analysis, null)) {
      network.batch(0, batch(0, 500 * MS, 0));
      network.end();
      drained = network.checkpoint();
      results.addAll(network.results());
    }
    try (WindowNetwork network = network(analysis, drained)) {
      network.batch(0, batch(1, 700 * MS, 5));
      network.watermark(0, WatermarkTime.watermark(TestFlow.START + 2000 * MS, 0));
      network.end();
      results.addAll(network.results());
    }
    assertEquals(
        List.of(
            TestFlow.START + 2000 * MS + " " + new ArrivalCounts(1, 0, 0, 0),
            TestFlow.START + 4000 * MS + " " + new ArrivalCounts(1, 0, 0, 5)),
        results.stream().map(one -> one.windowEnd() + " " + one.counts()).toList());
  }

  private static WindowNetwork network(AnalysisConfig analysis, WindowNetwork.State from)
      throws Exception {
    return new WindowNetwork(List.of(analysis), 1, 1, from, false, new SplittableRandom(1));
  }

  private static PositionedBatch batch(int number, long after, long lost) {
    long arrival = TestFlow.START + after;
    TestFlow flow = new TestFlow(arrival, arrival - 1, IpAddress.ofIpv4(7), 1, false);
    byte[] batch = TestFlow.batch(List.of(flow), 1, number, number + 1);
    return new PositionedBatch("t:0", number, FlowBatch.open(batch), lost);
  }
}
