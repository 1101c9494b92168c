package org.flowmon.jobs.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Reading messages of the topic. */
class StatesTopicTest {
  private static final Clock OWN = Clock.fixed(Instant.ofEpochMilli(5_000_000), ZoneOffset.UTC);

  private static long timeOf(long timestamp, TimestampType type) throws Exception {
    List<StatesRecord> read = new ArrayList<>();
    StatesTopic.reader(OWN)
        .deserialize(
            new ConsumerRecord<>(
                "t",
                0,
                0,
                timestamp,
                type,
                0,
                1,
                new byte[0],
                new byte[] {7},
                new RecordHeaders(),
                Optional.empty()),
            new Collector<>() {
              @Override
              public void collect(StatesRecord record) {
                read.add(record);
              }

              @Override
              public void close() {}
            });
    assertEquals(1, read.size());
    assertEquals(1, read.get(0).bytes().length);
    return read.get(0).time();
  }

  @Test
  void aTimeThatIsStillToComeIsTakenForNow() throws Exception {
    assertEquals(1_000_000, timeOf(1_000_000, TimestampType.CREATE_TIME));
    assertEquals(5_000_000, timeOf(5_000_001, TimestampType.CREATE_TIME));
    assertEquals(5_000_000, timeOf(Long.MAX_VALUE, TimestampType.CREATE_TIME));
    assertEquals(5_000_000, timeOf(-1, TimestampType.CREATE_TIME), "of a message without a time");
  }

  @Test
  void theBrokersTimeIsTakenWhateverTheReadersClockShows() throws Exception {
    assertEquals(1_000_000, timeOf(1_000_000, TimestampType.LOG_APPEND_TIME));
    assertEquals(6_000_000, timeOf(6_000_000, TimestampType.LOG_APPEND_TIME));
  }
}
