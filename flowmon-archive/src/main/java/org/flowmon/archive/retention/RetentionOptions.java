package org.flowmon.archive.retention;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * The limits on how much of the past an archive keeps; the strictest decides, 0 is none. Stored in
 * the manifest, so that all writers apply the same. Flows with larger {@link
 * org.flowmon.archive.segment.TimeKey}s are more recent.
 *
 * @param rows so many most recent flows are kept
 * @param slack flows stored beyond {@code rows} at most, including hidden ones in segments with
 *     visible ones: the larger, the fewer are rewritten to get rid of them. 0 if {@code rows} is
 * @param ageMicros flows this much (µs) older than the newest plausible arrival committed ({@link
 *     NewestArrival}) are not kept
 * @param bytes of kept flows at most, by their part of the files that hold them
 */
public record RetentionOptions(long rows, long slack, long ageMicros, long bytes) {
  public static final RetentionOptions NONE = new RetentionOptions(0, 0, 0, 0);

  private static final long MICROS = 1000; // nanoseconds
  private static final long UNSAID = Long.MAX_VALUE;
  // A row of the largest segment is rewritten at most about half so many times before it is gone.
  private static final int REWRITES = 8;

  public RetentionOptions {
    if (rows < 0 || slack < 0 || ageMicros < 0 || bytes < 0 || (rows == 0 && slack > 0)) {
      throw new IllegalArgumentException(
          String.format(
              "retention of %s rows and %s more, %s µs, %s bytes: expected none below 0, and more"
                  + " rows only with rows",
              rows, slack, ageMicros, bytes));
    }
  }

  /**
   * Limits in units for people: 0, and a null age, is no limit. Slack −1 is unspecified: {@link
   * #withSlackFor} chooses. Throws {@link IllegalArgumentException} with the expected form.
   */
  public static RetentionOptions of(long rows, long slack, Duration age, long bytes) {
    long more = slack >= 0 || rows == 0 ? Math.max(0, slack) : UNSAID;
    return new RetentionOptions(rows, more, age == null ? 0 : micros(age), bytes);
  }

  private static long micros(Duration age) {
    try {
      return Math.addExact(
          Math.multiplyExact(age.getSeconds(), 1_000_000L), age.getNano() / MICROS);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          String.format(
              "an age of %s, expected at most %s",
              age, Duration.of(Long.MAX_VALUE, ChronoUnit.MICROS)),
          e);
    }
  }

  /**
   * These limits with a worthwhile slack if none was specified: a tenth of the rows, at least
   * {@link #smallestSlack}. Throws {@link IllegalArgumentException} if the specified one is
   * smaller. {@code segmentRows} are those of the largest segments.
   */
  public RetentionOptions withSlackFor(long segmentRows) {
    long smallest = smallestSlack(rows, segmentRows);
    if (rows > 0 && slack != UNSAID && slack < smallest) {
      throw new IllegalArgumentException(
          String.format(
              "a slack of %s flows, expected at least %s, an eighth of the rows of the largest"
                  + " segments: with less, expiring flows would be rewritten again and again",
              slack, smallest));
    }
    return slack == UNSAID
        ? new RetentionOptions(rows, Math.max(rows / 10, smallest), ageMicros, bytes)
        : this;
  }

  /**
   * The smallest worthwhile slack. Each trimming of a segment rewrites its remaining rows: with
   * less slack, expiring flows would be rewritten more than some four times each. An archive that
   * keeps {@code rows} has no segment of more.
   */
  public static long smallestSlack(long rows, long segmentRows) {
    long largest = Math.min(rows, segmentRows);
    return largest / REWRITES + (largest % REWRITES == 0 ? 0 : 1);
  }

  public boolean isLimited() {
    return rows > 0 || ageMicros > 0 || bytes > 0;
  }

  /** Maximum number of stored rows, {@link Long#MAX_VALUE} if there is no limit. */
  public long mostRows() {
    return rows == 0 || rows > Long.MAX_VALUE - slack ? Long.MAX_VALUE : rows + slack;
  }

  /** Bytes above which files are trimmed, 9/8 of the limit; {@link Long#MAX_VALUE} if none. */
  public long mostBytes() {
    long most = bytes + bytes / 8;
    return bytes == 0 || most < 0 ? Long.MAX_VALUE : most;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (rows > 0) {
      text.append(rows).append(" flows (and at most ").append(slack).append(" more stored)");
    }
    if (ageMicros > 0) {
      text.append(text.isEmpty() ? "" : ", ").append(age());
    }
    if (bytes > 0) {
      text.append(text.isEmpty() ? "" : ", ").append(bytes).append(" bytes");
    }
    return text.isEmpty() ? "everything" : text.toString();
  }

  private Duration age() {
    return Duration.ofSeconds(ageMicros / 1_000_000, ageMicros % 1_000_000 * MICROS);
  }
}
