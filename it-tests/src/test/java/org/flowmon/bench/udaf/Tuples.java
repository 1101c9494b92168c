package org.flowmon.bench.udaf;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * Tuples of an epoch with their groups, as the table of groups passes them to low halves: vectors
 * of arguments, and the known group of each row.
 */
final class Tuples {
  /**
   * Any number: so many distinct items that few repeat, or a hundred thousand if some are common.
   */
  static final int ANY = 0;

  private static final int MANY = 100_000;
  private static final int SCRAMBLE = 0x9E3779B1;
  private static final int SMALLEST = 40;
  private static final int SIZES = 1460;

  final int rows;
  final int groups;

  /** By batch: a vector for each argument. */
  final Vector[][] arguments;

  /** By batch and row. */
  final int[][] groupOf;

  /** All rows of a batch. */
  final int[] selection = new int[Vector.CAPACITY];

  private Tuples(int rows, int groups, Spread spread, SplittableRandom random, ValueKind... kinds) {
    int batches = (rows + Vector.CAPACITY - 1) / Vector.CAPACITY;
    this.rows = batches * Vector.CAPACITY;
    this.groups = groups;
    this.arguments = new Vector[batches][];
    this.groupOf = new int[batches][Vector.CAPACITY];
    Arrays.setAll(selection, i -> i);
    for (int b = 0; b < batches; b++) {
      arguments[b] = Arrays.stream(kinds).map(Vector::new).toArray(Vector[]::new);
      for (int i = 0; i < Vector.CAPACITY; i++) {
        groupOf[b][i] = spread.draw(random, groups);
      }
      for (Vector vector : arguments[b]) {
        vector.setAllValid(Vector.CAPACITY);
      }
    }
  }

  /**
   * Creates items with weights like the sizes of packets. The items differ from group to group, so
   * that not all have the same collisions.
   *
   * @param kind of the items: ADDRESS, any of 32 bits; LONG, consecutive ones of 16 bits, like
   *     ports and the sizes of packets
   * @param items distinct ones, or {@link #ANY}
   * @param spread of groups and items
   */
  static Tuples ofItems(ValueKind kind, int rows, int groups, int items, Spread spread, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Tuples tuples = new Tuples(rows, groups, spread, random, kind, ValueKind.LONG);
    for (int b = 0; b < tuples.arguments.length; b++) {
      Vector[] batch = tuples.arguments[b];
      for (int i = 0; i < Vector.CAPACITY; i++) {
        int item = item(random, items, spread);
        batch[0].values()[i] =
            kind == ValueKind.ADDRESS
                ? IpAddress.ipv4Low(address(item, tuples.groupOf[b][i]))
                : item + tuples.groupOf[b][i] * SIZES & 0xFFFF;
        batch[1].values()[i] = (long) SMALLEST + random.nextInt(SIZES);
      }
    }
    return tuples;
  }

  /**
   * Creates numbers, like sizes of packets.
   *
   * @param values distinct ones, or {@link #ANY}
   * @param spread of groups and values
   */
  static Tuples ofNumbers(int rows, int groups, int values, Spread spread, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Tuples tuples = new Tuples(rows, groups, spread, random, ValueKind.LONG);
    for (Vector[] batch : tuples.arguments) {
      for (int i = 0; i < Vector.CAPACITY; i++) {
        batch[0].values()[i] = SMALLEST + (item(random, values, spread) & 0x7FFF_FFFFL);
      }
    }
    return tuples;
  }

  /**
   * The address of an item, mixed like in MurmurHash3: the items of a group have distinct
   * addresses.
   */
  private static int address(int item, int group) {
    int mixed = item + group * SCRAMBLE;
    mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
    mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
    return mixed ^ mixed >>> 16;
  }

  private static int item(SplittableRandom random, int count, Spread spread) {
    if (count != ANY) {
      return spread.draw(random, count);
    }
    return spread == Spread.UNIFORM ? random.nextInt() : spread.draw(random, MANY);
  }

  /** The sum of an argument of each group. */
  long[] sums(int argument) {
    long[] sums = new long[groups];
    for (int b = 0; b < groupOf.length; b++) {
      for (int i = 0; i < Vector.CAPACITY; i++) {
        sums[groupOf[b][i]] += arguments[b][argument].values()[i];
      }
    }
    return sums;
  }

  /** Tuples of each group. */
  long[] counts() {
    long[] counts = new long[groups];
    for (int[] batch : groupOf) {
      for (int group : batch) {
        counts[group]++;
      }
    }
    return counts;
  }
}
