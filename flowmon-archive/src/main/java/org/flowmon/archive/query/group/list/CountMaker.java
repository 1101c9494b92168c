package org.flowmon.archive.query.group.list;

import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.query.group.table.GroupMaker;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.group.table.SortedGroups;
import org.flowmon.udaf.aggregate.GroupLayout;

/**
 * Counts the rows of pairs of keys from their second keys' numbers. It takes one first key after
 * the other, so the number is the place of the count. Not thread-safe.
 */
public final class CountMaker implements GroupMaker {
  // If one number of so many was seen, scanning all is faster than sorting them.
  private static final int SPARSE = 32;

  private final List<KeyedRows> keys;
  private final ListedNumbers numbers;
  private final PackedKey[] packing;
  private final int words;
  private final int[] counts; // by number of the second key; all 0 between two first keys
  private final int[] found;
  private int size;

  /** {@code layout}'s states are counts of rows, or nothing. */
  public CountMaker(
      List<KeyedRows> keys, ListedNumbers numbers, PackedKey[] packing, GroupLayout layout) {
    this.keys = keys;
    this.numbers = numbers;
    this.packing = packing;
    this.words = layout.stateWords();
    int all = (int) packing[1].ofNull() + 1;
    this.counts = new int[all];
    this.found = new int[all + 1]; // the last element is a dummy
  }

  @Override
  public SortedGroups make(int part, SortedGroups.Arena arena) {
    size = 0;
    for (ListedNumbers.Part some : numbers.of(part)) {
      count(some);
    }
    return take(keys.get(part).number(), arena);
  }

  private void count(ListedNumbers.Part some) {
    long[] pairs = some.words;
    int pair = some.from;
    int n = size;
    for (int i = 1; i < some.count; i += 2, pair++) {
      long two = pairs[pair];
      int number = (int) two;
      found[n] = number;
      n += counts[number]++ == 0 ? 1 : 0;
      number = (int) (two >>> 32);
      found[n] = number;
      n += counts[number]++ == 0 ? 1 : 0;
    }
    if ((some.count & 1) != 0) {
      int number = (int) pairs[pair];
      found[n] = number;
      n += counts[number]++ == 0 ? 1 : 0;
    }
    size = n;
  }

  private SortedGroups take(int number, SortedGroups.Arena arena) {
    SortedGroups groups = arena.reserve(size, 1 + words);
    order();
    long first = (long) number << packing[0].shift();
    int shift = packing[1].shift();
    long[] out = groups.words();
    for (int i = 0; i < size; i++) {
      int at = groups.stateAt(i);
      int second = found[i];
      out[at - 1] = first | (long) second << shift;
      for (int word = 0; word < words; word++) {
        out[at + word] = counts[second];
      }
      counts[second] = 0;
    }
    return groups;
  }

  private void order() {
    if (size < counts.length / SPARSE) {
      Arrays.sort(found, 0, size);
      return;
    }
    int n = 0;
    for (int number = 0; number < counts.length; number++) {
      found[n] = number;
      n += counts[number] == 0 ? 0 : 1;
    }
  }
}
