package org.flowmon.jobs.source;

import java.time.Clock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * The time at which a message was sent, as far as known. If the topic uses {@code LogAppendTime},
 * it is the broker's, so that every run decides alike. Otherwise it is the producer's, or now if
 * that is earlier, as a producer with wrong arrivals may have a wrong time, too.
 */
public final class MessageTime {
  private MessageTime() {}

  /** In milliseconds since 1970. */
  public static long millis(ConsumerRecord<?, ?> record, Clock own) {
    long millis = record.timestamp();
    if (record.timestampType() == TimestampType.LOG_APPEND_TIME) {
      return millis;
    }
    long now = own.millis();
    return millis > 0 ? Math.min(millis, now) : now;
  }
}
