package org.flowmon.udaf.tuning;

import java.util.Arrays;

/**
 * Which of several low halves a function has, from what trials say that each costs. The first trial
 * decides by itself where another costs far less. From then on it changes only where others were
 * clearly cheaper in several trials running, to the cheapest in all of these together; each change
 * makes it need more of them, until it has lasted. Not thread-safe.
 */
final class LowHalfChoice {
  /** Another is clearly cheaper where it costs at most this part of the one at hand. */
  static final double CLEARLY = 0.95;

  /** At most this part is far less: what one trial may be off does not come to that. */
  static final double FAR_LESS = 0.75;

  private static final int LEAST_WINS = 2;
  private static final int MOST_WINS = 8;
  private static final int LASTING_TRIALS = 8;

  // Of the trials running in which others were cheaper: costs as parts of those of the one at hand.
  private final double[] ratios;
  private int current;
  private int wins;
  private int needed = LEAST_WINS;
  private int unchallenged;
  private boolean hasTried;

  /** The first of so many, until trials say otherwise. */
  LowHalfChoice(int choices) {
    ratios = new double[choices];
  }

  /** Its place among the choices. */
  int current() {
    return current;
  }

  /** Whether another was cheaper in the last trial, so that the next should not wait. */
  boolean isChallenged() {
    return wins > 0;
  }

  /**
   * Takes in a trial.
   *
   * @param costs of a row, by choice, in any one unit; where one is not above 0 the clock was too
   *     coarse, and they say nothing
   * @return whether {@link #current} is another now
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
