package org.flowmon.jobs.source;

import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;

/** The operator that checks sequences, and batches for it. */
abstract class SequenceCheckFixture {
  static final int MAX_PARALLELISM = 8;

  static final List<FlowBatch> BATCHES = TestFlow.batches(TestFlow.random(1, 1500, 10, 50), 10, 77);

  static void refuse(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      long offset,
      byte[] message)
      throws Exception {
    Quarantined refused = Quarantined.of("t:0", offset, "flow-source", "a test says so", message);
    check.processElement(new StreamRecord<>(PositionedBatch.of(refused)));
  }

  /**
   * Sends a batch of ten flows, this many numbers after the first, that came a second after the
   * last.
   */
  static void far(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      long from,
      int second)
      throws Exception {
    far(check, from, from + second, TestFlow.START + (1 + second) * TestFlow.SECOND);
  }

  static void far(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      long from,
      long number,
      long reached)
      throws Exception {
    byte[] bytes =
        TestFlow.batch(
            TestFlow.random(1, 10, 1, 5), BATCHES.get(0).producerId(), number, 10 * (number + 1));
    check.processElement(
        new StreamRecord<>(
            new PositionedBatch(
                "t:0",
                1000 + number - from,
                FlowBatch.open(bytes),
                0,
                false,
                reached,
                Optional.empty())));
  }

  static OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> open(
      int parallelism, int task, OperatorSubtaskState state) throws Exception {
    AbstractStreamOperator<PositionedBatch> operator = new SequenceCheckOperator();
    OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> harness =
        new OneInputStreamOperatorTestHarness<>(
            (SequenceCheckOperator) operator, MAX_PARALLELISM, parallelism, task);
    harness.setup(new PositionedBatchSerializer());
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
    return harness;
  }

  static void send(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      String sourceKey,
      int... sequences)
      throws Exception {
    for (int sequence : sequences) {
      check.processElement(
          new StreamRecord<>(new PositionedBatch(sourceKey, sequence, BATCHES.get(sequence), 0)));
    }
  }

  static List<Long> sequences(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check) {
    return check.extractOutputValues().stream()
        .filter(record -> !record.repeat())
        .map(record -> record.batch().sequence())
        .toList();
  }

  static List<Long> lost(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check) {
    return check.extractOutputValues().stream().map(PositionedBatch::lostBefore).toList();
  }
}
