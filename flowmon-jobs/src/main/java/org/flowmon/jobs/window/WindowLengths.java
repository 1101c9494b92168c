package org.flowmon.jobs.window;

import java.util.List;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Recommends the length of windows. A window's cost beyond its flows depends on its groups, so it
 * is long enough if a group has several flows.
 */
public final class WindowLengths {
  /** The recommended lengths, in seconds. */
  public static final List<Long> SECONDS = List.of(1L, 3L, 10L, 30L, 60L, 180L, 600L, 1800L, 3600L);

  /** Flows that a group should have on average. */
  public static final double FLOWS_PER_GROUP = 10;

  private static final long SECOND = 1_000_000;

  private WindowLengths() {}

  /**
   * Returns the length, in microseconds, in which a live query's flows become groups: that of a
   * slide if groups are of slides, else that of the window.
   */
  public static long own(FlowQuery live, long windowMicros) {
    return live.groupBy().stream()
        .filter(TimeBucket.class::isInstance)
        .mapToLong(key -> ((TimeBucket) key).widthMicros())
        .min()
        .orElse(windowMicros);
  }

  /**
   * Returns the length that follows from the flows per group at another length, if flows keep
   * coming at the same rate. A window k times as long has k times the flows, and no fewer groups;
   * one k times as short has no more groups. So if groups have enough flows, the returned length is
   * enough, too; if they have not, no shorter one is.
   *
   * @param ownMicros the length of the windows
   * @param flowsPerGroup in them, above 0
   * @return the shortest of {@link #SECONDS} that is not below, in microseconds; 0 if none is
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
