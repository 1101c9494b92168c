package org.flowmon.bench.live;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowTables;

/**
 * The CPU time that a flow takes of one thread for the analyses as they are shipped, alone and
 * together, without Kafka and Flink: at the low level, in the merge of its groups, and when windows
 * close. Rounds of all cases take turns, so that each sees the same machine.
 */
public final class AnalysisCosts implements Experiment {
  private static final int KEY_GROUPS = LowLevelQuery.DEFAULT_MAX_PARALLELISM;
  private static final int DRAIN_SLOTS = 1024;

  /** Between two watermarks, in microseconds of arrival. */
  private static final long TICK = 1_000_000;

  /** Nanoseconds of CPU for a flow, and the groups that the low level sent for it. */
  private record Cost(double lowLevel, double merge, double close, double groups) {
    double sum() {
      return lowLevel + merge + close;
    }
  }

  @Override
  public void run(Run run) {
    List<FlowBatch> batches =
        QueryCounts.batches(run.number("flows"), run.number("density"), run.number("seed"));
    Map<String, List<String>> cases = new LinkedHashMap<>();
    cases.put("five", LiveAnalyses.NAMES);
    cases.put("all", AnalysisConfig.names());
    AnalysisConfig.names().forEach(name -> cases.put(name, List.of(name)));
    cases.keySet().removeIf(name -> !name.matches(run.text("only")));
    Map<String, List<Cost>> costs = new LinkedHashMap<>();
    for (int round = -1; round < run.integer("rounds"); round++) {
      for (String name : cases.keySet()) {
        Cost cost = new Pass(cases.get(name)).over(batches);
        if (round >= 0) {
          costs.computeIfAbsent(name, unused -> new ArrayList<>()).add(cost);
          run.point(name, round + 1, cost.sum());
        }
      }
    }
    double five = costs.containsKey("five") ? least(costs.get("five")).sum() : Double.NaN;
    costs.forEach(
        (name, of) -> {
          Cost least = least(of);
          run.add(
              new Row()
                  .put("case", name)
                  .put("low_level_ns", least.lowLevel)
                  .put("merge_ns", least.merge)
                  .put("close_ns", least.close)
                  .put("ns_per_flow", least.sum())
                  .put("times_five", least.sum() / five)
                  .put("groups_per_flow", least.groups));
        });
  }

  private static Cost least(List<Cost> costs) {
    Cost least = costs.get(0);
    for (Cost cost : costs) {
      least = cost.sum() < least.sum() ? cost : least;
    }
    return least;
  }

  /** One pass over the flows with some analyses. */
  private static final class Pass {
    private final LowLevel level = new LowLevel();
    private final PartialMerge.Scratch scratch = new PartialMerge.Scratch();
    private final Map<Long, WindowTables[]> merges = new LinkedHashMap<>();
    private final List<byte[]> messages = new ArrayList<>();
    private final List<Integer> keyGroups = new ArrayList<>();
    private long groups;
    private long lowLevelNanos;
    private long mergeNanos;
    private long closeNanos;

    Pass(List<String> names) {
      for (String name : names) {
        for (LiveQuery live : LiveQuery.all(LiveAnalyses.shipped(name))) {
          host(live);
        }
      }
    }

    private void host(LiveQuery live) {
      GroupBudget budget =
          new GroupBudget(live.analysis().live().limit(), live.window(), KEY_GROUPS, KEY_GROUPS);
      WindowAdvances advances = new WindowAdvances();
      WindowTables[] tables = new WindowTables[KEY_GROUPS];
      for (int k = 0; k < KEY_GROUPS; k++) {
        tables[k] =
            new WindowTables(live.id(), live.query(), live.window(), budget, advances, scratch);
      }
      merges.put(live.id(), tables);
      var unused =
          level.add(
              live.id(),
              live.query(),
              live.window(),
              TableSize.upTo(live.analysis().live().slots()),
              KEY_GROUPS,
              (keyGroup, bytes) -> {
                keyGroups.add(keyGroup);
                messages.add(bytes);
              });
    }

    Cost over(List<FlowBatch> batches) {
      long flows = 0;
      long tick = Long.MIN_VALUE;
      for (FlowBatch batch : batches) {
        flows += batch.rows();
        long start = Samples.cpuNanos();
        level.process(batch);
        boolean advances = batch.maxArrival() - TICK >= tick;
        if (advances) {
          tick = batch.maxArrival();
          level.closePanesUpTo(tick);
          while (!level.drainSome(DRAIN_SLOTS)) {
            // until the groups of closed panes are out
          }
        }
        lowLevelNanos += Samples.cpuNanos() - start;
        merge();
        if (advances) {
          close(tick);
        }
      }
      long start = Samples.cpuNanos();
      level.drainAll();
      lowLevelNanos += Samples.cpuNanos() - start;
      merge();
      double count = flows;
      return new Cost(
          lowLevelNanos / count, mergeNanos / count, closeNanos / count, groups / count);
    }

    private void merge() {
      long start = Samples.cpuNanos();
      for (int m = 0; m < messages.size(); m++) {
        PartialGroups of = PartialGroups.open(messages.get(m));
        groups += of.groups();
        var unused = merges.get(of.queryId())[keyGroups.get(m)].merge(of);
      }
      messages.clear();
      keyGroups.clear();
      mergeNanos += Samples.cpuNanos() - start;
    }

    private void close(long watermark) {
      long start = Samples.cpuNanos();
      for (WindowTables[] ofQuery : merges.values()) {
        for (WindowTables tables : ofQuery) {
          tables.closeUpTo(watermark, part -> {});
        }
      }
      closeNanos += Samples.cpuNanos() - start;
    }
  }
}
