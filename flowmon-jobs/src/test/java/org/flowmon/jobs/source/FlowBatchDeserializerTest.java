package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.jobs.TestFlow;
import org.junit.jupiter.api.Test;

class FlowBatchDeserializerTest {
  private final Counter badValues = new SimpleCounter();
  private final List<PositionedBatch> taken = new ArrayList<>();

  @Test
  void aValueThatIsNoFlowBatchIsCountedAndTheNextIsTaken() throws Exception {
    byte[] batch = TestFlow.batches(TestFlow.random(1, 10, 1, 3), 10, 1).get(0).bytes();
    byte[] cut = java.util.Arrays.copyOf(batch, batch.length - 1);
    FlowBatchDeserializer deserializer = open();
    byte[][] values = {
      batch, cut, null, "text".getBytes(StandardCharsets.UTF_8), new byte[0], batch
    };
    for (int offset = 0; offset < values.length; offset++) {
      deserializer.deserialize(
          new ConsumerRecord<>("flows", 3, offset, null, values[offset]),
          new ListCollector<>(taken));
    }
    assertEquals(4, badValues.getCount());
    assertEquals(List.of(0L, 5L), taken.stream().map(PositionedBatch::offset).toList());
    assertEquals("topicId:3", taken.get(0).sourceKey());
  }

  @Test
  void anArrivalThatNoClockShowsIsABadValue() throws Exception {
    FlowBatchDeserializer deserializer = open();
    for (long arrival : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 1_700_000_000_000_000L}) {
      byte[] heartbeat = FlowBatchBuilder.heartbeat(1, 0, 0, 0, arrival);
      deserializer.deserialize(
          new ConsumerRecord<>("flows", 0, 0, null, heartbeat), new ListCollector<>(taken));
    }
    assertEquals(2, badValues.getCount());
    assertEquals(1, taken.size());
  }

  @Test
  void theBytesAreNotCopied() throws Exception {
    byte[] batch = TestFlow.batches(TestFlow.random(1, 10, 1, 3), 10, 1).get(0).bytes();
    open()
        .deserialize(new ConsumerRecord<>("flows", 0, 0, null, batch), new ListCollector<>(taken));
    assertSame(batch, taken.get(0).batch().bytes());
  }

  private FlowBatchDeserializer open() throws Exception {
    FlowBatchDeserializer deserializer =
        new FlowBatchDeserializer(new FlowTopic("flows", "topicId", 4));
    deserializer.open(
        new DeserializationSchema.InitializationContext() {
          @Override
          public MetricGroup getMetricGroup() {
            return new OneCounter();
          }

          @Override
          public UserCodeClassLoader getUserCodeClassLoader() {
            return SimpleUserCodeClassLoader.create(
                FlowBatchDeserializerTest.class.getClassLoader());
          }
        });
    return deserializer;
  }

  private final class OneCounter extends UnregisteredMetricsGroup {
    @Override
    public MetricGroup addGroup(String name) {
      return this;
    }

    @Override
    public Counter counter(String name) {
      return badValues;
    }
  }
}
