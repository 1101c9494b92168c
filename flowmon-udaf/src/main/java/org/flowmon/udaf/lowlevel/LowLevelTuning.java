package org.flowmon.udaf.lowlevel;

/**
 * The current tuning of a query's tables, and the changes since it came; sums over its tables.
 * Immutable.
 *
 * @param switches number of changes of a function's low half
 * @param trials number of trials of all low halves of a function
 * @param lowHalves the low halves chosen for functions that leave the choice: {@code QUANTILES
 *     heavy, HEAVY_HITTERS buffer}; empty if there are none
 */
public record LowLevelTuning(
    long slots, long resizes, long switches, long trials, String lowHalves) {
  static final LowLevelTuning NONE = new LowLevelTuning(0, 0, 0, 0, "");

  LowLevelTuning plus(LowLevelTuning other) {
    String both =
        lowHalves.isEmpty() || other.lowHalves.isEmpty()
            ? lowHalves + other.lowHalves
            : lowHalves + "; " + other.lowHalves;
    return new LowLevelTuning(
        slots + other.slots,
        resizes + other.resizes,
        switches + other.switches,
        trials + other.trials,
        both);
  }
}
