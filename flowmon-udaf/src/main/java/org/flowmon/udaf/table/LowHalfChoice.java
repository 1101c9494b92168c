package org.flowmon.udaf.table;

/**
 * Which of several low halves a function has, from what trials say that each costs. It changes only
 * where another one was clearly the cheapest in several trials running; each change makes it need
 * more of them, until it has lasted. Not thread-safe.
 */
final class LowHalfChoice {
  /** Another is clearly cheaper where it costs at most this part of the one at hand. */
  static final double CLEARLY = 0.95;

  private static final int LEAST_WINS = 2;
  private static final int MOST_WINS = 8;
  private static final int LASTING_TRIALS = 8;

  private int current;
  private int challenger = -1;
  private int wins;
  private int needed = LEAST_WINS;
  private int unchallenged;

  /** Its place among the choices; the first until a trial says otherwise. */
  int current() {
    return current;
  }

  /** Whether another was cheaper in the last trial, so that the next should not wait. */
  boolean isChallenged() {
    return challenger >= 0;
  }

  /**
   * Takes in a trial.
   *
   * @param costs of a row, by choice, in any one unit
   * @return whether {@link #current} is another now
   */
  boolean tried(double[] costs) {
    int best = current;
    for (int c = 0; c < costs.length; c++) {
      best = costs[c] < costs[best] ? c : best;
    }
    if (best == current || costs[best] > CLEARLY * costs[current]) {
      challenger = -1;
      wins = 0;
      if (++unchallenged >= LASTING_TRIALS) {
        needed = LEAST_WINS;
      }
      return false;
    }
    unchallenged = 0;
    wins = best == challenger ? wins + 1 : 1;
    challenger = best;
    if (wins < needed) {
      return false;
    }
    current = best;
    challenger = -1;
    wins = 0;
    needed = Math.min(MOST_WINS, 2 * needed);
    return true;
  }
}
