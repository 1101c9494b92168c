package org.flowmon.ingest.synthetic.scenario;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneOffset;

/**
 * How the load swings, in UTC: 1 + swing at the hour of the peak, 1 − swing twelve hours later.
 *
 * @param swing 0 … 1
 * @param peakHour 0 … 24
 * @param weekend the factor of Saturdays and Sundays
 */
public record DailySwing(double swing, double peakHour, double weekend) {
  public static final DailySwing NONE = new DailySwing(0, 14, 1);

  /** What no load is above. */
  double most() {
    return (1 + swing) * Math.max(1, weekend);
  }

  /** The load at a time (ms since 1970), 1 on average over a working day. */
  double load(long millis) {
    double day = Math.floorMod(millis, 86_400_000L) / 86_400_000.0;
    double load = 1 + swing * Math.cos(2 * Math.PI * (day - peakHour / 24));
    DayOfWeek today = Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC).getDayOfWeek();
    return today.compareTo(DayOfWeek.SATURDAY) >= 0 ? load * weekend : load;
  }
}
