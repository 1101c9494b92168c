package org.flowmon.archive.query.group.partition;

import java.util.Arrays;

/**
 * Cuts packed keys into ranges of about as many rows each, judged by a sample of keys. A range that
 * begins with a frequent first number is cut further by the bits below. Immutable.
 */
public final class PartitionMap {
  static final int MAX_PARTITIONS = 1 << 13;

  // Leading bits of a key that index the table.
  private static final int DIGIT_BITS = 18;
  private static final int WHOLE = 63;

  private final int restBits;
  private final long restMask;
  // By leading bits: the first partition << 8 | shift of the bits below, which are then added.
  private final int[] table;
  private final int partitions;

  private PartitionMap(int restBits, int[] table, int partitions) {
    this.restBits = restBits;
    this.restMask = (1L << restBits) - 1;
    this.table = table;
    this.partitions = partitions;
  }

  /** Sorts {@code sample}; {@code wanted} partitions are aimed for: some more or fewer may come. */
  public static PartitionMap of(long[] sample, int n, int keyBits, int wanted) {
    int restBits = wanted == 1 ? keyBits : Math.max(0, keyBits - DIGIT_BITS);
    int[] table = new int[1 << (keyBits - restBits)];
    Arrays.sort(sample, 0, n);
    int target = Math.max(1, n / Math.max(1, wanted));
    int at = 0;
    int next = 0; // the partition that is being filled
    int filled = 0;
    boolean open = false;
    for (int digit = 0; digit < table.length; digit++) {
      int begin = at;
      while (at < n && sample[at] >>> restBits == digit) {
        at++;
      }
      int count = at - begin;
      if (wanted > 1 && count > 2 * target && restBits > 0) {
        next += open ? 1 : 0;
        int bits = Math.min(restBits, 32 - Integer.numberOfLeadingZeros(count / target));
        while (bits > 0 && next + (1 << bits) > MAX_PARTITIONS / 2) {
          bits--;
        }
        table[digit] = (next << 8) | (bits == 0 ? WHOLE : restBits - bits);
        next += 1 << bits;
        open = false;
        filled = 0;
        continue;
      }
      table[digit] = (next << 8) | WHOLE;
      open = true;
      filled += count;
      if (wanted > 1 && filled >= target && next < MAX_PARTITIONS - 1) {
        next++;
        open = false;
        filled = 0;
      }
    }
    return new PartitionMap(restBits, table, next + (open ? 1 : 0));
  }

  public int partitions() {
    return partitions;
  }

  /** The partition of a key; larger keys are in the same one or a later one. */
  public int partition(long key) {
    int entry = table[(int) (key >>> restBits)];
    return (entry >>> 8) + (int) ((key & restMask) >>> (entry & 0xFF));
  }
}
