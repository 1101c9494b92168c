package org.flowmon.jobs.quarantine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

class QuarantineWriterTest {
  private final Topic topic = new Topic();
  private final List<Gauge<Long>> gauges = new ArrayList<>();
  private long nanos;
  private final QuarantineWriter writer = new QuarantineWriter(topic, metrics(), () -> nanos);

  /** A topic that takes all, or fails. */
  private static final class Topic extends MockProducer<byte[], byte[]> {
    private RuntimeException thrown;
    private RuntimeException told;
    private int asked;

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> message, Callback callback) {
      asked++;
      if (thrown != null) {
        throw thrown;
      }
      callback.onCompletion(null, told);
      return new CompletableFuture<>();
    }
  }

  private MetricGroup metrics() {
    return new UnregisteredMetricsGroup() {
      @Override
      @SuppressWarnings("unchecked")
      public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        gauges.add((Gauge<Long>) gauge);
        return gauge;
      }
    };
  }

  private void write(int messages) {
    for (int i = 0; i < messages; i++) {
      writer.write(Quarantined.of("topic:0", i, "test", "for a test", new byte[3]), null);
    }
  }

  private void assertCounts(int asked, long sent, long unwritten) {
    assertEquals(
        List.of((long) asked, sent, unwritten),
        List.of((long) topic.asked, gauges.get(0).getValue(), gauges.get(1).getValue()));
  }

  @Test
  void aTopicThatTakesNothingIsAskedOnceAMinuteHoweverManyMessagesAreRefused() {
    topic.thrown = new TimeoutException("no metadata after 5 s");
    write(10_000);
    assertCounts(1, 1, 10_000);

    nanos = QuarantineWriter.PAUSE.toNanos() - 1;
    write(10);
    assertCounts(1, 1, 10_010);

    nanos++;
    write(10);
    assertCounts(2, 2, 10_020);

    nanos += QuarantineWriter.PAUSE.toNanos();
    topic.thrown = null;
    write(10);
    assertCounts(12, 12, 10_020);
  }

  @Test
  void whatIsNotDeliveredOrNotAllowedPausesItToo() {
    for (RuntimeException failure :
        List.of(new TimeoutException("not delivered"), new TopicAuthorizationException("no"))) {
      topic.asked = 0;
      topic.told = failure;
      write(100);
      assertEquals(1, topic.asked, failure.toString());
      nanos += QuarantineWriter.PAUSE.toNanos();
    }
  }

  @Test
  void aMessageThatIsTooLargeKeepsNoOtherOut() {
    topic.told = new RecordTooLargeException("of a test");
    write(1);
    topic.told = null;
    write(99);
    assertCounts(100, 100, 1);
  }
}
