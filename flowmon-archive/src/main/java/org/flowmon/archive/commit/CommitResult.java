package org.flowmon.archive.commit;

import java.util.List;
import org.flowmon.flow.time.FlowTime;

/**
 * The result of a commit: its number, or the newest commit's if it was a repeat; the positions
 * skipped between earlier commits and this one; the rows that it hid beyond the retention limits,
 * and of these its own that came below the cutoff.
 */
public record CommitResult(
    Outcome outcome, long number, List<Gap> gaps, long expiredRows, long lateRows) {
  /** Whether a commit changed the archive. */
  public enum Outcome {
    COMMITTED,
    /** All of it had been committed before: nothing was changed, its segments were not added. */
    REPEATED
  }

  /**
   * Positions of a source, up to before {@code endOffset}, never committed though later ones were.
   *
   * @param arrivalFrom lower bound (µs) of the missing flows' arrivals: the largest of the source
   *     before them; {@link Long#MIN_VALUE} if unknown
   * @param arrivalThrough upper bound: the first arrival after them; {@link Long#MAX_VALUE} if
   *     unknown
   */
  public record Gap(
      String sourceKey, long firstOffset, long endOffset, long arrivalFrom, long arrivalThrough) {
    /** If producers' clocks differ, flows after the gap may have arrived before it. */
    public static Gap between(
        String sourceKey, long firstOffset, long endOffset, long reached, long firstArrival) {
      return new Gap(
          sourceKey,
          firstOffset,
          endOffset,
          Math.min(reached, firstArrival),
          Math.max(reached, firstArrival));
    }

    @Override
    public String toString() {
      return String.format(
          "source %s: offsets %d … %d were never archived, arrivals %s … %s",
          sourceKey, firstOffset, endOffset - 1, time(arrivalFrom), time(arrivalThrough));
    }

    private static String time(long micros) {
      return micros == Long.MIN_VALUE || micros == Long.MAX_VALUE
          ? "unknown"
          : FlowTime.text(micros);
    }

    public long offsets() {
      return endOffset - firstOffset;
    }
  }

  public CommitResult {
    gaps = List.copyOf(gaps);
  }

  public static CommitResult repeated(long number) {
    return new CommitResult(Outcome.REPEATED, number, List.of(), 0, 0);
  }

  public boolean isRepeat() {
    return outcome == Outcome.REPEATED;
  }

  public long gapOffsets() {
    return gaps.stream().mapToLong(Gap::offsets).sum();
  }
}
