package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.jobs.window.WindowOperator;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** The merge and its last step together, against a brute-force count. */
class MergeTest {
  private static final int KEY_GROUPS = MergeRun.KEY_GROUPS;
  private static final long SECOND = TestFlow.SECOND;
  private static final AnalysisConfig TUMBLING =
      TestAnalyses.talkers("tumbling", "2s", "2s", "1s", 64, 7);
  private static final AnalysisConfig SLIDING =
      TestAnalyses.talkers("sliding", "3s", "1s", "1s", 64, 7);
  private static final List<AnalysisConfig> BOTH = List.of(TUMBLING, SLIDING);

  @Test
  void everyKeyGroupHasAKeyThatFlinkAssignsToIt() throws Exception {
    for (int keyGroups : new int[] {1, 2, 7, 128, 1000}) {
      KeyGroupKeys keys = new KeyGroupKeys(keyGroups);
      for (int g = 0; g < keyGroups; g++) {
        Integer key = keys.getKey(new Partial.Groups(g, new byte[0]));
        assertEquals(g, KeyGroupRangeAssignment.assignToKeyGroup(key, keyGroups));
      }
    }
  }

  @Test
  void windowsAreExactAcrossRestartsAtOtherParallelisms() throws Exception {
    List<TestFlow> flows = TestFlow.random(21, 20_000, 20, 400);
    MergeRun run = new MergeRun(BOTH);
    int step = flows.size() / 5;
    int[] parallelism = {1, 2, 3, 1, 4};
    for (int i = 0; i < 5; i++) {
      List<TestFlow> part = flows.subList(i * step, (i + 1) * step);
      run.with(parallelism[i], part, i == 4 ? Long.MAX_VALUE : part.get(part.size() - 1).arrival());
    }
    for (AnalysisConfig analysis : BOTH) {
      assertEquals(
          BruteForce.windows(
              flows, analysis.live().windowMicros(), analysis.live().slideMicros(), SECOND, 7),
          run.results.get(analysis.name()),
          "seed 21, " + analysis.name());
    }
  }

  @Test
  void aResultComesAtTheEndIsRevisedOnceASlideAndForTheLastTimeAtTheEndOfItsLateness()
      throws Exception {
    long begin = TestFlow.START - TestFlow.START % (2 * SECOND);
    long end = begin + 2 * SECOND;
    MergeRun run = new MergeRun(List.of(TestAnalyses.talkers("late", "2s", "2s", "5s", 64, 7)));
    // The job is restored before each step, at another parallelism.
    run.with(1, List.of(flow(begin, 1_000_000, 5)), end + 1000);
    run.with(4, List.of(flow(begin, 2_400_000, 70)), end + SECOND / 2);
    run.with(2, List.of(flow(begin, 2_600_000, 100)), end + 2 * SECOND);
    assertEquals(List.of("0 0 5"), said(run, end), "nothing between two ticks");
    run.with(1, List.of(flow(begin, 5_500_000, 2_000)), end + 2 * SECOND + 1000);
    run.with(2, List.of(), end + 4 * SECOND + 1000);
    assertEquals(List.of("0 0 5", "1 2000000 175", "2 4000000 2175"), said(run, end));
    run.with(4, List.of(flow(begin, 6_700_000, 30_000)), end + 5 * SECOND);
    run.with(1, List.of(), end + 5 * SECOND + 1000);
    run.with(2, List.of(flow(begin, 7_100_000, 900_000)), end + 9 * SECOND);
    assertEquals(
        List.of("0 0 5", "1 2000000 175", "2 4000000 2175", "3 5000000 32175"), said(run, end));
  }

  private static TestFlow flow(long begin, long arrival, long bytes) {
    return new TestFlow(
        begin + arrival, begin + 900_000, IpAddress.ofIpv4((int) bytes), bytes, null);
  }

  /** Returns for each result its number, the tick after the window's end and the sum. */
  private static List<String> said(MergeRun run, long end) {
    return run.all.stream()
        .filter(result -> result.windowEnd() == end)
        .map(
            result ->
                result.update()
                    + " "
                    + (result.arrivedThrough() - end)
                    + " "
                    + result.totals().longValue(0, result.totals().column("bytes")))
        .toList();
  }

