package org.flowmon.udaf.lowlevel;

/**
 * What the tables of a query are made of at the moment, and how often that changed since the query
 * came; of several tables the sums. Immutable.
 *
 * @param slots that they have
 * @param resizes how often one got another number of them
 * @param switches how often a function got another low half
 * @param trials how often all low halves of a function were tried
 * @param lowHalves those chosen for functions that leave it open: {@code QUANTILES heavy,
 *     HEAVY_HITTERS buffer}; empty where there are none
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
