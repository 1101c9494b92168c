package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;

class SequenceCheckOperatorTest {
  private static final int MAX_PARALLELISM = 8;
  private static final List<FlowBatch> BATCHES =
      TestFlow.batches(TestFlow.random(1, 1500, 10, 50), 10, 77);

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

  private static void refuse(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      long offset,
      byte[] message)
      throws Exception {
    Quarantined refused = Quarantined.of("t:0", offset, "flow-source", "a test says so", message);
    check.processElement(new StreamRecord<>(PositionedBatch.of(refused)));
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

  @Test
  void onlyTheLatestProducersOfAPartitionAreRemembered() {
    ProducerPositions positions = new ProducerPositions();
    for (int producer = 0; producer < 3 * ProducerPositions.PRODUCERS; producer++) {
      FlowBatch beat = FlowBatch.open(Heartbeat.of(producer, 0, 0, 0, TestFlow.START + producer));
      positions.put(ProducerPosition.first(new PositionedBatch("t:0", 0, beat, 0)));
    }
    List<ProducerPosition> kept = positions.snapshot(0, 1);
    assertEquals(ProducerPositions.PRODUCERS, kept.size());
    assertEquals(
        2 * ProducerPositions.PRODUCERS,
        kept.stream().mapToLong(ProducerPosition::producerId).min().orElse(-1));
  }

  @Test
  void strangersDoNotMakeAProducerForgotten() throws Exception {
    OperatorSubtaskState state;
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", IntStream.range(0, 20).toArray());
      sendStrangers(check, 900, 1);
      sendStrangers(check, 100, ProducerPosition.ESTABLISHED + 1);
      state = check.snapshot(1, 1);
    }
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, state)) {
      sendStrangers(check, 900, 1);
      int before = check.extractOutputValues().size();
      send(check, "t:0", 19, 25);
      List<PositionedBatch> out = check.extractOutputValues().subList(before, before + 2);
      assertTrue(out.get(0).repeat(), "19 came before");
      assertEquals(50, out.get(1).lostBefore(), "20 … 24 are missing");
    }
  }

  /** Sends batches of many producers, all later than those of the known one. */
  private static void sendStrangers(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      int producers,
      int batches)
      throws Exception {
    Random random = new Random(6);
    long later = BATCHES.get(20).maxArrival();
    for (int i = 0; i < producers; i++) {
      long id = random.nextLong();
      for (int number = 0; number < batches; number++) {
        FlowBatch beat = FlowBatch.open(Heartbeat.of(id, number, 0, 0, later + i));
        check.processElement(new StreamRecord<>(new PositionedBatch("t:0", 0, beat, 0)));
      }
    }
  }

  @Test
  void anIdleProducerMakesRoomForANewOne() {
    ProducerPositions positions = new ProducerPositions();
    int producers = 3 * ProducerPositions.PRODUCERS;
    long step = ProducerPositions.IDLE_MICROS / 10;
    for (int producer = 0; producer < producers; producer++) {
      ProducerPosition position = null;
      for (int number = 0; number < ProducerPosition.ESTABLISHED; number++) {
        byte[] beat = Heartbeat.of(producer, number, 0, 0, TestFlow.START + producer * step);
        PositionedBatch record = new PositionedBatch("t:0", 0, FlowBatch.open(beat), 0);
        position = position == null ? ProducerPosition.first(record) : position.with(record);
        positions.put(position);
      }
    }
    List<ProducerPosition> kept = positions.snapshot(0, 1);
    assertEquals(2 * ProducerPositions.PRODUCERS, kept.size());
    assertEquals(
        producers - 1, kept.stream().mapToLong(ProducerPosition::producerId).max().orElse(-1));
    assertTrue(
        kept.stream().limit(ProducerPositions.PRODUCERS).allMatch(ProducerPosition::isEstablished));
  }

  @Test
  void aNumberThatNoGapExplainsIsRefusedAndItsProducerGoesOn() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      FlowBatch far =
          FlowBatch.open(Heartbeat.of(77, FlowBatch.MAX_COUNT, FlowBatch.MAX_COUNT, 0, 1));
      check.processElement(new StreamRecord<>(new PositionedBatch("t:0", 2, far, 0)));
      send(check, "t:0", 2, 4);
      assertEquals(List.of(0L, 1L, 2L, 4L), sequences(check));
      assertEquals(List.of(0L, 0L, 0L, 0L, 10L), lost(check));
      Quarantined refused = check.getSideOutput(Quarantined.TAG).iterator().next().getValue();
      assertEquals("sequence-check", refused.where());
      assertTrue(refused.reason().contains("expected 2 or at most"), refused.reason());
    }
  }

  /**
   * The topic's retention was shorter than the job's outage: more batches are gone than a gap may
   * have.
   */
  @Test
  void aProducerThatGoesOnFarAfterItsLastNumberIsBelievedInTime() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      long from = ProducerPosition.MAX_MISSING + 10;
      for (int second = 0; second < 15; second++) {
        far(check, from, second);
      }
      assertEquals(
          LongStream.concat(LongStream.of(0, 1), LongStream.range(from + 10, from + 15))
              .boxed()
              .toList(),
          sequences(check));
      // 10 flows in each: of the refused batches, and of all that never came.
      long missing = 10 * (from - 2);
      List<Long> lost = lost(check);
      assertEquals(100L, lost.subList(2, 12).stream().mapToLong(l -> l).sum());
      assertEquals(missing, lost.get(12));
      assertEquals(0L, lost.get(13));
    }
  }

  @Test
  void whoSpeaksForAProducerAtWorkDoesNotSilenceIt() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      long from = ProducerPosition.MAX_MISSING + 100;
      for (int second = 0; second < 30; second++) {
        send(check, "t:0", second);
        far(check, from, second);
      }
      assertEquals(LongStream.range(0, 30).boxed().toList(), sequences(check));
    }
  }

  @Test
  void manyNumbersAtOnceDoNotSilenceAProducerAtWork() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", IntStream.range(0, 20).toArray());
      long from = ProducerPosition.MAX_MISSING + 100;
      far(check, from, from, TestFlow.START - 3600 * TestFlow.SECOND);
      for (int more = 1; more < 20; more++) {
        far(check, from, from + more, BATCHES.get(20).maxArrival());
      }
      send(check, "t:0", IntStream.range(20, 30).toArray());
      assertEquals(LongStream.range(0, 30).boxed().toList(), sequences(check));
    }
  }

  @Test
  void theFlowsOfARunThatBreaksAreLostOnce() throws Exception {
    for (Break how : Break.values()) {
      long[] lost = {0};
      OperatorSubtaskState state;
      try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
          open(1, 0, null)) {
        send(check, "t:0", IntStream.range(0, 10).toArray());
        for (int second = 0; second < 5; second++) {
          far(check, FAR, second);
        }
        breakRun(check, how);
        lost[0] += lost(check).stream().mapToLong(l -> l).sum();
        state = check.snapshot(1, 1);
      }
      try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
          open(1, 0, state)) {
        for (int second = 6; second < 30; second++) {
          far(check, FAR, second);
        }
        lost[0] += lost(check).stream().mapToLong(l -> l).sum();
        long taken = sequences(check).get(0);
        assertEquals(10 * (taken - 10), lost[0], "all before number " + taken + ", " + how);
      }
    }
  }

  private static final long FAR = ProducerPosition.MAX_MISSING + 100;

  /** How number 5 of a run that began at 0 breaks it. */
  private enum Break {
    MISSING,
    REFUSED,
    ANOTHER_RUN,
    OTHERS
  }

  private static void breakRun(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check, Break how)
      throws Exception {
    switch (how) {
      case MISSING -> {}
      case REFUSED ->
          refuse(
              check,
              1005,
              TestFlow.batch(
                  TestFlow.random(1, 10, 1, 5),
                  BATCHES.get(0).producerId(),
                  FAR + 5,
                  10 * (FAR + 6)));
      case ANOTHER_RUN -> {
        for (int second = 7; second < 10; second++) {
          far(check, FAR - 50, second);
        }
      }
      case OTHERS -> {
        far(check, FAR, 5);
        for (long number : new long[] {0, ProducerPosition.MAX_MISSING + 9}) {
          for (int producer = 0; producer < ProducerPositions.PRODUCERS; producer++) {
            byte[] beat = Heartbeat.of(producer, number, 0, 0, TestFlow.START);
            check.processElement(
                new StreamRecord<>(new PositionedBatch("t:0", 7, FlowBatch.open(beat), 0)));
          }
        }
      }
    }
  }

  /** After a restart there may be two of one producer, one of them from before it. */
  @Test
  void ofTwoPositionsOfOneNumberNothingIsForgotten() {
    ProducerPosition older = new ProducerPosition("t:0", 1, 200, 0b1001, 4, 5, 6, 7, 3, 0);
    ProducerPosition newer = new ProducerPosition("t:0", 1, 200, 0b1011, 4, 5, 6, 7, 4, 9);
    for (List<ProducerPosition> both : List.of(List.of(older, newer), List.of(newer, older))) {
      ProducerPositions positions = new ProducerPositions();
      both.forEach(positions::restore);
      assertEquals(newer, positions.get("t:0", 1));
    }
  }

  /**
   * Sends a batch of ten flows, this many numbers after the first, that came a second after the
   * last.
   */
  private static void far(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      long from,
      int second)
      throws Exception {
    far(check, from, from + second, TestFlow.START + (1 + second) * TestFlow.SECOND);
  }

  private static void far(
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

  /** A wrong batch may have come under its number first. */
  @Test
  void aBatchWhoseNumberWasRefusedIsTaken() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      send(check, "t:0", 0, 1);
      refuse(check, 2, BATCHES.get(2).bytes());
      send(check, "t:0", 2, 3, 2);
      assertEquals(List.of(0L, 1L, 2L, 3L), sequences(check));
    }
  }

  @Test
  void lossesThatNobodyCanHaveAreBounded() throws Exception {
    try (OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check =
        open(1, 0, null)) {
      long most = FlowBatch.MAX_COUNT;
      long[][] batches = {{0, 0, 0}, {3, most, 0}, {4, most, most}, {5, 7, 9}};
      for (long[] one : batches) {
        FlowBatch beat = FlowBatch.open(Heartbeat.of(9, one[0], one[1], one[2], TestFlow.START));
        check.processElement(new StreamRecord<>(new PositionedBatch("t:0", one[0], beat, 0)));
      }
      assertEquals(List.of(0L, 2L * FlowBatch.MAX_ROWS, 1L << 32, 0L), lost(check));
    }
  }

  private static OperatorSubtaskState repartition(
      OperatorSubtaskState state, int from, int to, int task) {
    return AbstractStreamOperatorTestHarness.repartitionOperatorState(
        state, MAX_PARALLELISM, from, to, task);
  }

  private static OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> open(
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

  private static void send(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check,
      String sourceKey,
      int... sequences)
      throws Exception {
    for (int sequence : sequences) {
      check.processElement(
          new StreamRecord<>(new PositionedBatch(sourceKey, sequence, BATCHES.get(sequence), 0)));
    }
  }

  private static List<Long> sequences(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check) {
    return check.extractOutputValues().stream()
        .filter(record -> !record.repeat())
        .map(record -> record.batch().sequence())
        .toList();
  }

  private static List<Long> lost(
      OneInputStreamOperatorTestHarness<PositionedBatch, PositionedBatch> check) {
    return check.extractOutputValues().stream().map(PositionedBatch::lostBefore).toList();
  }
}
