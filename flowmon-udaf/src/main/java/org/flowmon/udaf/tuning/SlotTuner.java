package org.flowmon.udaf.tuning;

/**
 * Finds out how many slots a table needs, from counts alone: the same flows give the same sizes.
 *
 * <pre>
 *   more than 1 of 20 rows lost their group's place (evictions, rows passed on) ──► four times as many slots, at once
 *   at the most slots and still 3 of 4 lost: rows do not repeat                 ──► few slots, for 2, 4, … 64 epochs
 *   more than 1 of 4 slots used at the same time, and not nearly all            ──► twice as many
 *   at most 1 of 16 slots used at the same time, for four epochs                ──► four slots for each that was used
 * </pre>
 *
 * <p>A table that has grown has more than one slot for each group, one that has shrunk at least
 * four, so that it does not grow again for the same groups. Not thread-safe.
 */
public final class SlotTuner {
  /** Slots that a table begins with: they stay within a core's second-level cache. */
  public static final int FIRST = 8192;

  /**
   * Likewise with scratchpads, which may take thousands of bytes each: to make a table costs as
   * much as many rows then.
   */
  public static final int FIRST_WITH_PADS = 1024;

  private static final int LEAST = 1024;
  private static final int STEP = 4;
  private static final long LEAST_ROWS = 16_384;
  private static final int LOST_PARTS = 20;
  private static final int IDLE_PARTS = 16;
  private static final int IDLE_EPOCHS = 4;
  private static final int MAX_HOLD = 64;

  private final int most;
  private final int first;
  private int slots;
  // What was counted when it was last looked at, since the table was made.
  private long rowsBefore;
  private long lostBefore;
  private int idleEpochs;
  private int mostUsed;
  // Looks in a row at a table of the most slots that three of four rows were lost in.
  private int uselessLooks;
  // Epochs in which it does not grow.
  private int held;
  private int holdNext = 2;

  /**
   * A table without rows.
   *
   * @param most slots that it may have, a power of two
   * @param first that it begins with, if it may have so many
   */
  public SlotTuner(int most, int first) {
    this.most = most;
    this.first = first;
    this.slots = Math.min(most, first);
  }

  public int slots() {
    return slots;
  }

  /**
   * Looks at a table that has taken rows.
   *
   * @param rows that it took since it was made
   * @param lost of these, such as evicted a group or were passed on
   * @return whether it is to be made anew, with {@link #slots}
   */
  public boolean took(long rows, long lost) {
    if (rows < rowsBefore) { // it was made anew
      rowsBefore = rows;
      lostBefore = lost;
      return false;
    }
    long seen = rows - rowsBefore;
    if (seen < Math.max(LEAST_ROWS, 4L * slots)) {
      return false;
    }
    long gone = lost - lostBefore;
    rowsBefore = rows;
    lostBefore = lost;
    if (LOST_PARTS * gone <= seen || held > 0) {
      uselessLooks = 0;
      return false;
    }
    if (slots < most) {
      return become(Math.min(most, STEP * slots));
    }
    uselessLooks = 4 * gone >= 3 * seen ? uselessLooks + 1 : 0;
    if (uselessLooks == 2 && slots > first) {
      held = holdNext;
      holdNext = Math.min(MAX_HOLD, 2 * holdNext);
      return become(first);
    }
    return false;
  }

  /**
   * An epoch ends: the groups of a window, or of a checkpoint, have left.
   *
   * @param used slots that were used at the same time, at most
   * @return whether the table is to be made anew, with {@link #slots}
   */
  public boolean epochEnds(int used) {
    held = Math.max(0, held - 1);
    if (4L * used > slots && 4L * used < 3L * slots && slots < most && held == 0) {
      return become(2 * slots); // most groups are found at the first look
    }
    if (used == 0 || slots <= LEAST || (long) used * IDLE_PARTS > slots) {
      idleEpochs = used == 0 ? idleEpochs : 0;
      mostUsed = 0;
      return false;
    }
    mostUsed = Math.max(mostUsed, used);
    if (++idleEpochs < IDLE_EPOCHS) {
      return false;
    }
    return become(Math.max(LEAST, TableSize.of(STEP * mostUsed).slots()));
  }

  private boolean become(int more) {
    boolean changes = more != slots;
    slots = more;
    rowsBefore = Long.MAX_VALUE; // counts begin with the next look
    idleEpochs = 0;
    mostUsed = 0;
    uselessLooks = 0;
    return changes;
  }
}
