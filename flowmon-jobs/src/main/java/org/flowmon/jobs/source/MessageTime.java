package org.flowmon.jobs.source;

import java.time.Clock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * When a message was sent, as far as one can know: when the broker appended it where the topic says
 * that ({@code LogAppendTime}), so that every run decides alike; else when its producer says that
 * it sent it, or now where that is earlier, as whoever sends wrong times may send a wrong one of
 * these as well.
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
