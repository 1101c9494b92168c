package org.flowmon.udaf.set;

import java.util.Arrays;

/** Disjoint closed ranges in ascending order; a point's ends are equal. Immutable. */
public final class LongRanges {
  public static final LongRanges ALL = of(Long.MIN_VALUE, Long.MAX_VALUE);

  public static final LongRanges NONE = new LongRanges(new long[0], new long[0]);

  private final long[] first;
  private final long[] last;

  private LongRanges(long[] first, long[] last) {
    this.first = first;
    this.last = last;
  }

  /** One range with both ends; empty if {@code first > last}. */
  public static LongRanges of(long first, long last) {
    return first > last ? NONE : new LongRanges(new long[] {first}, new long[] {last});
  }

  public static LongRanges ofPoints(long[] points) {
    long[] sorted = points.clone();
    Arrays.sort(sorted);
    return normalized(sorted, sorted.clone());
  }

  /** May overlap; {@link IllegalArgumentException} unless each is a range and firsts ascend. */
  public static LongRanges ofRanges(long[] first, long[] last) {
    for (int i = 0; i < first.length; i++) {
      if (first[i] > last[i] || (i > 0 && first[i] < first[i - 1])) {
        throw new IllegalArgumentException(
            "range " + i + ", [" + first[i] + ", " + last[i] + "], is not in order");
      }
    }
    return normalized(first.clone(), last.clone());
  }

  private static LongRanges normalized(long[] first, long[] last) {
    int n = 0;
    for (int i = 0; i < first.length; i++) {
      if (n > 0 && (last[n - 1] == Long.MAX_VALUE || first[i] <= last[n - 1] + 1)) {
        last[n - 1] = Math.max(last[n - 1], last[i]);
      } else {
        first[n] = first[i];
        last[n++] = last[i];
      }
    }
    return new LongRanges(Arrays.copyOf(first, n), Arrays.copyOf(last, n));
  }

  public int count() {
    return first.length;
  }

  public boolean isEmpty() {
    return first.length == 0;
  }

  public long first(int i) {
    return first[i];
  }

  public long last(int i) {
    return last[i];
  }

  public boolean contains(long value) {
    return intersects(value, value);
  }

  public boolean intersects(long from, long to) {
    int i = Arrays.binarySearch(first, to);
    int candidate = i >= 0 ? i : -i - 2;
    return from <= to && candidate >= 0 && last[candidate] >= from;
  }

  public LongRanges and(LongRanges other) {
    long[] f = new long[count() + other.count()];
    long[] l = new long[f.length];
    int n = 0;
    for (int i = 0, j = 0; i < count() && j < other.count(); ) {
      long from = Math.max(first[i], other.first[j]);
      long to = Math.min(last[i], other.last[j]);
      if (from <= to) {
        f[n] = from;
        l[n++] = to;
      }
      if (last[i] < other.last[j]) {
        i++;
      } else {
        j++;
      }
    }
    return new LongRanges(Arrays.copyOf(f, n), Arrays.copyOf(l, n));
  }

  public LongRanges or(LongRanges other) {
    long[] f = new long[count() + other.count()];
    long[] l = new long[f.length];
    int i = 0;
    int j = 0;
    for (int n = 0; n < f.length; n++) {
      boolean mine = j == other.count() || (i < count() && first[i] <= other.first[j]);
      f[n] = mine ? first[i] : other.first[j];
      l[n] = mine ? last[i++] : other.last[j++];
    }
    return normalized(f, l);
  }

  public LongRanges complement() {
    long[] f = new long[count() + 1];
    long[] l = new long[count() + 1];
    int n = 0;
    long next = Long.MIN_VALUE;
    for (int i = 0; i < count(); i++) {
      if (first[i] > next) {
        f[n] = next;
        l[n++] = first[i] - 1;
      }
      if (last[i] == Long.MAX_VALUE) {
        return new LongRanges(Arrays.copyOf(f, n), Arrays.copyOf(l, n));
      }
      next = last[i] + 1;
    }
    f[n] = next;
    l[n++] = Long.MAX_VALUE;
    return new LongRanges(Arrays.copyOf(f, n), Arrays.copyOf(l, n));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LongRanges that
        && Arrays.equals(first, that.first)
        && Arrays.equals(last, that.last);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(first) + Arrays.hashCode(last);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count(); i++) {
      text.append(i == 0 ? "" : " ")
          .append('[')
          .append(first[i])
          .append(", ")
          .append(last[i])
          .append(']');
    }
    return text.isEmpty() ? "none" : text.toString();
  }
}
