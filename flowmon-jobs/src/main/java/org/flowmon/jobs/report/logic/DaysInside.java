package org.flowmon.jobs.report.logic;

import java.util.Arrays;
import java.util.StringJoiner;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.report.SameHourDays;
import org.jspecify.annotations.Nullable;

/** Days of {@code SAME_HOUR(…, :now, days)} with {@link HistoryAnswer#covers} of the whole hour. */
final class DaysInside {
  private final boolean[] inside; // by day, 1 … days
  private final int used;
  private final @Nullable String missing;

  private DaysInside(boolean[] inside, int used, @Nullable String missing) {
    this.inside = inside;
    this.used = used;
    this.missing = missing;
  }

  static DaysInside of(HistoryAnswer history, long now, SameHourDays asked) {
    int days = asked.days();
    boolean[] inside = new boolean[days + 1];
    StringJoiner missing = new StringJoiner(" ");
    int used = 0;
    for (int day = 1; day <= days; day++) {
      long start = asked.start(now, day);
      inside[day] = history.covers(start, start + asked.lengthMicros());
      if (inside[day]) {
        used++;
      } else {
        missing.add(FlowTime.text(start));
      }
    }
    return new DaysInside(inside, used, used == days ? null : missing.toString());
  }

  int used() {
    return used;
  }

  /** The other days by the start of their hour, a blank between; null without one. */
  @Nullable String missing() {
    return missing;
  }

  boolean isSame(DaysInside other) {
    return Arrays.equals(inside, other.inside);
  }

  boolean contains(long day) {
    return day >= 1 && day < inside.length && inside[(int) day];
  }
}
