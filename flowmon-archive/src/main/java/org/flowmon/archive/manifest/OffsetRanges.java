package org.flowmon.archive.manifest;

import java.util.Arrays;

/**
 * The committed positions of a source: ranges [first, end), ascending, neither overlapping nor
 * touching. Mostly a single one. Immutable.
 */
final class OffsetRanges {
  static final OffsetRanges NONE = new OffsetRanges(new long[0], new long[0]);

  private final long[] first;
  private final long[] end;

  private OffsetRanges(long[] first, long[] end) {
    this.first = first;
    this.end = end;
  }

  /**
   * The ranges of two arrays, which the caller gives away.
   *
   * @throws IllegalArgumentException where they are not ascending, or touch
   */
  static OffsetRanges of(long[] first, long[] end) {
    for (int i = 0; i < first.length; i++) {
      if (first[i] < 0 || end[i] <= first[i] || (i > 0 && first[i] <= end[i - 1])) {
        throw new IllegalArgumentException(
            "range " + i + " is [" + first[i] + ", " + end[i] + "), expected ascending ones");
      }
    }
    return new OffsetRanges(first, end);
  }

  int count() {
    return first.length;
  }

  long first(int i) {
    return first[i];
  }

  long end(int i) {
    return end[i];
  }

  boolean isEmpty() {
    return first.length == 0;
  }

  /** The position after the last one, −1 where there is none. */
  long end() {
    return isEmpty() ? -1 : end[end.length - 1];
  }

  /** Number of the last range that begins at or before an offset, −1 where none does. */
  private int floor(long offset) {
    int at = Arrays.binarySearch(first, offset);
    return at >= 0 ? at : -at - 2;
  }

  boolean contains(long from, long to) {
    int i = floor(from);
    return i >= 0 && to <= end[i];
  }

  boolean intersects(long from, long to) {
    int i = floor(to - 1);
    return i >= 0 && end[i] > from;
  }

  /** The ranges with one more, which does not overlap any. */
  OffsetRanges with(long from, long to) {
    int before = floor(from) + 1; // ranges that lie before the new one
    boolean joinsLeft = before > 0 && end[before - 1] == from;
    boolean joinsRight = before < first.length && first[before] == to;
    int keepLeft = joinsLeft ? before - 1 : before;
    int keepRight = first.length - (joinsRight ? before + 1 : before);
    long[] f = new long[keepLeft + 1 + keepRight];
    long[] e = new long[f.length];
    System.arraycopy(first, 0, f, 0, keepLeft);
    System.arraycopy(end, 0, e, 0, keepLeft);
    f[keepLeft] = joinsLeft ? first[before - 1] : from;
    e[keepLeft] = joinsRight ? end[before] : to;
    System.arraycopy(first, first.length - keepRight, f, keepLeft + 1, keepRight);
    System.arraycopy(end, end.length - keepRight, e, keepLeft + 1, keepRight);
    return new OffsetRanges(f, e);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    // A message is read by a person: the last ranges tell, thousands do not.
    int from = Math.max(0, first.length - 8);
    for (int i = from; i < first.length; i++) {
      text.append(i == 0 ? "" : i == from ? "… " : " ");
      text.append('[').append(first[i]).append(", ").append(end[i]).append(')');
    }
    return text.isEmpty() ? "nothing" : text.toString();
  }
}
