package org.flowmon.jobs.report.matrix;

/**
 * A sum of doubles that carries what rounding takes away (Neumaier 1974): its error does not grow
 * with the number of terms. The result still depends on their order, in the last bits: callers add
 * in an order that the data give.
 */
final class CompensatedSum {
  private double sum;
  private double lost;

  void add(double term) {
    double next = sum + term;
    lost += Math.abs(sum) >= Math.abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }

  double value() {
    return sum + lost;
  }
}
