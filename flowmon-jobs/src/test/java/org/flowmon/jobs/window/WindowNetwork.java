package org.flowmon.jobs.window;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.LowLevelOperatorFactory;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;
import org.flowmon.jobs.merge.KeyGroupKeys;
import org.flowmon.jobs.merge.MergeOperator;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.merge.WindowResultSerializer;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.source.PositionedBatchSerializer;

/**
 * Low level, merge and last step as tasks with channels between them that hold messages for a
 * random time. A task is at the smallest of its channels' watermarks, as in Flink.
 */
public final class WindowNetwork implements AutoCloseable {
  static final int KEY_GROUPS = 8;

  private static final int MAX_STATE_BYTES = 1 << 28;

  /**
   * The contents of a checkpoint.
   *
   * @param inFlight messages that the barrier overtook on the way to the last step, as in unaligned
   *     ones
   */
  record State(
      OperatorSubtaskState merge,
      int tasks,
      OperatorSubtaskState windows,
      List<Partial> inFlight) {}

  /** The input channels of one task. */
  private static final class Inputs {
    private final List<Deque<Object>> channels = new ArrayList<>();
    private final long[] marks;
    private long mark = Long.MIN_VALUE;

    Inputs(int count) {
      for (int i = 0; i < count; i++) {
        channels.add(new ArrayDeque<>());
      }
      marks = new long[count];
      Arrays.fill(marks, Long.MIN_VALUE);
    }

    boolean isEmpty() {
      return channels.stream().allMatch(Deque::isEmpty);
    }

    /** Delivers the next message of one channel to the task. */
    void deliver(int channel, OneInputStreamOperatorTestHarness<Partial, ?> task) throws Exception {
      Object next = channels.get(channel).poll();
      if (next instanceof Watermark watermark) {
        marks[channel] = watermark.getTimestamp();
        long smallest = Arrays.stream(marks).min().orElseThrow();
        if (smallest > mark) {
          mark = smallest;
          task.processWatermark(smallest);
        }
      } else if (next != null) {
        task.processElement(new StreamRecord<>((Partial) next));
      }
    }
  }

  private final KeyGroupKeys keys = new KeyGroupKeys(KEY_GROUPS);
  private final SplittableRandom random;
  private final boolean unaligned;
  private final List<OneInputStreamOperatorTestHarness<PositionedBatch, Partial>> lows =
      new ArrayList<>();
  private final List<KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial>> merges =
      new ArrayList<>();
  private final OneInputStreamOperatorTestHarness<Partial, WindowResult> windows;
  private final List<Inputs> toMerge = new ArrayList<>();
  private final Inputs toWindows;
  private long offset;

  /** Groups that changed after they had been sent in advance. */
  int superseded;

  /** Flows that the low level counted as too late for all of their windows. */
  long late;

