package org.flowmon.udaf.tuning;

import java.util.Arrays;

/**
 * Chooses one of a function's low halves by the costs that trials measure. The first trial decides
 * alone if another costs far less. Later the choice changes only if others were clearly cheaper in
 * several consecutive trials, to the cheapest in all of these together. Each change raises the
 * required number of trials, until a choice has lasted. Not thread-safe.
 */
final class LowHalfChoice {
  /** Another is clearly cheaper if it costs at most this part of the current one. */
  static final double CLEARLY = 0.95;

  /** At most this part is far less: the error of one trial is smaller than that. */
  static final double FAR_LESS = 0.75;

  private static final int LEAST_WINS = 2;
  private static final int MOST_WINS = 8;
  private static final int LASTING_TRIALS = 8;

  // By choice, relative to the current one, in the consecutive trials in which others were cheaper.
  private final double[] ratios;
  private int current;
  private int wins;
  private int needed = LEAST_WINS;
  private int unchallenged;
  private boolean hasTried;

  LowHalfChoice(int choices) {
    ratios = new double[choices];
  }

  /** The index of the current choice. */
  int current() {
    return current;
  }

  /** Whether another was cheaper in the last trial, so that the next should follow soon. */
  boolean isChallenged() {
    return wins > 0;
  }

  /**
   * Evaluates costs of a row, by choice, in any unit; returns whether {@link #current} has changed.
   * If one is not above 0, the clock was too coarse and the trial is ignored.
   */
  boolean tried(double[] costs) {
    if (!Arrays.stream(costs).allMatch(cost -> cost > 0 && Double.isFinite(cost))) {
      return false;
    }
    boolean isFirst = !hasTried;
    hasTried = true;
    if (isFirst && costs[least(costs)] <= FAR_LESS * costs[current]) {
      current = least(costs);
      return true;
    }
    if (costs[least(costs)] > CLEARLY * costs[current]) {
      forget();
      if (++unchallenged >= LASTING_TRIALS) {
        needed = LEAST_WINS;
      }
      return false;
    }
    unchallenged = 0;
    wins++;
    for (int c = 0; c < costs.length; c++) {
      ratios[c] += costs[c] / costs[current];
    }
    int best = least(ratios);
    if (wins < needed || ratios[best] > CLEARLY * wins) {
      return false;
    }
    current = best;
    needed = Math.min(MOST_WINS, 2 * needed);
    forget();
    return true;
  }

  private void forget() {
    wins = 0;
    Arrays.fill(ratios, 0);
  }

  private static int least(double[] of) {
    int least = 0;
    for (int c = 1; c < of.length; c++) {
      least = of[c] < of[least] ? c : least;
    }
    return least;
  }
}
