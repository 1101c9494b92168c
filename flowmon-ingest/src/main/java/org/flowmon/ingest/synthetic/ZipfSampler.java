package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;

/**
 * Draws ranks 0 … n − 1, weighted by 1 / (rank + 1)^exponent, in constant time: Vose, "A linear
 * algorithm for generating random numbers with a given distribution", 1991 (alias method).
 */
public final class ZipfSampler {
  private final double[] keep;
  private final int[] alias;

  public ZipfSampler(int n, double exponent) {
    double[] scaled = new double[n];
    double sum = 0;
    for (int i = 0; i < n; i++) {
      scaled[i] = Math.pow(i + 1.0, -exponent);
      sum += scaled[i];
    }
    keep = new double[n];
    alias = new int[n];
    int[] small = new int[n];
    int[] large = new int[n];
    int smalls = 0;
    int larges = 0;
    for (int i = 0; i < n; i++) {
      scaled[i] *= n / sum;
      if (scaled[i] < 1) {
        small[smalls++] = i;
      } else {
        large[larges++] = i;
      }
    }
    while (smalls > 0 && larges > 0) {
      int less = small[--smalls];
      int more = large[--larges];
      keep[less] = scaled[less];
      alias[less] = more;
      scaled[more] -= 1 - scaled[less];
      if (scaled[more] < 1) {
        small[smalls++] = more;
      } else {
        large[larges++] = more;
      }
    }
    while (larges > 0) {
      keep[large[--larges]] = 1;
    }
    while (smalls > 0) { // only through rounding
      keep[small[--smalls]] = 1;
    }
  }

  public int sample(SplittableRandom random) {
    int i = random.nextInt(keep.length);
    return random.nextDouble() < keep[i] ? i : alias[i];
  }
}
