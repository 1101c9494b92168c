package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.junit.jupiter.api.Test;

/** Snapshots of the merge in checkpoints: fixed at the barrier, and released afterwards. */
class KeyGroupSnapshotsTest {
  private static final AnalysisConfig ANALYSIS =
      TestAnalyses.talkers("talkers", "2s", "2s", "1s", 64, 7);
  private static final LiveQuery LIVE = LiveQuery.of(ANALYSIS);
  private static final int KEY_GROUPS = MergeRun.KEY_GROUPS;

  private final List<Partial> partials =
      new MergeRun(List.of(ANALYSIS)).lowLevel(TestFlow.random(31, 2_000, 10, 50));

  @Test
  void aSnapshotIsOfTheTimeAtWhichItWasTaken() {
    KeyGroupState state = new KeyGroupState();
    merge(state, partials.subList(0, partials.size() / 2));
    byte[] then = state.freeze().bytes();
    KeyGroupSnapshot snapshot = state.freeze();
    merge(state, partials.subList(partials.size() / 2, partials.size()));
    state.closedThrough(TestFlow.SECOND);
    assertArrayEquals(then, snapshot.bytes());
    assertFalse(Arrays.equals(then, state.freeze().bytes()), "seed 31");
    state.remove(LIVE.id());
    assertArrayEquals(then, snapshot.bytes());
  }

  private static void merge(KeyGroupState state, List<Partial> partials) {
    KeyGroupState.Shared shared =
        new KeyGroupState.Shared(
            new GroupBudget(ANALYSIS.live().limit(), LIVE.window(), KEY_GROUPS, KEY_GROUPS),
            new WindowAdvances(),
            new PartialMerge.Scratch());
    for (Partial partial : partials) {
      if (partial instanceof Partial.Groups groups) {
        state.of(LIVE, query -> shared).merge(PartialGroups.open(groups.bytes()));
      }
    }
  }

  @Test
  void theStateBackendHoldsThemDuringACheckpointOnly() throws Exception {
    OperatorSubtaskState state;
    try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge = merge()) {
      merge.setup(new PartialSerializer());
      merge.open();
      for (Partial partial : partials) {
        merge.processElement(new StreamRecord<>(partial));
      }
      assertEquals(0, merge.numKeyedStateEntries());
      state = merge.snapshot(1, 1);
      assertEquals(KEY_GROUPS, merge.numKeyedStateEntries());
      merge.processWatermark(1);
      assertEquals(0, merge.numKeyedStateEntries());
    }
    try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge = merge()) {
      merge.setup(new PartialSerializer());
      merge.initializeState(state);
      merge.open();
      assertEquals(0, merge.numKeyedStateEntries());
    }
  }

  private static KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge()
      throws Exception {
    return new KeyedOneInputStreamOperatorTestHarness<>(
        new MergeOperator(new AnalysisSet(List.of(ANALYSIS))),
        new KeyGroupKeys(KEY_GROUPS),
        Types.INT,
        KEY_GROUPS,
        1,
        0);
  }
}
