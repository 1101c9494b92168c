package org.flowmon.udaf.tuning;

/**
 * Determines the number of slots that a table needs, from counts alone: the same flows give the
 * same sizes.
 *
 * <pre>
 *   more than 1 of 20 rows lost their group's place (evictions, rows passed on) ──► four times as many slots, at once
 *   at the most slots and still 3 of 4 lost: rows do not repeat                 ──► few slots, for 2, 4, … 64 epochs
 *   more than 1 of 4 slots used at the same time, and not nearly all            ──► twice as many
 *   at most 1 of 16 slots used at the same time, for four epochs                ──► four slots for each that was used
 * </pre>
 *
 * <p>A table that has grown has more than one slot for each group. One that has shrunk has at least
 * four, so that it does not grow again for the same groups. Not thread-safe.
 */
public final class SlotTuner {
  /** Initial slots of a table: they stay within a core's second-level cache. */
  public static final int FIRST = 8192;

  /** With scratchpads of up to thousands of bytes: making a table costs as much as many rows. */
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
  // At the last look, since the table was made.
  private long rowsBefore;
  private long lostBefore;
  private int idleEpochs;
  private int mostUsed;
  // Consecutive looks at a table of the most slots with three of four rows lost.
  private int uselessLooks;
  // Epochs without growth.
  private int held;
  private int holdNext = 2;

  /** Begins with {@code first} slots, at most {@code most}, a power of two. */
  public SlotTuner(int most, int first) {
    this.most = most;
    this.first = first;
    this.slots = Math.min(most, first);
  }

  public int slots() {
    return slots;
  }

  /**
   * Looks at rows since the table was made, of which {@code lost} evicted a group or were passed
   * on; returns whether to rebuild it with {@link #slots}.
   */
  public boolean took(long rows, long lost) {
    if (rows < rowsBefore) { // the table was rebuilt
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
   * Ends an epoch, of a window or a checkpoint, with so many slots used at a time; returns whether
   * to rebuild the table with {@link #slots}.
   */
  public boolean epochEnds(int used) {
    held = Math.max(0, held - 1);
    if (4L * used > slots && 4L * used < 3L * slots && slots < most && held == 0) {
      return become(2 * slots); // most groups are found in their first slot
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
