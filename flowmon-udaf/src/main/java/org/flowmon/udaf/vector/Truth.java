package org.flowmon.udaf.vector;

import java.util.Arrays;

/** TRUE, FALSE or, in neither bitmap, NULL for {@link Vector#CAPACITY} rows; 0 past the last. */
public final class Truth {
  public final long[] isTrue = new long[Vector.WORDS];
  public final long[] isFalse = new long[Vector.WORDS];

  public void setAllNull() {
    Arrays.fill(isTrue, 0);
    Arrays.fill(isFalse, 0);
  }

  public void setAll(boolean value, int count) {
    Vector.fill(value ? isTrue : isFalse, count);
    Arrays.fill(value ? isFalse : isTrue, 0);
  }

  public void ofFlags(long[] flags, long[] validity, int count) {
    for (int w = 0; w < Vector.WORDS; w++) {
      long bits = 0;
      int end = Math.min(64, count - (w << 6));
      for (int i = 0; i < end; i++) {
        bits |= (flags[(w << 6) + i] != 0 ? 1L : 0L) << i;
      }
      isTrue[w] = bits & validity[w];
      isFalse[w] = ~bits & validity[w];
    }
  }

  public void of(long[] matches, long[] known) {
    for (int w = 0; w < Vector.WORDS; w++) {
      isTrue[w] = matches[w] & known[w];
      isFalse[w] = ~matches[w] & known[w];
    }
  }
}
