package org.flowmon.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.Heartbeat;

/**
 * Sends flows in the order of arrival, batch by batch to each partition of a topic in turn, as one
 * producer each.
 */
final class FlowSender {
  private static final int ROWS = 50;

  private final TestKafka kafka;
  private final String topic;
  private final long[] sequence;
  private final long[] cumulative;
  private final List<Future<?>> acknowledged = new ArrayList<>();
  private int turn;
  private long lastArrival;

  /** Whether to repeat some batches and send some invalid messages. */
  boolean withFaults;

  /** Sets further columns. */
  BiConsumer<FlowBatchBuilder, TestFlow> more = (builder, flow) -> {};

  FlowSender(TestKafka kafka, String topic, int partitions) {
    this.kafka = kafka;
    this.topic = topic;
    this.sequence = new long[partitions];
    this.cumulative = new long[partitions];
  }

  void send(List<TestFlow> flows) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int from = 0; from < flows.size(); from += ROWS) {
        List<TestFlow> part = flows.subList(from, Math.min(from + ROWS, flows.size()));
        int partition = turn++ % sequence.length;
        cumulative[partition] += part.size();
        byte[] batch =
            TestFlow.batch(
                part, 100 + partition, sequence[partition]++, cumulative[partition], 0, more);
        put(producer, partition, batch);
        lastArrival = part.get(part.size() - 1).arrival();
        if (withFaults && turn % 7 == 0) {
          put(producer, partition, batch.clone());
          put(producer, partition, "not a batch".getBytes(StandardCharsets.UTF_8));
          put(producer, partition, null);
        }
      }
      await();
    }
  }

  private void put(KafkaProducer<byte[], byte[]> producer, int partition, byte[] value) {
    acknowledged.add(producer.send(new ProducerRecord<>(topic, partition, null, value)));
  }

  private void await() throws Exception {
    for (Future<?> each : acknowledged) {
      each.get();
    }
    acknowledged.clear();
  }

  /** Sends heartbeats long after the last flow: all windows close. */
  void end() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int partition = 0; partition < sequence.length; partition++) {
        byte[] beat =
            Heartbeat.of(
                100 + partition,
                sequence[partition]++,
                cumulative[partition],
                0,
                lastArrival + 3600 * TestFlow.SECOND);
        put(producer, partition, beat);
      }
      await();
    }
  }
}
