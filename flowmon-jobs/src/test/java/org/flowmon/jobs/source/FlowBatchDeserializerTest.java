package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;

class FlowBatchDeserializerTest {
  private static final long HOUR = 3600 * TestFlow.SECOND;
  private static final long NOW = TestFlow.START + 1000 * HOUR;
  private static final byte[] BATCH =
      TestFlow.batches(TestFlow.random(1, 10, 1, 3), 10, 1).get(0).bytes();

  private final List<PositionedBatch> taken = new ArrayList<>();

  @Test
  void aMessageThatIsNoBatchGoesOnAsItsPlaceWithWhatItWas() {
    byte[] wrong = BATCH.clone();
    wrong[8] = 11; // rows
    byte[][] values = {
      BATCH, wrong, null, "text".getBytes(StandardCharsets.UTF_8), new byte[0], BATCH
    };
    for (int offset = 0; offset < values.length; offset++) {
      read(offset, values[offset], NOW, TimestampType.CREATE_TIME);
    }
    assertEquals(
        List.of(0L, 1L, 2L, 3L, 4L, 5L), taken.stream().map(PositionedBatch::offset).toList());
    assertEquals(
        List.of(false, true, true, true, true, false),
        taken.stream().map(record -> record.refused().isPresent()).toList());
    assertEquals("topicId:3", taken.get(0).sourceKey());
    Quarantined refused = taken.get(1).refused().orElseThrow();
    assertEquals("topicId:3@1", refused.position());
    assertArrayEquals(wrong, refused.bytes());
    assertEquals(11, refused.flows());
    assertTrue(refused.reason().contains("column"), refused.reason());
    assertTrue(taken.get(1).repeat());
    assertEquals(0, taken.get(1).batch().rows());
    assertEquals(Long.MIN_VALUE, taken.get(1).reached());
    assertEquals(0, taken.get(3).refused().orElseThrow().flows());
  }

  @Test
  void ofALargeMessageOnlyTheBeginningIsKept() {
    read(0, Arrays.copyOf(BATCH, 3 << 20), NOW, TimestampType.CREATE_TIME);
    Quarantined refused = taken.get(0).refused().orElseThrow();
    assertEquals(Quarantined.MAX_BYTES, refused.bytes().length);
    assertEquals(3 << 20, refused.length());
    assertEquals(10, refused.flows());
  }

  @Test
  void anArrivalIsHeldAgainstTheBrokersClockAndOnlyTheFutureIsRefused() {
    long[] arrivals = {
      0, NOW - 1000 * HOUR, NOW, NOW + HOUR, NOW + HOUR + 2000, 4_102_444_800_000_000L
    };
    boolean[] refused = {false, false, false, false, true, true};
    for (int i = 0; i < arrivals.length; i++) {
      // The reader's own clock does not matter if the broker's is known.
      long own = i % 2 == 0 ? 0 : NOW + 9000 * HOUR;
      read(i, beat(arrivals[i]), NOW, TimestampType.LOG_APPEND_TIME, own);
      assertEquals(refused[i], taken.get(i).refused().isPresent(), "arrival " + arrivals[i]);
    }
    String reason = taken.get(5).refused().orElseThrow().reason();
    assertTrue(reason.contains("arrival 2100-01-01T00:00:00Z is PT"), reason);
    assertTrue(reason.contains("expected at most PT1H (job.arrival_ahead)"), reason);
  }

  @Test
  void aProducersOwnTimeIsBelievedUpToTheReadersClock() {
    long future = NOW + 1000 * HOUR;
    read(0, beat(future), future, TimestampType.CREATE_TIME, NOW);
    assertTrue(taken.get(0).refused().isPresent(), "both are wrong");
    read(1, beat(future), future, TimestampType.CREATE_TIME, future);
    assertFalse(taken.get(1).refused().isPresent(), "that time has come");
    read(2, beat(NOW), NOW - 2 * HOUR, TimestampType.CREATE_TIME, NOW);
    assertTrue(taken.get(2).refused().isPresent(), "sent before it arrived");
    read(3, beat(NOW), ConsumerRecord.NO_TIMESTAMP, TimestampType.NO_TIMESTAMP_TYPE, NOW);
    assertFalse(taken.get(3).refused().isPresent(), "sent without a time");
  }

  @Test
  void noMessageLetsTimeGoOnPastWhenItWasSent() {
    for (long ahead : new long[] {-HOUR, 0, HOUR / 2, HOUR}) {
      taken.clear();
      read(0, beat(NOW + ahead), NOW, TimestampType.LOG_APPEND_TIME);
      assertEquals(Math.min(NOW + ahead, NOW + 999), taken.get(0).reached());
    }
  }

  @Test
  void theMarkOfAnEndMayLieItsHourFurtherAhead() {
    byte[] mark = Heartbeat.endOfInput(1, 0, 0, 0, NOW + 2 * HOUR);
    read(0, mark, NOW, TimestampType.LOG_APPEND_TIME);
    assertEquals(Optional.empty(), taken.get(0).refused());
    assertEquals(NOW + 999, taken.get(0).reached());
    byte[] further = Heartbeat.endOfInput(1, 0, 0, 0, NOW + 2 * HOUR + 2000);
    read(1, further, NOW, TimestampType.LOG_APPEND_TIME);
    assertTrue(taken.get(1).refused().isPresent());
  }

  @Test
  void anArrivalThatNoClockShowsIsRefused() {
    for (long arrival : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 1_700_000_000_000_000L}) {
      read(0, beat(arrival), NOW, TimestampType.CREATE_TIME);
    }
    assertEquals(
        List.of(true, true, false),
        taken.stream().map(record -> record.refused().isPresent()).toList());
  }

  @Test
  void theBytesAreNotCopied() {
    read(0, BATCH, NOW, TimestampType.CREATE_TIME);
    assertSame(BATCH, taken.get(0).batch().bytes());
  }

  private static byte[] beat(long arrival) {
    return Heartbeat.of(1, 0, 0, 0, arrival);
  }

  private void read(long offset, byte[] value, long sent, TimestampType type) {
    read(offset, value, sent, type, NOW);
  }

  /** Reads a message that was sent at a time, by a reader with its own clock. */
  private void read(long offset, byte[] value, long sent, TimestampType type, long own) {
    Clock clock = Clock.fixed(Instant.ofEpochMilli(own / 1000), ZoneOffset.UTC);
    FlowBatchDeserializer deserializer =
        new FlowBatchDeserializer(new FlowTopic("flows", "topicId", 4), Duration.ofHours(1), clock);
    deserializer.open(null);
    deserializer.deserialize(
        new ConsumerRecord<>(
            "flows",
            3,
            offset,
            sent == ConsumerRecord.NO_TIMESTAMP ? sent : sent / 1000,
            type,
            0,
            0,
            null,
            value,
            new RecordHeaders(),
            Optional.empty()),
        new ListCollector<>(taken));
  }
}
