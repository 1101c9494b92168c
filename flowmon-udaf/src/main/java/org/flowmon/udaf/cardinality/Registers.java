package org.flowmon.udaf.cardinality;

/**
 * HyperLogLog (Flajolet and others 2007) with Ertl's estimator, "New cardinality estimation
 * algorithms for HyperLogLog sketches" (2017), section 4: no bias for any number, no table. The
 * relative standard error is about 1.04 / √m with m registers.
 */
final class Registers {
  private Registers() {}

  /** Adds a hash; its first bits select the register. */
  static void add(byte[] registers, int precision, long hash) {
    int register = (int) (hash >>> (64 - precision));
    // A bit after the last one ends the run of zeros.
    int rank = Long.numberOfLeadingZeros(hash << precision | 1L << (precision - 1)) + 1;
    if (rank > registers[register]) {
      registers[register] = (byte) rank;
    }
  }

  static void merge(byte[] registers, byte[] others) {
    for (int i = 0; i < registers.length; i++) {
      registers[i] = (byte) Math.max(registers[i], others[i]);
    }
  }

  static double standardError(int precision) {
    return 1.04 / Math.sqrt(1 << precision);
  }

  static double estimate(byte[] registers, int precision) {
    int q = 64 - precision;
    double m = registers.length;
    int[] counts = new int[q + 2];
    for (byte register : registers) {
      counts[register]++;
    }
    double z = m * tau(1 - counts[q + 1] / m);
    for (int k = q; k >= 1; k--) {
      z = 0.5 * (z + counts[k]);
    }
    z += m * sigma(counts[0] / m);
    return m * m / (2 * Math.log(2) * z);
  }

  /** x + Σ x^(2^k) · 2^(k − 1), over k from 1. */
  private static double sigma(double x) {
    if (x == 1) {
      return Double.POSITIVE_INFINITY;
    }
    double power = x;
    double factor = 1;
    double sum = x;
    for (double last = -1; sum != last; ) {
      last = sum;
      power *= power;
      sum += power * factor;
      factor += factor;
    }
    return sum;
  }

  /** (1 − x − Σ (1 − x^(2^−k))² · 2^−k) / 3, over k from 1. */
  private static double tau(double x) {
    if (x == 0 || x == 1) {
      return 0;
    }
    double root = x;
    double factor = 1;
    double sum = 1 - x;
    for (double last = -1; sum != last; ) {
      last = sum;
      root = Math.sqrt(root);
      factor *= 0.5;
      sum -= (1 - root) * (1 - root) * factor;
    }
    return sum / 3;
  }
}
