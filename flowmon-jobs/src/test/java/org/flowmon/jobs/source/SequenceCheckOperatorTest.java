package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;

class SequenceCheckOperatorTest extends SequenceCheckFixture {
  @Test
  void aBatchThatIsSentAgainIsDropped() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1, 1, 2, 0, 3);
      assertEquals(List.of(0L, 1L, 2L, 3L), sequences(check));
    }
  }

  @Test
  void aRepeatsPositionGoesOnWithoutItsRows() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      for (int offset = 0; offset < 5; offset++) {
        FlowBatch batch = BATCHES.get(new int[] {0, 1, 1, 0, 2}[offset]);
        check.processElement(new StreamRecord<>(new PositionedBatch("t:0", offset, batch, 0)));
      }
      List<PositionedBatch> out = check.extractOutputValues();
      assertEquals(List.of(0L, 1L, 2L, 3L, 4L), out.stream().map(PositionedBatch::offset).toList());
      assertEquals(
          List.of(10, 10, 0, 0, 10), out.stream().map(record -> record.batch().rows()).toList());
      assertEquals(
          List.of(false, false, true, true, false),
          out.stream().map(PositionedBatch::repeat).toList());
      assertEquals(BATCHES.get(1).maxArrival(), out.get(2).batch().maxArrival());
    }
  }

  @Test
  void whatComesTooFarBackHasAPlaceOnlyWhereItWasSurelySeen() throws Exception {
    int last = 2 * ProducerPosition.WINDOW + 10;
    for (int passedOver : new int[] {-1, 3, 10, ProducerPosition.WINDOW + 5}) {
      for (int back : new int[] {0, 2, 4, 9, 11, 40, ProducerPosition.WINDOW + 6, last - 1}) {
        try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
            open(1, 0, null)) {
          send(check, "t:0", IntStream.rangeClosed(0, last).filter(i -> i != passedOver).toArray());
          int before = check.extractOutputValues().size();
          send(check, "t:0", back);
          boolean inWindow = back > last - ProducerPosition.WINDOW;
          assertEquals(
              inWindow || back > passedOver ? 1 : 0,
              check.extractOutputValues().size() - before,
              back + " comes again, " + passedOver + " never came");
        }
      }
    }
  }

  @Test
  void whatLeftTheWindowUnseenIsKnownWhateverTheSteps() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      Set<Long> seen = new HashSet<>();
      ProducerPosition position = null;
      long next = 0;
      for (int i = 0; i < 60; i++) {
        // mostly one after the other, sometimes a step about as wide as the window
        next += random.nextInt(4) > 0 ? 0 : random.nextInt(3 * ProducerPosition.WINDOW);
        FlowBatch beat = FlowBatch.open(Heartbeat.of(9, next, 0, 0, TestFlow.START));
        seen.add(next++);
        PositionedBatch record = new PositionedBatch("t:0", i, beat, 0);
        position = position == null ? ProducerPosition.first(record) : position.with(record);
      }
      long first = Collections.min(seen);
      long windowStart = next - ProducerPosition.WINDOW;
      long unseen = windowStart - 1;
      while (unseen >= first && seen.contains(unseen)) {
        unseen--;
      }
      for (long number = first; number < next; number++) {
        boolean sure = number >= windowStart ? seen.contains(number) : number > unseen;
        // before the first nothing was passed over: all counts as seen
        sure |= unseen < first && number < windowStart;
        assertEquals(sure, position.isSeen(number), "seed " + seed + ", number " + number);
      }
    }
  }

  @Test
  void aPositionStaysThroughItsSerializerAndVersion1IsSureOfTheWindowOnly() throws Exception {
    ProducerPosition position = new ProducerPosition("t:0", 1, 200, 0b1011, 4, 5, 6, 7, 3, 9);
    ProducerPositionSerializer serializer = new ProducerPositionSerializer();
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(position, out);
    byte[] bytes = out.getCopyOfBuffer();
    assertEquals(position, serializer.deserialize(new DataInputDeserializer(bytes)));
    bytes[0] = 3;
    byte[] third = Arrays.copyOf(bytes, bytes.length - 8);
    ProducerPosition without = serializer.deserialize(new DataInputDeserializer(third));
    assertEquals(position, without.withTold(9));
    bytes[0] = 2;
    byte[] before = Arrays.copyOf(bytes, bytes.length - 12);
    assertTrue(serializer.deserialize(new DataInputDeserializer(before)).isEstablished());
    bytes[0] = 1;
    byte[] old = Arrays.copyOf(bytes, bytes.length - 20);
    ProducerPosition read = serializer.deserialize(new DataInputDeserializer(old));
    assertEquals(
        List.of(true, false, true), LongStream.of(199, 197, 198).mapToObj(read::isSeen).toList());
    assertFalse(read.isSeen(135));
    assertTrue(read.isRepeat(135));
  }

  @Test
  void equalNumbersOfOtherProducersAndPartitionsAreNotRepeats() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      send(check, "t:1", 0, 1);
      List<FlowBatch> other = TestFlow.batches(TestFlow.random(1, 20, 1, 5), 10, 78);
      check.processElement(new StreamRecord<>(new PositionedBatch("t:0", 5, other.get(0), 0)));
      assertEquals(5, check.extractOutputValues().size());
    }
  }

  @Test
  void flowsThatNeverCameAreCountedFromTheProducersCounts() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 4, 5, 9, 10);
      assertEquals(List.of(0L, 0L, 30L, 0L), lost(check));
    }
  }

  @Test
  void aRefusedMessageLeavesItsPlaceAndItsFlowsAreLostOnce() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      refuse(check, 2, BATCHES.get(2).bytes()); // the next of a known producer
      refuse(check, 3, BATCHES.get(1).bytes()); // a repeat
      refuse(check, 4, BATCHES.get(9).bytes()); // after a gap, which covers it
      refuse(check, 5, TestFlow.batches(TestFlow.random(1, 7, 1, 5), 7, 99).get(0).bytes());
      refuse(check, 6, new byte[] {1});
      send(check, "t:0", 3, 10);
      assertEquals(List.of(0L, 0L, 10L, 0L, 0L, 7L, 0L, 0L, 60L), lost(check));
      List<PositionedBatch> out = check.extractOutputValues();
      for (PositionedBatch place : out.subList(2, 7)) {
        assertTrue(place.repeat());
        assertEquals(0, place.batch().rows());
        assertEquals(BATCHES.get(1).maxArrival(), place.batch().maxArrival());
        assertTrue(place.refused().isEmpty());
      }
      List<String> quarantined =
          check.getSideOutput(Quarantined.TAG).stream()
              .map(refused -> refused.getValue().position() + " " + refused.getValue().flows())
              .toList();
      assertEquals(List.of("t:0@2 10", "t:0@3 10", "t:0@4 10", "t:0@5 7", "t:0@6 0"), quarantined);
    }
  }

  @Test
  void whatIsRefusedBeforeAPartitionsFirstBatchIsLostWithThat() throws Exception {
    OperatorSubtaskState state;
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      refuse(check, 0, BATCHES.get(0).bytes()); // no arrival is known: the window is unknown
      assertEquals(List.of(0L), lost(check));
      state = check.snapshot(1, 1);
    }
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, state)) {
      refuse(check, 1, BATCHES.get(1).bytes());
      send(check, "t:0", 2, 3);
      assertEquals(List.of(0L, 20L, 0L), lost(check));
      state = check.snapshot(2, 2);
    }
    // Another task has it from before: it is not reported twice.
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, state)) {
      send(check, "t:0", 4);
      assertEquals(List.of(0L), lost(check));
    }
  }

  @Test
  void theFlowsOfANumberThatNoGapExplainsAreLost() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      byte[] far =
          TestFlow.batch(
              TestFlow.random(1, 5, 1, 5),
              FlowBatch.open(BATCHES.get(0).bytes()).producerId(),
              ProducerPosition.MAX_MISSING + 3,
              1000);
      check.processElement(
          new StreamRecord<>(new PositionedBatch("t:0", 2, FlowBatch.open(far), 0)));
      refuse(check, 3, far);
      send(check, "t:0", 2);
      assertEquals(List.of(0L, 0L, 5L, 5L, 0L), lost(check));
    }
  }

  @Test
  void lossesThatTheProducerKnowsAreToldOnce() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      long[] losses = {5, 5, 12};
      for (int i = 0; i < losses.length; i++) {
        FlowBatch beat = FlowBatch.open(Heartbeat.of(9, i, 0, losses[i], TestFlow.START + i));
        check.processElement(new StreamRecord<>(new PositionedBatch("t:0", i, beat, 0)));
      }
      assertEquals(List.of(0L, 0L, 7L), lost(check));
    }
  }

  @Test
  void aBatchThatFillsAGapIsTakenOnce() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1, 5, 3, 3, 4, 1, 2, 2, 6);
      assertEquals(List.of(0L, 1L, 5L, 3L, 4L, 2L, 6L), sequences(check));
    }
  }

  @Test
  void whatWasSeenIsKnownAfterARestartAtAnyParallelism() throws Exception {
    OperatorSubtaskState state;
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1, 2);
      send(check, "t:1", 0, 1, 2, 3);
      state = check.snapshot(1, 1);
    }
    int parallelism = 1;
    // Which task reads which partition changes: partition p goes to task (p + shift) % parallelism.
    for (int[] next : new int[][] {{2, 0}, {3, 1}, {2, 1}, {1, 0}}) {
      List<OperatorSubtaskState> states = new ArrayList<>();
      for (int task = 0; task < next[0]; task++) {
        try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
            open(next[0], task, repartition(state, parallelism, next[0], task))) {
          for (int partition = 0; partition < 2; partition++) {
            // Partition 1 stays silent in the second round: it must not be forgotten.
            boolean silent = next[0] == 3 && partition == 1;
            if ((partition + next[1]) % next[0] == task && !silent) {
              send(check, "t:" + partition, 0, 1, 2);
              assertEquals(
                  List.of(), sequences(check), "partition " + partition + " at " + next[0]);
            }
          }
          states.add(check.snapshot(2, 2));
        }
      }
      state =
          AbstractStreamOperatorTestHarness.repackageState(
              states.toArray(new OperatorSubtaskState[0]));
      parallelism = next[0];
    }
  }

  private static OperatorSubtaskState repartition(
      OperatorSubtaskState state, int from, int to, int task) {
    return AbstractStreamOperatorTestHarness.repartitionOperatorState(
        state, MAX_PARALLELISM, from, to, task);
  }
}
