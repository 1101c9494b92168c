package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.jobs.window.WindowOperator;
import org.flowmon.udaf.lowlevel.LowLevelQuery;

/**
 * Runs the low level, the merge and its last step over parts of a stream, one after the other, each
 * from the state of the one before.
 */
public final class MergeRun {
  public static final int KEY_GROUPS = 16;

  // The last of each window, by analysis and window's end.
  public final Map<String, Map<Long, String>> results = new TreeMap<>();
  public final List<WindowResult> all = new ArrayList<>();
  private final Map<String, Integer> updates = new TreeMap<>();
  public List<AnalysisConfig> analyses;
  public List<AnalysisConfig> asked; // of the low level
  public Function<WindowResult, String> describe = BruteForce::describe;
  private OperatorSubtaskState mergeState;
  private OperatorSubtaskState windowState;
  private int before = 1;
  private long sequence;
  long behindWatermark;
  long behindWindows;
  public List<Partial> more = List.of();

  public MergeRun(List<AnalysisConfig> analyses) {
    this.analyses = analyses;
    this.asked = analyses;
  }

  /**
   * Takes the next part of the stream.
   *
   * @param parallelism of the merge, from now on
   * @param completeThrough the watermark after it
   */
  public void with(int parallelism, List<TestFlow> flows, long completeThrough) throws Exception {
    List<Partial> partials = lowLevel(flows);
    partials.addAll(more);
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last =
        new OneInputStreamOperatorTestHarness<>(
            new WindowOperator(new AnalysisSet(analyses)), 1, 1, 0)) {
      last.setup(new WindowResultSerializer());
      if (windowState != null) {
        last.initializeState(windowState);
      }
      last.open();
      List<OperatorSubtaskState> states = new ArrayList<>();
      for (int task = 0; task < parallelism; task++) {
        states.add(merge(parallelism, task, partials, completeThrough, last));
      }
      mergeState =
          AbstractStreamOperatorTestHarness.repackageState(
              states.toArray(new OperatorSubtaskState[0]));
      before = parallelism;
      behindWindows += ((WindowOperator) last.getOneInputOperator()).behindWatermark();
      // The barrier comes between the parts and the watermark: the parts are in the state.
      windowState = last.snapshot(2, 2);
    }
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last =
        new OneInputStreamOperatorTestHarness<>(
            new WindowOperator(new AnalysisSet(analyses)), 1, 1, 0)) {
      last.setup(new WindowResultSerializer());
      last.initializeState(windowState);
      last.open();
      last.processWatermark(mark(completeThrough));
      for (WindowResult result : last.extractOutputValues()) {
        take(result);
      }
      windowState = last.snapshot(3, 3);
    }
  }

  private void take(WindowResult result) {
    if (result.isAnnouncement()) {
      return;
    }
    String window = result.analysis() + " " + result.windowEnd();
    Integer before = updates.put(window, result.update());
    assertTrue(before == null || before < result.update(), "results of a window go forward");
    results
        .computeIfAbsent(result.analysis(), name -> new TreeMap<>())
        .put(result.windowEnd(), describe.apply(result));
    all.add(result);
  }

  private OperatorSubtaskState merge(
      int parallelism,
      int task,
      List<Partial> partials,
      long completeThrough,
      OneInputStreamOperatorTestHarness<Partial, WindowResult> last)
      throws Exception {
    KeyGroupKeys keys = new KeyGroupKeys(KEY_GROUPS);
    try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new MergeOperator(new AnalysisSet(analyses)),
            keys,
            Types.INT,
            KEY_GROUPS,
            parallelism,
            task)) {
      merge.setup(new PartialSerializer());
      if (mergeState != null) {
        merge.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                mergeState, KEY_GROUPS, before, parallelism, task));
      }
      merge.open();
      for (Partial partial : partials) {
        int owner =
            KeyGroupRangeAssignment.assignKeyToParallelOperator(
                keys.getKey(partial), KEY_GROUPS, parallelism);
        if (owner == task) {
          merge.processElement(new StreamRecord<>(partial));
        }
      }
      merge.processWatermark(mark(completeThrough));
      behindWatermark += ((MergeOperator) merge.getOneInputOperator()).behindWatermark();
      for (Partial part : merge.extractOutputValues()) {
        last.processElement(new StreamRecord<>(part));
      }
      return merge.snapshot(1, 1);
    }
  }

  private static long mark(long completeThrough) {
    return completeThrough == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : WatermarkTime.watermark(completeThrough, 0);
  }

  public List<Partial> lowLevel(List<TestFlow> flows) {
    List<Partial> partials = new ArrayList<>();
    for (AnalysisConfig analysis : asked) {
      for (LiveQuery live : LiveQuery.all(analysis)) {
        LowLevelQuery low =
            new LowLevelQuery(
                live.id(),
                live.query(),
                live.window(),
                live.analysis().live().slots(),
                KEY_GROUPS,
                (keyGroup, bytes) -> partials.add(new Partial.Groups(keyGroup, bytes)));
        for (FlowBatch batch : TestFlow.batches(flows, 100, ++sequence)) {
          low.process(batch);
        }
        low.drainAll();
      }
    }
    return partials;
  }
}
