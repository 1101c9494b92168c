package org.flowmon.udaf.quantile;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Values with bounds of their ranks: Greenwald and Khanna's summary, as gaps and weights ({@code
 * docs/format/states.md}). {@code aᵢ = Σⱼ≤ᵢ (gapⱼ + weightⱼ)} is at most the number of values ≤ vᵢ,
 * {@code bᵢ = aᵢ − weightᵢ} at least that of values &lt; vᵢ. The answer vᵢ to rank r is off by at
 * most {@code max(0, bᵢ + 1 − r, r − aᵢ)}, the best one by {@code ⌊(gap + 1) / 2⌋} of r's gap.
 *
 * <p>Merging adds gaps: two neighbours have between them parts of one gap of each ({@link
 * #setMerged}). So gaps within {@code 2 · ⌊ε · m⌋} and {@code 2 · ⌊ε · n⌋} give gaps within {@code
 * 2 · ⌊ε · (m + n)⌋}: the bound survives any merge tree. Compressing keeps gaps within it. Until
 * then all gaps are 0, weights are copies, and answers are exact. Arrays grow; reused.
 */
final class Summary {
  private static final long[] NONE = {};

  long[] values;
  long[] weights;
  // Null while all gaps are 0.
  long @Nullable [] gaps;
  int size;
  long count;

  // Whether the room for gaps is kept while there are none.
  private final boolean keepsRoom;
  private long @Nullable [] spareGaps;

  Summary() {
    this(false);
  }

  private Summary(boolean keepsRoom) {
    this.keepsRoom = keepsRoom;
    values = NONE;
    weights = NONE;
  }

  /** A summary that is filled again and again: once it is large enough it allocates nothing. */
  static Summary reused() {
    return new Summary(true);
  }

  boolean isExact() {
    return gaps == null;
  }

  long gap(int i) {
    return gaps == null ? 0 : gaps[i];
  }

  /** The gaps of a summary that was {@link #reset} with gaps, or is not exact. */
  long[] gaps() {
    return Objects.requireNonNull(gaps);
  }

  long maxGap() {
    long max = 0;
    for (int i = 0; i < size && gaps != null; i++) {
      max = Math.max(max, gaps[i]);
    }
    return max;
  }

  void reset(int capacity, boolean withGaps) {
    if (values.length < capacity) {
      int length = Math.max(4, capacity + capacity / 4);
      values = new long[length];
      weights = new long[length];
      gaps = null;
      spareGaps = null;
    }
    if (!withGaps) {
      dropGaps();
    } else if (gaps == null) {
      makeGaps();
    }
    size = 0;
    count = 0;
  }

  private void dropGaps() {
    if (keepsRoom && gaps != null) {
      spareGaps = gaps;
    }
    gaps = null;
  }

  private void makeGaps() {
    if (spareGaps == null) {
      gaps = new long[values.length];
    } else {
      Arrays.fill(spareGaps, 0);
      gaps = spareGaps;
      spareGaps = null;
    }
  }

  /** Copies another summary, into arrays of its own. */
  void set(Summary other) {
    reset(other.size, other.gaps != null);
    System.arraycopy(other.values, 0, values, 0, other.size);
    System.arraycopy(other.weights, 0, weights, 0, other.size);
    if (gaps != null) {
      System.arraycopy(other.gaps, 0, gaps, 0, other.size);
    }
    size = other.size;
    count = other.count;
  }

  /** Becomes the exact summary of some values, which it sorts. */
  void setValues(long[] words, int n) {
    Arrays.sort(words, 0, n);
    reset(n, false);
    for (int i = 0; i < n; i++) {
      if (size > 0 && values[size - 1] == words[i]) {
        weights[size - 1]++;
      } else {
        values[size] = words[i];
        weights[size++] = 1;
      }
    }
    count = n;
  }

  /**
   * The merge of figure 1 of Cormode et al. With g = gap + weight and Δ = 1 − weight, its line 5,
   * {@code Δ = Δᵢ + gⱼ + Δⱼ − 1}, subtracts the other's gap from the weight, its line 11 adds
   * weights. A value lies in the gap before the other's next one; there is none after the last.
   */
  void setMerged(Summary a, Summary b) {
    boolean withGaps = a.gaps != null || b.gaps != null;
    reset(a.size + b.size, withGaps);
    int i = 0;
    int j = 0;
    while (i < a.size || j < b.size) {
      int order = i == a.size ? 1 : j == b.size ? -1 : Long.compare(a.values[i], b.values[j]);
      long gapA = withGaps && i < a.size ? a.gap(i) : 0;
      long gapB = withGaps && j < b.size ? b.gap(j) : 0;
      values[size] = order <= 0 ? a.values[i] : b.values[j];
      if (order == 0) {
        weights[size] = a.weights[i++] + b.weights[j++];
      } else {
        weights[size] = order < 0 ? a.weights[i++] - gapB : b.weights[j++] - gapA;
      }
      if (withGaps) {
        gaps()[size] = gapA + gapB;
      }
      size++;
    }
    count = a.count + b.count;
  }

  /**
   * Removes values down to {@code target} or as far as no gap exceeds {@code limit}: those with the
   * smallest gaps first, so that error is added only as needed, those of uncertain rank before
   * others; the least and the greatest stay.
   */
  void compress(int target, long limit) {
    long most = maxGap();
    long gap = Math.min(limit, most - most / 4);
    while (true) {
      dropWithin(gap);
      if (size <= target || gap == limit) {
        return;
      }
      gap += Math.min(limit - gap, 1 + gap / 8);
    }
  }

  private void dropWithin(long limit) {
    if (isExact()) {
      makeGaps();
    }
    long[] gaps = gaps();
    int out = 1;
    long open = gaps[1];
    boolean any = gaps[0] != 0;
    for (int i = 1; i < size; i++) {
      long next = i < size - 1 ? gaps[i + 1] : 0;
      if (i < size - 1 && open + weights[i] + next <= limit) {
        open += weights[i] + next;
      } else {
        values[out] = values[i];
        weights[out] = weights[i];
        gaps[out++] = open;
        any |= open != 0;
        open = next;
      }
    }
    size = out;
    if (!any) {
      dropGaps();
    }
  }

  /** The greatest value surely not above the rank, the nearest, the least surely not below. */
  void quantile(long rank, long[] out) {
    long below = 0;
    long bestError = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      long mostBelow = below + gap(i);
      long leastUpTo = mostBelow + weights[i];
      if (mostBelow < rank) {
        out[0] = values[i];
      }
      long error = Math.max(0, Math.max(mostBelow + 1 - rank, rank - leastUpTo));
      if (error < bestError) {
        bestError = error;
        out[1] = values[i];
      }
      if (leastUpTo >= rank) {
        out[2] = values[i];
        return; // later values are farther off
      }
      below = leastUpTo;
    }
  }

  /** Values at or below: the least number, the middle, the greatest. */
  void rank(long value, long[] out) {
    long upTo = 0;
    int i = 0;
    while (i < size && values[i] <= value) {
      upTo += gap(i) + weights[i++];
    }
    out[0] = upTo;
    out[2] = i < size ? upTo + gap(i) : count;
    out[1] = upTo + (out[2] - upTo) / 2;
  }

  static long memoryBytes(long size, boolean withGaps) {
    return 48 + (withGaps ? 3 : 2) * (16 + 8 * Math.max(4, size + size / 4));
  }

  long memoryBytes() {
    // Header 12, four references, size, count, a flag; and the arrays.
    return 48 + (gaps == null ? 2 : 3) * (16 + 8L * values.length);
  }
}
