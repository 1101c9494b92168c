package org.flowmon.archive.commit;

import java.util.Arrays;

/**
 * The committed positions of a source: ranges [first, end), ascending, neither overlapping nor
 * touching, each with the arrivals at its edges. Mostly a single one. Immutable.
 */
public final class OffsetRanges {
  static final OffsetRanges NONE =
      new OffsetRanges(new long[0], new long[0], new long[0], new long[0]);

  private final long[] first;
  private final long[] end;
  private final long[] firstArrival;
  private final long[] maxArrival;

  private OffsetRanges(long[] first, long[] end, long[] firstArrival, long[] maxArrival) {
    this.first = first;
    this.end = end;
    this.firstArrival = firstArrival;
    this.maxArrival = maxArrival;
  }

  /**
   * The ranges in these arrays, which the caller gives up; arrivals as in {@link SourceRange}.
   * Throws {@link IllegalArgumentException} if they are not ascending, or touch.
   */
  public static OffsetRanges of(long[] first, long[] end, long[] firstArrival, long[] maxArrival) {
    for (int i = 0; i < first.length; i++) {
      if (first[i] < 0 || end[i] <= first[i] || (i > 0 && first[i] <= end[i - 1])) {
        throw new IllegalArgumentException(
            "range " + i + " is [" + first[i] + ", " + end[i] + "), expected ascending ones");
      }
    }
    return new OffsetRanges(first, end, firstArrival, maxArrival);
  }

  public int count() {
    return first.length;
  }

  public long first(int i) {
    return first[i];
  }

  public long end(int i) {
    return end[i];
  }

  /** The smallest arrival at the first position of a range, {@link Long#MAX_VALUE} if unknown. */
  public long firstArrival(int i) {
    return firstArrival[i];
  }

  /** The largest arrival in a range, {@link Long#MIN_VALUE} if none is known. */
  public long maxArrival(int i) {
    return maxArrival[i];
  }

  /** The largest arrival in all ranges, {@link Long#MIN_VALUE} if none is known. */
  public long maxArrival() {
    return maxArrivalBefore(count());
  }

  private long maxArrivalBefore(int range) {
    long max = Long.MIN_VALUE;
    for (int i = 0; i < range; i++) {
      max = Math.max(max, maxArrival[i]);
    }
    return max;
  }

  /** The gap between range {@code i}, at least 1, and the one before it. */
  public CommitResult.Gap gapBefore(int i, String sourceKey) {
    return CommitResult.Gap.between(
        sourceKey, end[i - 1], first[i], maxArrivalBefore(i), firstArrival[i]);
  }

  public boolean isEmpty() {
    return first.length == 0;
  }

  /** The position after the last one, −1 if there is none. */
  public long end() {
    return isEmpty() ? -1 : end[end.length - 1];
  }

  /** Number of the last range that begins at or before an offset, −1 if none does. */
  private int floor(long offset) {
    int at = Arrays.binarySearch(first, offset);
    return at >= 0 ? at : -at - 2;
  }

  public boolean contains(long from, long to) {
    int i = floor(from);
    return i >= 0 && to <= end[i];
  }

  public boolean intersects(long from, long to) {
    int i = floor(to - 1);
    return i >= 0 && end[i] > from;
  }

  /** Adds a range, which does not overlap any. */
  public OffsetRanges with(SourceRange range) {
    int before = floor(range.firstOffset()) + 1; // ranges before the new one
    boolean joinsLeft = before > 0 && end[before - 1] == range.firstOffset();
    boolean joinsRight = before < first.length && first[before] == range.endOffset();
    int left = joinsLeft ? before - 1 : before;
    int right = joinsRight ? before + 1 : before;
    long max = range.maxArrival();
    for (int i = left; i < right; i++) {
      max = Math.max(max, maxArrival[i]);
    }
    return new OffsetRanges(
        splice(first, left, joinsLeft ? first[left] : range.firstOffset(), right),
        splice(end, left, joinsRight ? end[before] : range.endOffset(), right),
        splice(firstArrival, left, joinsLeft ? firstArrival[left] : range.firstArrival(), right),
        splice(maxArrival, left, max, right));
  }

  /** The positions of both, which may overlap. */
  public OffsetRanges union(OffsetRanges other) {
    int most = count() + other.count();
    long[] firsts = new long[most];
    long[] ends = new long[most];
    long[] firstArrivals = new long[most];
    long[] maxArrivals = new long[most];
    int n = 0;
    int ours = 0;
    int theirs = 0;
    while (ours + theirs < most) {
      boolean isOurs =
          theirs == other.count() || (ours < count() && first[ours] <= other.first[theirs]);
      OffsetRanges from = isOurs ? this : other;
      int i = isOurs ? ours++ : theirs++;
      if (n > 0 && from.first[i] <= ends[n - 1]) {
        ends[n - 1] = Math.max(ends[n - 1], from.end[i]);
        maxArrivals[n - 1] = Math.max(maxArrivals[n - 1], from.maxArrival[i]);
      } else {
        firsts[n] = from.first[i];
        ends[n] = from.end[i];
        firstArrivals[n] = from.firstArrival[i];
        maxArrivals[n++] = from.maxArrival[i];
      }
    }
    return new OffsetRanges(
        Arrays.copyOf(firsts, n),
        Arrays.copyOf(ends, n),
        Arrays.copyOf(firstArrivals, n),
        Arrays.copyOf(maxArrivals, n));
  }

  /** The values before {@code left}, then {@code value}, then the values from {@code right}. */
  private static long[] splice(long[] values, int left, long value, int right) {
    long[] spliced = new long[left + 1 + values.length - right];
    System.arraycopy(values, 0, spliced, 0, left);
    spliced[left] = value;
    System.arraycopy(values, right, spliced, left + 1, values.length - right);
    return spliced;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    // A person reads the message: the last ranges suffice.
    int from = Math.max(0, first.length - 8);
    for (int i = from; i < first.length; i++) {
      text.append(i == 0 ? "" : i == from ? "… " : " ");
      text.append('[').append(first[i]).append(", ").append(end[i]).append(')');
    }
    return text.isEmpty() ? "nothing" : text.toString();
  }
}
