package org.flowmon.jobs.report.matrix;

import java.util.List;

/**
 * The most that each pair sent in one of the parts of the past, and by how much a matrix grows
 * beyond. If nothing changes, a pair sends more than in each of n parts with a chance of 1 to n,
 * whatever the law of its bytes: a single large transfer is a record of one pair, and a change of
 * many hosts is one of many pairs.
 */
public final class PairPeaks {
  /** Of the mean of a pair in a part: less is no growth, as what probes add. */
  private static final double LEAST_GROWTH = 0.001;

  private final double[] largest; // by pair of all parts together
  private final double[] next; // of the other parts
  private final int[] holder; // the part with the largest
  private final double least;

  /** Parts of {@code all}, each as long. */
  public PairPeaks(TrafficMatrix all, List<TrafficMatrix> parts) {
    largest = new double[all.size()];
    next = new double[all.size()];
    holder = new int[all.size()];
    long pairs = 0;
    for (int i = 0; i < parts.size(); i++) {
      int part = i;
      TrafficMatrix matrix = parts.get(i);
      matrix.lookUp(all, (mine, pair) -> add(pair, matrix.value(mine), part));
      pairs += matrix.size();
    }
    least = pairs == 0 ? 0 : LEAST_GROWTH * all.total() / pairs;
  }

  private void add(int pair, double value, int part) {
    if (value > largest[pair]) {
      next[pair] = largest[pair];
      largest[pair] = value;
      holder[pair] = part;
    } else {
      next[pair] = Math.max(next[pair], value);
    }
  }

  /**
   * The growth of a matrix that is joined with all of the past.
   *
   * @param part which part it is, so that the others count; −1 if it is none
   * @param scale what its values are multiplied by, so that they are of the length of a part
   */
  public Growth growth(TrafficMatrix matrix, int part, double scale) {
    return new Growth(matrix, part, scale);
  }

  /** Counts pairs that sent more than in each part of the past. */
  public final class Growth implements TrafficMatrix.PairVisitor {
    private final TrafficMatrix matrix;
    private final int part;
    private final double scale;
    private long pairs;
    private long records;
    private double excess;

    private Growth(TrafficMatrix matrix, int part, double scale) {
      this.matrix = matrix;
      this.part = part;
      this.scale = scale;
    }

    @Override
    public void pair(int mine, int other) {
      if (mine < 0) {
        return;
      }
      pairs++;
      double peak = other < 0 ? 0 : holder[other] == part ? next[other] : largest[other];
      double above = matrix.value(mine) * scale - peak;
      records += above > least ? 1 : 0;
      excess = Math.max(excess, above);
    }

    /** The share of the matrix's pairs that sent more than ever, 0 … 1. */
    public double records() {
      return pairs == 0 ? 0 : (double) records / pairs;
    }

    /** By how much a pair exceeds the most that it sent, of the pair with the largest excess. */
    public double excess() {
      return excess;
    }
  }
}
