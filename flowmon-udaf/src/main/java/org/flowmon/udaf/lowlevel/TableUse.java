package org.flowmon.udaf.lowlevel;

/**
 * Measures whether a low-level table is worth its cost. If nearly each row evicts a group, it
 * reduces nothing: most rows are passed on unchanged, and now and then some are tried again.
 */
final class TableUse {
  // A row with a failed lookup costs about three times as much as a passed row.
  private static final int LOST_PARTS = 3;
  private static final int PARTS = 4;
  // Rows passed on for each tried row.
  private static final int PASSED_PER_TRIED = 16;
  private static final int LEAST_ROWS = 2048;

  // Until the table is full, rows evict nothing.
  private final int warmUp;
  private final long counted;
  private long tried;
  private long evicted;
  private long toPass;
  private long passed;

  TableUse(int slots) {
    this.warmUp = slots;
    this.counted = Math.max(LEAST_ROWS, 2 * slots);
  }

  boolean passes(int rows) {
    if (toPass <= 0) {
      return false;
    }
    toPass -= rows;
    passed += rows;
    return true;
  }

  long passed() {
    return passed;
  }

  void tried(int rows, long groupsEvicted) {
    tried += rows;
    evicted += tried > warmUp ? groupsEvicted : 0;
    if (tried < warmUp + counted) {
      return;
    }
    if (PARTS * evicted >= LOST_PARTS * counted) {
      toPass = PASSED_PER_TRIED * tried;
      tried = 0; // by then the groups in the table are old
    } else {
      tried = warmUp;
    }
    evicted = 0;
  }
}