  public WindowNetwork(
      List<AnalysisConfig> analyses,
      int sources,
      int tasks,
      State from,
      boolean unaligned,
      SplittableRandom random)
      throws Exception {
    this.random = random;
    this.unaligned = unaligned;
    for (int i = 0; i < sources; i++) {
      OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low =
          new OneInputStreamOperatorTestHarness<>(
              new LowLevelOperatorFactory(new AnalysisSet(analyses), KEY_GROUPS),
              new PositionedBatchSerializer());
      low.setup(new PartialSerializer());
      low.open();
      lows.add(low);
    }
    for (int j = 0; j < tasks; j++) {
      KeyedOneInputStreamOperatorTestHarness<Integer, Partial, Partial> merge =
          new KeyedOneInputStreamOperatorTestHarness<>(
              new MergeOperator(new AnalysisSet(analyses)), keys, Types.INT, KEY_GROUPS, tasks, j);
      merge.setCheckpointStorage(new JobManagerCheckpointStorage(MAX_STATE_BYTES));
      merge.setup(new PartialSerializer());
      if (from != null) {
        merge.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                from.merge(), KEY_GROUPS, from.tasks(), tasks, j));
      }
      merge.open();
      merges.add(merge);
      toMerge.add(new Inputs(sources));
    }
    windows =
        new OneInputStreamOperatorTestHarness<>(
            new WindowOperator(new AnalysisSet(analyses)), 1, 1, 0);
    windows.setCheckpointStorage(new JobManagerCheckpointStorage(MAX_STATE_BYTES));
    windows.setup(new WindowResultSerializer());
    if (from != null) {
      windows.initializeState(from.windows());
    }
    windows.open();
    toWindows = new Inputs(tasks);
    if (from != null) {
      for (Partial partial : from.inFlight()) {
        windows.processElement(new StreamRecord<>(partial));
      }
    }
  }

  public void batch(int source, FlowBatch batch) throws Exception {
    batch(source, new PositionedBatch("t:" + source, offset++, batch, 0));
  }

  public void batch(int source, PositionedBatch record) throws Exception {
    lows.get(source).processElement(new StreamRecord<>(record));
    sendOn(source);
  }

  public void watermark(int source, long mark) throws Exception {
    lows.get(source).processWatermark(mark);
    sendOn(source);
  }

  private void sendOn(int source) throws Exception {
    TaskMailbox mailbox = lows.get(source).getTaskMailbox();
    while (mailbox.hasMail() && random.nextInt(3) > 0) {
      mailbox.take(TaskMailbox.MIN_PRIORITY).run();
    }
    collect(source);
    for (int n = random.nextInt(60); n > 0; n--) {
      deliverOne();
    }
  }

  private void collect(int source) {
    List<Object> sent = new ArrayList<>(lows.get(source).getOutput());
    lows.get(source).getOutput().clear();
    for (Object out : sent) {
      if (out instanceof Watermark) {
        toMerge.forEach(inputs -> inputs.channels.get(source).add(out));
      } else if (out instanceof StreamRecord<?> record) {
        Partial partial = (Partial) record.getValue();
        late += partial instanceof Partial.Counts counts ? counts.counts().late() : 0;
        int task =
            KeyGroupRangeAssignment.assignKeyToParallelOperator(
                keys.getKey(partial), KEY_GROUPS, merges.size());
        toMerge.get(task).channels.get(source).add(partial);
      }
    }
  }

  private void deliverOne() throws Exception {
    int task = random.nextInt(merges.size());
    if (random.nextBoolean()) {
      deliverToMerge(task, random.nextInt(lows.size()));
    } else {
      toWindows.deliver(task, windows);
    }
  }

  private void deliverToMerge(int task, int source) throws Exception {
    toMerge.get(task).deliver(source, merges.get(task));
    for (Object out : merges.get(task).getOutput()) {
      if (out instanceof Watermark) {
        toWindows.channels.get(task).add(out);
      } else if (out instanceof StreamRecord<?> record) {
        toWindows.channels.get(task).add(record.getValue());
        superseded += record.getValue() instanceof Partial.Rest r ? r.superseded().length : 0;
      }
    }
    merges.get(task).getOutput().clear();
  }

  private void deliverAllToMerge() throws Exception {
    for (int task = 0; task < merges.size(); task++) {
      while (!toMerge.get(task).isEmpty()) {
        deliverToMerge(task, random.nextInt(lows.size()));
      }
    }
  }

  private void deliverAll() throws Exception {
    deliverAllToMerge();
    while (!toWindows.isEmpty()) {
      toWindows.deliver(random.nextInt(merges.size()), windows);
    }
  }

  /**
   * Takes a checkpoint, unaligned or not: all messages sent before the barrier come before it,
   * except those that it overtakes on the way to the last step.
   */
  State checkpoint() throws Exception {
    for (int i = 0; i < lows.size(); i++) {
      lows.get(i).prepareSnapshotPreBarrier(1);
      collect(i);
    }
    deliverAllToMerge();
    for (int n = random.nextInt(40); n > 0 || !(unaligned || toWindows.isEmpty()); n--) {
      toWindows.deliver(random.nextInt(merges.size()), windows);
    }
    List<OperatorSubtaskState> states = new ArrayList<>();
    for (var merge : merges) {
      states.add(merge.snapshot(1, 1));
    }
    OperatorSubtaskState all =
        AbstractStreamOperatorTestHarness.repackageState(
            states.toArray(new OperatorSubtaskState[0]));
    List<Partial> inFlight = new ArrayList<>();
    for (Deque<Object> channel : toWindows.channels) {
      channel.stream().filter(Partial.class::isInstance).forEach(p -> inFlight.add((Partial) p));
    }
    return new State(all, merges.size(), windows.snapshot(1, 1), inFlight);
  }

  /** Ends the input. */
  public void end() throws Exception {
    for (int i = 0; i < lows.size(); i++) {
      lows.get(i).processWatermark(Long.MAX_VALUE);
      lows.get(i).getOneInputOperator().finish();
      collect(i);
    }
    deliverAll();
  }

  /** Returns the results since the last call. */
  public List<WindowResult> results() {
    List<WindowResult> results = windows.extractOutputValues();
    windows.getOutput().clear();
    return results;
  }

  @Override
  public void close() throws Exception {
    for (var low : lows) {
      low.close();
    }
    for (var merge : merges) {
      merge.close();
    }
    windows.close();
  }
}
