package org.flowmon.jobs.source;

import java.time.Clock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * When a message was sent, as far as known: with {@code LogAppendTime} the broker's time, so that
 * every run decides alike; else the producer's or, if earlier, now: wrong arrivals may come with a
 * wrong time.
 */
public final class MessageTime {
  private MessageTime() {}

  public static long millis(ConsumerRecord<?, ?> record, Clock own) {
    long millis = record.timestamp();
    if (record.timestampType() == TimestampType.LOG_APPEND_TIME) {
      return millis;
    }
    long now = own.millis();
    return millis > 0 ? Math.min(millis, now) : now;
  }
}
