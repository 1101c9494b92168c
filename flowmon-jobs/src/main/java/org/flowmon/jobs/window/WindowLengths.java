package org.flowmon.jobs.window;

import java.util.List;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;

/** Recommends windows' length: cost depends on groups, so a group should have several flows. */
public final class WindowLengths {
  /** In seconds. */
  public static final List<Long> SECONDS = List.of(1L, 3L, 10L, 30L, 60L, 180L, 600L, 1800L, 3600L);

  public static final double FLOWS_PER_GROUP = 10;

  private static final long SECOND = 1_000_000;

  private WindowLengths() {}

  /** The length, in µs, in which flows become groups: a slide if groups are of slides. */
  public static long own(FlowQuery live, long windowMicros) {
    return live.groupBy().stream()
        .filter(TimeBucket.class::isInstance)
        .mapToLong(key -> ((TimeBucket) key).widthMicros())
        .min()
        .orElse(windowMicros);
  }

  /**
   * The shortest of {@link #SECONDS}, in microseconds, with enough flows per group (0 if none is),
   * given those (above 0) in windows of {@code ownMicros}, at the same rate of flows. A window k
   * times as long has k times the flows and no fewer groups; one k times as short no more groups.
   * So if groups have enough, the returned length is enough, too; if not, no shorter one is.
   */
  public static long recommended(long ownMicros, double flowsPerGroup) {
    double wanted = ownMicros * (FLOWS_PER_GROUP / flowsPerGroup);
    for (long seconds : SECONDS) {
      if (seconds * SECOND >= wanted) {
        return seconds * SECOND;
      }
    }
    return 0;
  }
}
