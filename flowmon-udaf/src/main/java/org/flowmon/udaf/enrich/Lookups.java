package org.flowmon.udaf.enrich;

import org.flowmon.udaf.vector.Vector;

/** What lookups share. */
final class Lookups {
  private Lookups() {}

  /** Makes values NULL of which a key is. */
  static void settle(Vector[] keys, int count, Vector out) {
    for (Vector key : keys) {
      for (int w = 0; w < Vector.WORDS; w++) {
        out.validity()[w] &= key.validity()[w];
      }
    }
    out.settleValidity(count);
  }

  /** A power of two of which entries take at most half. */
  static int slots(int entries) {
    return Math.max(2, Integer.highestOneBit(Math.max(1, entries)) << 2);
  }
}
