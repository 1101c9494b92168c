package org.flowmon.jobs.report.matrix;

/**
 * A sum of doubles that carries the rounding error (Neumaier 1974), which does not grow with the
 * number of terms. Last bits depend on their order: callers add in one given by the data.
 */
final class CompensatedSum {
  private double sum;
  private double lost;

  void add(double term) {
    double next = sum + term;
    lost += Math.abs(sum) >= Math.abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }

  void add(CompensatedSum other) {
    add(other.sum);
    lost += other.lost;
  }

  double value() {
    return sum + lost;
  }
}
