package org.flowmon.bench.udaf;

import java.util.stream.Stream;

/**
 * The rule that chooses a group's slot in a table and the group that it evicts, simulated from
 * hashes alone, for any number of slots.
 */
enum SlotRule {
  /** Each group has one slot, and always takes it. */
  DIRECT_MAPPED("direct mapped"),
  /**
   * A group whose slot is taken has a second slot; if that is taken, too, the group takes the
   * first.
   */
  SECOND_CHANCE("second chance");

  private final String text;

  SlotRule(String text) {
    this.text = text;
  }

  /**
   * Counts the evicted groups.
   *
   * @param hashes of the tuples' groups
   * @param from the first tuple that counts: before it the table fills
   */
  long evicted(long[] hashes, int slots, int from) {
    long[] table = new long[slots];
    long evicted = 0;
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
      evicted += t >= from ? 1 : 0;
    }
    return evicted;
  }

  /** The slot of a hash, like in the low level's table if {@code slots} is a power of two. */
  private static int slot(long hash, int slots) {
    return Integer.bitCount(slots) == 1
        ? (int) hash & slots - 1
        : (int) (((hash & 0xFFFF_FFFFL) * slots) >>> 32);
  }

  /**
   * The smallest number of slots, to within a hundredth, that evicts at most {@code most} groups.
   */
  int leastSlots(long[] hashes, int from, long most) {
    int enough = 2;
    while (evicted(hashes, enough, from) > most) {
      enough = Math.multiplyExact(enough, 2);
    }
    int few = enough / 2;
    while (enough - few > Math.max(1, few / 100)) {
      int between = (enough + few) >>> 1;
      if (evicted(hashes, between, from) > most) {
        few = between;
      } else {
        enough = between;
      }
    }
    return enough;
  }

  /** The rule of this name in the declaration. */
  static SlotRule of(String name) {
    return Stream.of(values())
        .filter(rule -> rule.text.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no rule " + name));
  }
}
