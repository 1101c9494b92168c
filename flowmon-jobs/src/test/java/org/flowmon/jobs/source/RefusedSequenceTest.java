package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;

/** Numbers that no gap explains, and strangers who speak for a producer. */
class RefusedSequenceTest extends SequenceCheckFixture {
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
}
