package org.flowmon.flow.time;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Times of flows, which are microseconds since 1970-01-01T00:00:00Z, as instants and as text. */
public final class FlowTime {
  private static final long SECOND = 1_000_000;

  private FlowTime() {}

  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** ISO 8601 in UTC, with as many digits of the second as it needs: 0, 3 or 6. */
  public static String text(long micros) {
    return instant(micros).toString();
  }

  /** Null for the least and the largest number, which mean no time. */
  public static @Nullable String textOrNull(long micros) {
    return micros == Long.MIN_VALUE || micros == Long.MAX_VALUE ? null : text(micros);
  }

  /** Rounds down; {@link ArithmeticException} more than 292,000 years from 1970. */
  public static long micros(Instant instant) {
    // Until Java 20 ChronoUnit.between counts nanoseconds, which end in the year 2262.
    long second = instant.getEpochSecond();
    long micros = instant.getNano() / 1000;
    return second < 0 && micros > 0
        ? Math.addExact(Math.multiplyExact(second + 1, SECOND), micros - SECOND)
        : Math.addExact(Math.multiplyExact(second, SECOND), micros);
  }

  public static long now() {
    return micros(Instant.now());
  }
}