  @Test
  void whatHavingDropsIsInNoRowButInGroupsAndTotalsAtAnyParallelism() throws Exception {
    List<TestFlow> flows = TestFlow.random(28, 12_000, 20, 400);
    // No source alone passes the second; its windows come without rows.
    AnalysisConfig some =
        TestAnalyses.talkers("some", "3s", "1s", "1s", 64, "HAVING bytes % 3 = 1 AND bytes > 9", 5);
    AnalysisConfig none =
        TestAnalyses.talkers("none", "2s", "2s", "1s", 64, "HAVING SUM(bytes) < 0", 5);
    MergeRun run = new MergeRun(List.of(some, none));
    int[] parallelism = {2, 3, 1};
    for (int i = 0; i < 3; i++) {
      List<TestFlow> part = flows.subList(i * 4_000, (i + 1) * 4_000);
      run.with(parallelism[i], part, i == 2 ? Long.MAX_VALUE : part.get(part.size() - 1).arrival());
    }
    assertEquals(
        BruteForce.windows(
            flows, 3 * SECOND, SECOND, SECOND, bytes -> bytes % 3 == 1 && bytes > 9, 5),
        run.results.get("some"),
        "seed 28");
    assertEquals(
        BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, bytes -> false, 5),
        run.results.get("none"),
        "seed 28");
  }

  @Test
  void whatComesBehindTheWatermarkAfterARestoreIssuesNoWindowAgain() throws Exception {
    // Few sources: most key groups hold nothing when the state is written.
    List<TestFlow> flows = TestFlow.random(23, 4_000, 10, 4);
    List<TestFlow> late = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      long time = TestFlow.START + 100_000 + i;
      late.add(new TestFlow(time, time, IpAddress.ofIpv4(0x0B00_0000 + i), 1_000_000, null));
    }
    MergeRun run = new MergeRun(BOTH);
    run.with(2, flows.subList(0, 2_000), flows.get(1_999).arrival());
    int[] parallelism = {2, 1, 3};
    for (int p : parallelism) {
      run.with(p, late, flows.get(1_999).arrival() - SECOND);
    }
    long behind = run.behindWatermark;
    assertTrue(behind > 0, "what was left out is counted");
    late.addAll(flows.subList(2_000, 4_000));
    run.with(2, late, Long.MAX_VALUE);
    assertTrue(run.behindWatermark > behind);
    for (AnalysisConfig analysis : BOTH) {
      assertEquals(
          BruteForce.windows(
              flows, analysis.live().windowMicros(), analysis.live().slideMicros(), SECOND, 7),
          run.results.get(analysis.name()),
          "seed 23, " + analysis.name());
    }
  }

  @Test
  void aJobRestoredFromADrainedSavepointReportsNewWindowsAndIssuesNoneAgain() throws Exception {
    List<TestFlow> flows = TestFlow.random(27, 6_000, 20, 40);
    List<TestFlow> before = new ArrayList<>(flows.subList(0, 3_000));
    // A clock that runs fast: the drain closes its window half an hour early, and no other for it.
    long arrival = before.get(2_999).arrival();
    long ahead = arrival + 1_800 * SECOND;
    before.add(new TestFlow(ahead, arrival, IpAddress.ofIpv4(0x0B00_0001), 1_000_000, null));
    MergeRun run = new MergeRun(BOTH);
    run.with(2, before.subList(0, 1_500), before.get(1_499).arrival());
    run.with(2, before.subList(1_500, before.size()), Long.MAX_VALUE);
    assertEquals(0, run.behindWindows);
    run.with(3, flows.subList(3_000, 5_000), flows.get(4_999).arrival());
    run.with(1, flows.subList(5_000, 6_000), Long.MAX_VALUE);
    assertTrue(run.behindWindows > 0, "what came for a window that the drain closed is counted");
    List<TestFlow> all = new ArrayList<>(before);
    all.addAll(flows.subList(3_000, 6_000));
    for (AnalysisConfig analysis : BOTH) {
      long width = analysis.live().windowMicros();
      long slide = analysis.live().slideMicros();
      Map<Long, String> drained = BruteForce.windows(before, width, slide, SECOND, 7);
      Map<Long, String> expected = BruteForce.windows(all, width, slide, SECOND, 7);
      assertTrue(expected.size() > drained.size() + 3, "new windows: " + expected.size());
      expected.putAll(drained); // they went out with the drain, and stay unchanged
      assertEquals(expected, run.results.get(analysis.name()), "seed 27, " + analysis.name());
    }
  }

  @Test
  void thePartOfAWindowThatWentOutBeforeARestoreIsLeftOutAndCounted() throws Exception {
    LiveQuery live = LiveQuery.of(TUMBLING);
    WindowTables tables = new WindowTables(live.id(), live.query(), live.window());
    for (Partial partial : new MergeRun(BOTH).lowLevel(TestFlow.random(24, 1_000, 10, 5))) {
      PartialGroups groups = PartialGroups.open(((Partial.Groups) partial).bytes());
      if (groups.queryId() == live.id()) {
        assertTrue(tables.merge(groups));
      }
    }
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(Long.MAX_VALUE, parts::add);
    assertTrue(parts.size() >= 5, parts.size() + " windows");
    long mark = WatermarkTime.watermark(parts.get(2).windowEnd() + SECOND, 0);
    OperatorSubtaskState state;
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last = windows(BOTH, null)) {
      for (WindowPart part : parts) {
        last.processElement(new StreamRecord<>(new Partial.Part(live.id(), part.toBytes())));
      }
      last.processWatermark(mark);
      state = last.snapshot(1, 1);
      assertEquals(2, last.extractOutputValues().size());
      assertTrue(
          last.extractOutputValues().stream()
              .allMatch(result -> result.inputThrough() == Long.MAX_VALUE),
          "their time had come");
    }
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last = windows(BOTH, state)) {
      for (WindowPart part : parts.subList(0, 2)) {
        last.processElement(new StreamRecord<>(new Partial.Part(live.id(), part.toBytes())));
      }
      assertEquals(2, ((WindowOperator) last.getOneInputOperator()).behindWatermark());
      last.processWatermark(Long.MAX_VALUE);
      assertEquals(
          parts.subList(2, parts.size()).stream().map(WindowPart::windowEnd).toList(),
          last.extractOutputValues().stream().map(WindowResult::windowEnd).toList());
      for (WindowResult result : last.extractOutputValues()) {
        assertEquals(WatermarkTime.completeThrough(mark), result.inputThrough());
      }
    }
    // The end of input may come before any watermark: it is known that flows of the window came.
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last = windows(BOTH, null)) {
      for (WindowPart part : parts) {
        last.processElement(new StreamRecord<>(new Partial.Part(live.id(), part.toBytes())));
      }
      last.processWatermark(Long.MAX_VALUE);
      assertEquals(parts.size(), last.extractOutputValues().size());
      for (WindowResult result : last.extractOutputValues()) {
        assertEquals(result.windowStart() - 3600 * SECOND, result.inputThrough());
      }
    }
  }

  @Test
  void anAnalysisWhoseGroupsCannotBeMergedIsStoppedForGoodAndNoOtherWithIt() throws Exception {
    List<TestFlow> flows = TestFlow.random(25, 6_000, 12, 100);
    MergeRun run = new MergeRun(BOTH);
    run.with(2, flows.subList(0, 2_000), flows.get(1_999).arrival());
    Map<Long, String> before = Map.copyOf(run.results.get("sliding"));
    assertTrue(before.size() > 0);
    run.more = groupsOfAnotherLayout(LiveQuery.of(SLIDING), flows.subList(2_000, 2_100));
    run.with(2, flows.subList(2_000, 4_000), flows.get(3_999).arrival());
    run.more = List.of();
    run.with(3, flows.subList(4_000, 6_000), Long.MAX_VALUE);
    assertEquals(
        BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, 7),
        run.results.get("tumbling"),
        "seed 25");
    assertEquals(before, run.results.get("sliding"), "nothing after the failure, seed 25");
  }

  @Test
  void aStateThatWasWrittenAsRawKeyedStateIsReadFurther() throws Exception {
    List<TestFlow> flows = TestFlow.random(29, 2_000, 10, 50);
    LiveQuery live = LiveQuery.of(TUMBLING);
    KeyGroupState.Shared shared =
        new KeyGroupState.Shared(
            new GroupBudget(live.analysis().live().limit(), live.window(), KEY_GROUPS, KEY_GROUPS),
            new WindowAdvances(),
            new PartialMerge.Scratch());
    Map<Integer, byte[]> before = new TreeMap<>();
    List<Partial> partials = new MergeRun(List.of(TUMBLING)).lowLevel(flows);
    for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
      KeyGroupState state = new KeyGroupState();
      for (Partial partial : partials) {
        if (partial instanceof Partial.Groups groups && groups.keyGroup() == keyGroup) {
          state.of(live, query -> shared).merge(PartialGroups.open(groups.bytes()));
        }
      }
      before.put(keyGroup, state.freeze().bytes());
    }
    OperatorSubtaskState old;
    KeyGroupKeys keys = new KeyGroupKeys(KEY_GROUPS);
    try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> writer =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new RawKeyedState(before), keys, Types.INT, KEY_GROUPS, 1, 0)) {
      writer.setup(new PartialSerializer());
      writer.open();
      old = writer.snapshot(1, 1);
    }
    for (int parallelism = 1; parallelism <= 2; parallelism++) {
      try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last =
          windows(List.of(TUMBLING), null)) {
        for (int task = 0; task < parallelism; task++) {
          try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge =
              new KeyedOneInputStreamOperatorTestHarness<>(
                  new MergeOperator(new AnalysisSet(List.of(TUMBLING))),
                  keys,
                  Types.INT,
                  KEY_GROUPS,
                  parallelism,
                  task)) {
            merge.setup(new PartialSerializer());
            merge.initializeState(
                AbstractStreamOperatorTestHarness.repartitionOperatorState(
                    old, KEY_GROUPS, 1, parallelism, task));
            merge.open();
            merge.processWatermark(Long.MAX_VALUE);
            for (Partial part : merge.extractOutputValues()) {
              last.processElement(new StreamRecord<>(part));
            }
          }
        }
        last.processWatermark(Long.MAX_VALUE);
        Map<Long, String> results = new TreeMap<>();
        for (WindowResult result : last.extractOutputValues()) {
          results.put(result.windowEnd(), BruteForce.describe(result));
        }
        assertEquals(
            BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, 7), results, "seed 29");
      }
    }
  }

  /** Writes bytes by key group, as older versions of the merge did. */
  private static final class RawKeyedState extends AbstractStreamOperator<Partial>
      implements OneInputStreamOperator<Partial, Partial> {
    private static final long serialVersionUID = 1L;

    private final transient Map<Integer, byte[]> bytes;

    RawKeyedState(Map<Integer, byte[]> bytes) {
      this.bytes = bytes;
    }

    @Override
    protected boolean isUsingCustomRawKeyedState() {
      return true;
    }

    @Override
    public void processElement(StreamRecord<Partial> element) {}

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
      KeyedStateCheckpointOutputStream stream = context.getRawKeyedOperatorStateOutput();
      for (int keyGroup : stream.getKeyGroupList()) {
        stream.startNewKeyGroup(keyGroup);
        stream.write(bytes.get(keyGroup));
      }
    }
  }

  @Test
  void anAnalysisThatWasStoppedAndGoesIsNotAmongTheStoppedAnyMore() throws Exception {
    try (KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new MergeOperator(new AnalysisSet(BOTH)),
            new KeyGroupKeys(KEY_GROUPS),
            Types.INT,
            KEY_GROUPS,
            1,
            0)) {
      merge.setup(new PartialSerializer());
      merge.open();
      MergeOperator operator = (MergeOperator) merge.getOneInputOperator();
      for (Partial broken :
          groupsOfAnotherLayout(LiveQuery.of(SLIDING), TestFlow.random(27, 100, 12, 100))) {
        merge.processElement(new StreamRecord<>(broken));
      }
      assertEquals(1, operator.stoppedAnalyses());
      AnalysisChange goes = new AnalysisChange("sliding", 1, null);
      merge.processElement(new StreamRecord<>(new Partial.Definition(0, goes)));
      assertEquals(0, operator.stoppedAnalyses());
    }
  }

  private static List<Partial> groupsOfAnotherLayout(LiveQuery live, List<TestFlow> flows) {
    List<Partial> partials = new ArrayList<>();
    LowLevelQuery other =
        new LowLevelQuery(
            live.id(),
            QueryParser.parse("SELECT src_addr, MAX(bytes) FROM flows GROUP BY src_addr"),
            live.window(),
            64,
            KEY_GROUPS,
            (keyGroup, bytes) -> partials.add(new Partial.Groups(keyGroup, bytes)));
    TestFlow.batches(flows, 100, 77).forEach(other::process);
    other.drainAll();
    return partials;
  }

  @Test
  void anAnalysisWhosePartsCannotBePutTogetherIsStoppedAndNoOtherWithIt() throws Exception {
    List<TestFlow> flows = TestFlow.random(26, 2_000, 10, 50);
    List<Partial> parts = new ArrayList<>();
    for (AnalysisConfig analysis : BOTH) {
      LiveQuery live = LiveQuery.of(analysis);
      WindowTables tables = new WindowTables(live.id(), live.query(), live.window());
      for (Partial partial : new MergeRun(BOTH).lowLevel(flows)) {
        PartialGroups groups = PartialGroups.open(((Partial.Groups) partial).bytes());
        if (groups.queryId() == live.id()) {
          tables.merge(groups);
        }
      }
      tables.closeUpTo(
          Long.MAX_VALUE, part -> parts.add(new Partial.Part(live.id(), part.toBytes())));
    }
    long sliding = LiveQuery.of(SLIDING).id();
    OperatorSubtaskState state;
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last = windows(BOTH, null)) {
      last.processElement(new StreamRecord<>(new Partial.Part(sliding, new byte[10])));
      state = last.snapshot(1, 1);
    }
    try (OneInputStreamOperatorTestHarness<Partial, WindowResult> last = windows(BOTH, state)) {
      for (Partial part : parts) {
        last.processElement(new StreamRecord<>(part));
      }
      last.processWatermark(Long.MAX_VALUE);
      Map<Long, String> results = new TreeMap<>();
      for (WindowResult result : last.extractOutputValues()) {
        assertEquals("tumbling", result.analysis());
        results.put(result.windowEnd(), BruteForce.describe(result));
      }
      assertEquals(
          BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, 7), results, "seed 26");
    }
  }

  private static OneInputStreamOperatorTestHarness<Partial, WindowResult> windows(
      List<AnalysisConfig> analyses, OperatorSubtaskState state) throws Exception {
    OneInputStreamOperatorTestHarness<Partial, WindowResult> last =
        new OneInputStreamOperatorTestHarness<>(
            new WindowOperator(new AnalysisSet(analyses)), 1, 1, 0);
    last.setup(new WindowResultSerializer());
    if (state != null) {
      last.initializeState(state);
    }
    last.open();
    return last;
  }

  @Test
  void anAnalysisThatIsGoneLeavesTheOthersAsTheyWere() throws Exception {
    List<TestFlow> flows = TestFlow.random(22, 4_000, 10, 100);
    MergeRun run = new MergeRun(BOTH);
    run.with(2, flows.subList(0, 2_000), flows.get(1_999).arrival());
    run.analyses = List.of(TUMBLING);
    run.with(1, flows.subList(2_000, 4_000), Long.MAX_VALUE);
    assertEquals(
        BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, 7),
        run.results.get("tumbling"),
        "seed 22");
  }

  @Test
  void aChangedDefinitionHasAnotherIdAndTheSameOneTheSame() {
    assertEquals(
        LiveQuery.of(TUMBLING).id(),
        LiveQuery.of(TestAnalyses.talkers("tumbling", "2s", "2s", "1s", 128, 7)).id());
    assertTrue(
        LiveQuery.of(TUMBLING).id()
            != LiveQuery.of(TestAnalyses.talkers("tumbling", "2s", "1s", "1s", 64, 7)).id());
    assertTrue(
        LiveQuery.of(TUMBLING).id()
            != LiveQuery.of(TestAnalyses.talkers("other", "2s", "2s", "1s", 64, 7)).id());
  }
}
