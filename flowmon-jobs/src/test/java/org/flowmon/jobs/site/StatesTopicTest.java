package org.flowmon.jobs.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** How messages are read. */
class StatesTopicTest {
  private static long timeOf(long timestamp) throws Exception {
    List<StatesRecord> read = new ArrayList<>();
    StatesTopic.reader()
        .deserialize(
            new ConsumerRecord<>(
                "t",
                0,
                0,
                timestamp,
                TimestampType.CREATE_TIME,
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
    assertEquals(1_000_000, timeOf(1_000_000));
    long before = System.currentTimeMillis();
    long time = timeOf(before + 365L * 86_400_000);
    assertTrue(time >= before && time <= System.currentTimeMillis(), time + ", now " + before);
  }
}
