package org.flowmon.udaf.tuning;

/**
 * How many slots the tables of a query have on the low level, and how groups find one.
 *
 * @param slots a power of two
 * @param isTuned whether fewer will do where fewer are enough: {@code slots} is then the memory
 *     that is set, and low halves of functions that leave it open are chosen, too
 * @param hasSecondChance whether a group whose slot is taken may have another; else it takes the
 *     one
 */
public record TableSize(int slots, boolean isTuned, boolean hasSecondChance) {
  static final int MAX_SLOTS = 1 << 22;

  /**
   * Any number is rounded up to a power of two.
   *
   * @throws IllegalArgumentException where there cannot be so many slots
   */
  public TableSize {
    if (slots < 1 || slots > MAX_SLOTS) {
      throw new IllegalArgumentException(slots + " slots: expected 1 \u2026 " + MAX_SLOTS);
    }
    slots = Math.max(2, Integer.highestOneBit(2 * slots - 1));
  }

  /** So many, whatever comes; functions have the low half that they are made with. */
  public static TableSize of(int slots) {
    return new TableSize(slots, false, true);
  }

  /** At most so many, and each task finds out how many are enough for what it sees. */
  public static TableSize upTo(int slots) {
    return new TableSize(slots, true, true);
  }

  /** So many, with one for each group: what benchmarks compare with. */
  public static TableSize directMapped(int slots) {
    return new TableSize(slots, false, false);
  }
}
