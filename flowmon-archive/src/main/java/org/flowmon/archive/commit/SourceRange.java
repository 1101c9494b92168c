package org.flowmon.archive.commit;

/**
 * Positions of one source that a commit holds: the identity of archived flows. For Kafka the
 * offsets of a partition.
 *
 * @param sourceKey permanent, for example {@code <topic id>:<partition>}
 * @param firstOffset at least 0
 * @param endOffset the position after the last one, greater than {@code firstOffset}
 * @param firstArrival the smallest arrival (µs) at the first position, or a later one: flows
 *     skipped before the range, or within it, arrived no later if arrivals ascend along positions.
 *     {@link Long#MAX_VALUE} if unknown
 * @param maxArrival the largest arrival (µs) seen in the range, including heartbeats, excluding
 *     marks of an input's end. If arrivals ascend along positions, the source brings no earlier one
 *     any more, though possibly more of the same instant. If several producers write to a source,
 *     arrivals ascend but for a bound on their disorder, which the caller adds. {@link
 *     Long#MIN_VALUE} if unknown
 * @param ended whether the last position marks the end of the source's input: until a later
 *     position is committed, nothing is on its way
 */
public record SourceRange(
    String sourceKey,
    long firstOffset,
    long endOffset,
    long firstArrival,
    long maxArrival,
    boolean ended) {
  /** Maximum length of a source key, in characters. */
  public static final int MAX_KEY = 512;

  public SourceRange {
    if (sourceKey.isEmpty() || sourceKey.length() > MAX_KEY) {
      throw new IllegalArgumentException(
          "a source key of " + sourceKey.length() + " characters, expected 1 … " + MAX_KEY);
    }
    if (firstOffset < 0 || endOffset <= firstOffset) {
      throw new IllegalArgumentException(
          String.format(
              "offsets [%s, %s) of source %s: expected 0 <= first < end",
              firstOffset, endOffset, sourceKey));
    }
  }

  /** A range of one arrival, which does not end its source. */
  public SourceRange(String sourceKey, long firstOffset, long endOffset, long arrival) {
    this(sourceKey, firstOffset, endOffset, arrival, arrival, false);
  }

  @Override
  public String toString() {
    return sourceKey + "[" + firstOffset + ", " + endOffset + ")";
  }
}
