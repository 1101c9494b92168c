package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.merge.MergeRun;
import org.flowmon.jobs.merge.WindowResult;
import org.junit.jupiter.api.Test;

/** Analyses with groups above their limit, through the merge and its last step. */
class GroupSamplingTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int LIMIT = 9;

  private static AnalysisConfig talkers(String name, String window, String slide, String more) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
            GROUP BY src_addr ORDER BY bytes DESC LIMIT %d
          window: %s
          slide: %s
          lateness: 1s
          groups: 1000
          %s
        report:
          logic: live
        """
            .formatted(name, LIMIT, window, slide, more));
  }

  /**
   * Returns sources that exceed a table of a thousand groups, and some that come again and again.
   */
  private static List<TestFlow> flows(long seed) {
    Random random = new Random(seed);
    List<TestFlow> flows = new ArrayList<>();
    for (TestFlow flow : TestFlow.random(seed, 40_000, 12, 3_000)) {
      IpAddress source =
          random.nextInt(3) == 0 ? IpAddress.ofIpv4(0x0B00_0000 + random.nextInt(20_000)) : null;
      flows.add(
          source == null
              ? flow
              : new TestFlow(flow.arrival(), flow.endTime(), source, flow.bytes(), null));
    }
    return flows;
  }

  /** Returns the level by the hash of docs/format/partial-groups.md, of one address. */
  private static int level(IpAddress source) {
    long hash = 0x2545F4914F6CDD1DL;
    for (long word : new long[] {source.hi(), source.lo()}) {
      hash = (Long.rotateLeft(hash, 25) ^ word) * 0x9E3779B97F4A7C15L;
    }
    long spread = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
    return Math.min(16, Long.numberOfTrailingZeros((spread ^ (spread >>> 32)) >>> 32));
  }

  private static String describe(WindowResult result) {
    return "level " + result.groupLevel() + " " + BruteForce.describe(result);
  }

  /**
   * Returns the expected windows: the lowest level at which no pane exceeds the limit of sources.
   */
  private static Map<Long, String> expected(List<TestFlow> flows, long width, long slide) {
    long room = 1000 / (width / slide);
    Map<Long, Map<Long, Map<IpAddress, Long>>> sums = new TreeMap<>();
    for (TestFlow flow : flows) {
      long pane = Math.floorDiv(flow.time(), slide) * slide;
      for (long end = pane + slide; end <= pane + width; end += slide) {
        if (!Boolean.TRUE.equals(flow.outgoing()) && flow.arrival() <= end + SECOND) {
          sums.computeIfAbsent(end, e -> new TreeMap<>())
              .computeIfAbsent(pane, p -> new TreeMap<>())
              .merge(flow.source(), flow.bytes(), Long::sum);
        }
      }
    }
    Map<Long, String> windows = new TreeMap<>();
    sums.forEach((end, panes) -> windows.put(end, expected(end, panes, room)));
    return windows;
  }

  private static String expected(long end, Map<Long, Map<IpAddress, Long>> panes, long room) {
    int level = 0;
    Map<IpAddress, Long> all = new TreeMap<>();
    for (Map<IpAddress, Long> pane : panes.values()) {
      while (kept(pane, level).size() > room) {
        level++;
      }
      pane.forEach((source, bytes) -> all.merge(source, bytes, Long::sum));
    }
    List<IpAddress> rows = kept(all, level);
    long total = all.values().stream().mapToLong(Long::longValue).sum();
    StringBuilder text = new StringBuilder();
    text.append("level ").append(level).append(" end ").append(end);
    text.append(" groups ").append((long) rows.size() << level).append(" total ").append(total);
    rows.sort((a, b) -> Long.compare(all.get(b), all.get(a)));
    rows.stream()
        .limit(LIMIT)
        .forEach(row -> text.append('\n').append(row).append(' ').append(all.get(row)));
    return text.toString();
  }

  private static List<IpAddress> kept(Map<IpAddress, Long> sources, int level) {
    return new ArrayList<>(
        sources.keySet().stream().filter(source -> level(source) >= level).toList());
  }

  @Test
  void theSampleIsThatOfTheFlowsWhateverTheTasksAndTheirRestarts() throws Exception {
    List<TestFlow> flows = flows(41);
    Map<String, Map<Long, String>> expected =
        Map.of(
            "tumbling", expected(flows, 2 * SECOND, 2 * SECOND),
            "sliding", expected(flows, 3 * SECOND, SECOND),
            "once", expected(flows, 2 * SECOND, 2 * SECOND));
    assertTrue(expected.get("tumbling").toString().contains("level 2"), "" + expected);
    assertTrue(expected.get("sliding").toString().contains("level 3"), "" + expected);
    List<AnalysisConfig> analyses =
        List.of(
            talkers("tumbling", "2s", "2s", ""),
            talkers("sliding", "3s", "1s", ""),
            talkers("once", "2s", "2s", "revisions: false"));
    for (int[] parallelism : new int[][] {{1}, {2, 4, 3, 1}, {4, 1, 1, 3, 2}}) {
      MergeRun run = new MergeRun(analyses);
      run.describe = GroupSamplingTest::describe;
      int step = flows.size() / parallelism.length;
      for (int i = 0; i < parallelism.length; i++) {
        boolean last = i == parallelism.length - 1;
        List<TestFlow> part = flows.subList(i * step, last ? flows.size() : (i + 1) * step);
        run.with(parallelism[i], part, last ? Long.MAX_VALUE : part.get(step - 1).arrival());
      }
      expected.forEach(
          (analysis, windows) ->
              assertEquals(windows, run.results.get(analysis), "seed 41, " + analysis));
    }
  }

  @Test
  void theFirstFlowsAreAsWellKeptAsTheLast() throws Exception {
    List<TestFlow> flows = flows(42);
    List<TestFlow> turned = new ArrayList<>(flows);
    Collections.reverse(turned);
    Function<List<TestFlow>, Map<Long, String>> results =
        of -> {
          try {
            MergeRun run = new MergeRun(List.of(talkers("once", "2s", "2s", "revisions: false")));
            run.describe = GroupSamplingTest::describe;
            run.with(2, of, Long.MAX_VALUE);
            return run.results.get("once");
          } catch (Exception e) {
            throw new AssertionError("seed 42", e);
          }
        };
    assertEquals(results.apply(flows), results.apply(turned), "seed 42");
  }
}
