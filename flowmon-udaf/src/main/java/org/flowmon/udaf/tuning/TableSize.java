package org.flowmon.udaf.tuning;

/**
 * The slots of a query's low-level tables, a power of two.
 *
 * @param isTuned whether tables get fewer slots if fewer are enough, and low halves of functions
 *     that leave the choice are tuned
 * @param hasSecondChance whether a group whose slot is taken tries another; else it takes the first
 */
public record TableSize(int slots, boolean isTuned, boolean hasSecondChance) {
  static final int MAX_SLOTS = 1 << 22;

  /**
   * Rounds up to a power of two.
   *
   * @throws IllegalArgumentException if there cannot be so many slots
   */
  public TableSize {
    if (slots < 1 || slots > MAX_SLOTS) {
      throw new IllegalArgumentException(slots + " slots: expected 1 \u2026 " + MAX_SLOTS);
    }
    slots = Math.max(2, Integer.highestOneBit(2 * slots - 1));
  }

  /** A fixed number; functions keep their initial low half. */
  public static TableSize of(int slots) {
    return new TableSize(slots, false, true);
  }

  /** At most so many slots; each task tunes the number by its flows. */
  public static TableSize upTo(int slots) {
    return new TableSize(slots, true, true);
  }

  /** A fixed number of slots, one possible slot per group: the baseline of benchmarks. */
  public static TableSize directMapped(int slots) {
    return new TableSize(slots, false, false);
  }
}
