package org.flowmon.bench.udaf;

/**
 * Where a group goes in a table of slots, and which group leaves it for that: told from hashes
 * alone, for any number of slots.
 */
enum SlotRule {
  /** Each group has one slot: who comes takes it. */
  DIRECT_MAPPED("direct mapped"),
  /** A group whose slot is taken has another; where that is taken too it takes the first. */
  SECOND_CHANCE("second chance");

  private final String text;

  SlotRule(String text) {
    this.text = text;
  }

  /**
   * How many groups are ejected.
   *
   * @param hashes of the tuples' groups
   * @param from the first tuple that counts: before it the table fills
   */
  long ejected(long[] hashes, int slots, int from) {
    long[] table = new long[slots];
    long ejected = 0;
    for (int t = 0; t < hashes.length; t++) {
      long group = hashes[t] == 0 ? 1 : hashes[t]; // 0 is a free slot
      int first = slot(hashes[t], slots);
      if (table[first] == group) {
        continue;
      }
      if (table[first] == 0) {
        table[first] = group;
        continue;
      }
      if (this == SECOND_CHANCE) {
        int second = slot(hashes[t] >>> 32, slots);
        if (table[second] == group) {
          continue;
        }
        if (table[second] == 0) {
          table[second] = group;
          continue;
        }
      }
      table[first] = group;
      ejected += t >= from ? 1 : 0;
    }
    return ejected;
  }

  /** As the table of the low level does where slots are a power of two. */
  private static int slot(long hash, int slots) {
    return Integer.bitCount(slots) == 1
        ? (int) hash & slots - 1
        : (int) (((hash & 0xFFFF_FFFFL) * slots) >>> 32);
  }

  /** The smallest number of slots, to within a hundredth, that ejects at most so many groups. */
  int leastSlots(long[] hashes, int from, long most) {
    int enough = 2;
    while (ejected(hashes, enough, from) > most) {
      enough = Math.multiplyExact(enough, 2);
    }
    int few = enough / 2;
    while (enough - few > Math.max(1, few / 100)) {
      int between = (enough + few) >>> 1;
      if (ejected(hashes, between, from) > most) {
        few = between;
      } else {
        enough = between;
      }
    }
    return enough;
  }

  @Override
  public String toString() {
    return text;
  }
}
