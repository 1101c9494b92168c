package org.flowmon.deploy.command;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import org.flowmon.flow.time.FlowTime;

/** A time as options have it. */
public final class TimeText {
  private TimeText() {}

  /** Parses a time in UTC to microseconds: with its zone, without one, or a date alone. */
  public static long parse(String text) {
    String iso = text.trim().replace(' ', 'T');
    try {
      Instant instant =
          iso.endsWith("Z") || iso.endsWith("z")
              ? Instant.parse(iso)
              : iso.contains("T")
                  ? LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC)
                  : LocalDate.parse(iso).atStartOfDay().toInstant(ZoneOffset.UTC);
      return FlowTime.micros(instant);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new UsageException(
          "'" + text + "' is no time: expected one as 2026-11-21T08:00:00Z or 2026-11-21 (UTC)");
    }
  }
}
