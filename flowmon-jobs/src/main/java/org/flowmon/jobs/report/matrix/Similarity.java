package org.flowmon.jobs.report.matrix;

/**
 * The similarity of two traffic matrices as distributions: p and q are a pair's shares of the
 * totals, so a window can be compared with hours. Sums are over all pairs of either.
 *
 * <ul>
 *   <li>cosine = Σ p·q / √(Σ p² · Σ q²): 1 if the same, 0 if they share no pair; led by the largest
 *   <li>L1 = ½ Σ |p − q|, the total variation, the share that would have to move to other pairs: 0
 *       if the same, 1 if they share no pair
 *   <li>Jensen–Shannon divergence = ½ Σ p·log₂(p/m) + ½ Σ q·log₂(q/m) with m = (p + q) / 2: 0 if
 *       the same, 1 if they share no pair (Lin, "Divergence measures based on the Shannon entropy",
 *       1991)
 * </ul>
 *
 * <p>With one empty they share nothing, with both they are the same. Terms are added in the order
 * of keys, with {@link CompensatedSum} and {@link StrictMath}: equal bits whatever the order of
 * rows and the machine. {@code both}, {@code onlyFirst} and {@code onlySecond} count pairs.
 */
public record Similarity(
    double cosine, double l1, double jensenShannon, long both, long onlyFirst, long onlySecond) {
  private static final double LN_2 = StrictMath.log(2);

  /** Keys have the same kinds; {@code beside} is called with each pair on the way. */
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

  /** One matrix that many are compared with: each takes the time of its own pairs alone. */
  public static final class Reference {
    private final Sums alone;

    public Reference(TrafficMatrix matrix) {
      alone = new Sums(matrix, matrix);
      for (int pair = 0; pair < matrix.size(); pair++) {
        alone.pair(-1, pair);
      }
    }

    /**
     * As {@link Similarity#of}, but for rounding. Keys have the same kinds; {@code beside} is
     * called with each pair of the first.
     */
    public Similarity of(TrafficMatrix first, TrafficMatrix.PairVisitor beside) {
      Sums sums = new Sums(first, alone);
      first.lookUp(
          alone.second,
          (mine, other) -> {
            if (other >= 0) {
              sums.takeBack(other);
            }
            sums.pair(mine, other);
            beside.pair(mine, other);
          });
      return sums.result();
    }
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

    /** Begins with sums that have all pairs of the second. */
    Sums(TrafficMatrix first, Sums ofSecond) {
      this(first, ofSecond.second);
      secondSquares.add(ofSecond.secondSquares);
      differences.add(ofSecond.differences);
      divergence.add(ofSecond.divergence);
      onlySecond = ofSecond.onlySecond;
    }

    /** Takes back a pair that is in the first, too. */
    void takeBack(int other) {
      onlySecond--;
      double q = second.value(other) / secondTotal;
      secondSquares.add(-(q * q));
      differences.add(-q);
      divergence.add(-q);
    }

    @Override
    public void pair(int mine, int other) {
      // For a pair in one matrix most terms are 0, and can be skipped.
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

    /** p / middle is 2, so no logarithm is needed. */
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
