package org.flowmon.jobs.window;

import java.util.List;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;

/**
 * How long windows are to be: what a window costs beyond its flows goes by its groups, so it is
 * long enough where a group has several flows.
 */
public final class WindowLengths {
  /** The lengths that are recommended, in seconds. */
  public static final List<Long> SECONDS = List.of(1L, 3L, 10L, 30L, 60L, 180L, 600L, 1800L, 3600L);

  /** Flows that a group should have on average. */
  public static final double FLOWS_PER_GROUP = 10;

  private static final long SECOND = 1_000_000;

  private WindowLengths() {}

  /**
   * In what a live query's flows become groups: where groups are of slides of a window, the length
   * of these, else that of the window. In microseconds.
   */
  public static long own(FlowQuery live, long windowMicros) {
    return live.groupBy().stream()
        .filter(TimeBucket.class::isInstance)
        .mapToLong(key -> ((TimeBucket) key).widthMicros())
        .min()
        .orElse(windowMicros);
  }

  /**
   * The length that follows from what windows of one length have, where flows keep coming as they
   * do. k times as long a window has k times the flows, and no less groups; one k times as short no
   * more. So where a group has enough flows the length that this gives is enough, too, and where it
   * has not no shorter one is.
   *
   * @param ownMicros the length of the windows
   * @param flowsPerGroup in them, above 0
   * @return the shortest of {@link #SECONDS} that is not below, in microseconds; 0 where none is
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
