package org.flowmon.udaf.cardinality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rows chosen by their hash, which is no secret, make no table of hashes slow. */
class ChosenHashesTest {
  @Test
  void hashesWithEqualLowBitsShareNoSlots() {
    int hashes = 20_000;
    HashCounts counts = new HashCounts(true);
    for (int i = 1; i <= hashes; i++) {
      counts.add((long) i << 32 | 5, 1);
    }
    assertEquals(hashes, counts.size());
    assertTrue(counts.displacement() < 4L * hashes, counts.displacement() + " slots");
  }

  /** A sample adds hashes in the order of another table's slots when it drops some. */
  @Test
  void hashesInTheOrderOfAnotherTableShareNoSlots() {
    int hashes = 22_000; // two thirds of the slots
    HashCounts counts = new HashCounts(false);
    for (int i = 1; i <= hashes; i++) {
      counts.add(RowHash.mix(1, i), 1);
    }
    long most = 4L * hashes;
    long total = 0;
    HashCounts copied = new HashCounts(false);
    int copiedSoFar = 0;
    for (long hash : counts.hashes()) {
      copied.add(hash, 1);
      if (++copiedSoFar % 500 == 0) {
        total = Math.max(total, copied.displacement());
      }
    }
    assertTrue(total < most, total + " slots");
  }
}
