package org.flowmon.jobs.report.matrix;

/**
 * The similarity of two traffic matrices as distributions: p of one and q of the other are the
 * shares of the total that each pair sent, so a window can be compared with hours. With sums over
 * all pairs of either,
 *
 * <ul>
 *   <li>cosine = Σ p·q / √(Σ p² · Σ q²): 1 if they are the same, 0 if they share no pair; led by
 *       the largest pairs
 *   <li>L1 = ½ Σ |p − q|, the total variation: the share of the traffic that would have to move to
 *       other pairs; 0 if they are the same, 1 if they share no pair
 *   <li>Jensen–Shannon divergence = ½ Σ p·log₂(p/m) + ½ Σ q·log₂(q/m) with m = (p + q) / 2: 0 if
 *       they are the same, 1 if they share no pair
 * </ul>
 *
 * (Lin, "Divergence measures based on the Shannon entropy", 1991.) If one has no traffic at all,
 * they share nothing; if neither has any, they are the same.
 *
 * <p>Terms are added in the order of keys, with {@link CompensatedSum}, and by {@link StrictMath}:
 * the same matrices give the same bits, whatever the order of their rows and the machine.
 *
 * @param both pairs in both
 * @param onlyFirst pairs in the first alone
 * @param onlySecond pairs in the second alone
 */
public record Similarity(
    double cosine, double l1, double jensenShannon, long both, long onlyFirst, long onlySecond) {
  private static final double LN_2 = StrictMath.log(2);

  /**
   * Compares two matrices of keys of the same kinds.
   *
   * @param beside called with each pair on the way
   */
  public static Similarity of(
      TrafficMatrix first, TrafficMatrix second, TrafficMatrix.PairVisitor beside) {
    Sums sums = new Sums(first, second);
    first.join(
        second,
        (mine, other) -> {
          sums.pair(mine, other);
          beside.pair(mine, other);
        });
    return sums.result();
  }

  private static final class Sums implements TrafficMatrix.PairVisitor {
    private final TrafficMatrix first;
    private final TrafficMatrix second;
    private final double firstTotal;
    private final double secondTotal;
    private final CompensatedSum products = new CompensatedSum();
    private final CompensatedSum firstSquares = new CompensatedSum();
    private final CompensatedSum secondSquares = new CompensatedSum();
    private final CompensatedSum differences = new CompensatedSum();
    private final CompensatedSum divergence = new CompensatedSum();
    private long both;
    private long onlyFirst;
    private long onlySecond;

    Sums(TrafficMatrix first, TrafficMatrix second) {
      this.first = first;
      this.second = second;
      this.firstTotal = first.total();
      this.secondTotal = second.total();
    }

    @Override
    public void pair(int mine, int other) {
      // For a pair in one matrix alone most terms are 0, and can be skipped.
      if (other < 0) {
        onlyFirst++;
        alone(first.value(mine) / firstTotal, firstSquares);
        return;
      }
      double q = second.value(other) / secondTotal;
      if (mine < 0) {
        onlySecond++;
        alone(q, secondSquares);
        return;
      }
      both++;
      double p = first.value(mine) / firstTotal;
      products.add(p * q);
      firstSquares.add(p * p);
      secondSquares.add(q * q);
      differences.add(Math.abs(p - q));
      double middle = (p + q) / 2;
      divergence.add(term(p, middle) + term(q, middle));
    }

    /** Adds a pair of one matrix: p / middle is 2, so no logarithm is needed. */
    private void alone(double p, CompensatedSum squares) {
      squares.add(p * p);
      differences.add(p);
      divergence.add(p);
    }

    private static double term(double p, double middle) {
      return p == middle ? 0 : p * (StrictMath.log(p / middle) / LN_2);
    }

    Similarity result() {
      if (both == 0) {
        boolean same = onlyFirst == 0 && onlySecond == 0;
        double apart = same ? 0 : 1;
        return new Similarity(1 - apart, apart, apart, 0, onlyFirst, onlySecond);
      }
      double cosine = products.value() / Math.sqrt(firstSquares.value() * secondSquares.value());
      return new Similarity(
          unit(cosine),
          unit(differences.value() / 2),
          unit(divergence.value() / 2),
          both,
          onlyFirst,
          onlySecond);
    }

    /** Clamps to [0, 1], which rounding may exceed. */
    private static double unit(double value) {
      return Math.max(0, Math.min(1, value));
    }
  }
}
