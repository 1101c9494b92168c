package org.flowmon.udaf.cardinality;

import java.util.Arrays;
import org.flowmon.flow.TableHash;

/** A growing hash table of hashes, optionally with row counts. No hash is 0. */
final class HashCounts {
  private static final int FIRST_SLOTS = 4;

  private long[] hashes = new long[FIRST_SLOTS];
  // Empty unless rows are counted.
  private long[] rows;
  private int size;

  HashCounts(boolean counted) {
    this.rows = new long[counted ? FIRST_SLOTS : 0];
  }

  int size() {
    return size;
  }

  static int slots(int hashes) {
    int slots = FIRST_SLOTS;
    while (4 * hashes > 3 * slots) {
      slots *= 2;
    }
    return slots;
  }

  int words() {
    return hashes.length + rows.length;
  }

  /** The sum of the hashes' distances from their first slots: the number of wasted probes. */
  long displacement() {
    long sum = 0;
    for (int place = 0; place < hashes.length; place++) {
      sum += hashes[place] == 0 ? 0 : (place - first(hashes[place])) & (hashes.length - 1);
    }
    return sum;
  }

  /**
   * Keyed: rows may be chosen to collide. By size: a table may be filled in another one's order.
   */
  private int first(long hash) {
    return (int) TableHash.of(hash, hashes.length) & (hashes.length - 1);
  }

  private int place(long hash) {
    int mask = hashes.length - 1;
    int place = first(hash);
    while (hashes[place] != 0 && hashes[place] != hash) {
      place = place + 1 & mask;
    }
    return place;
  }

  boolean add(long hash, long more) {
    int place = place(hash);
    boolean isNew = hashes[place] == 0;
    if (isNew) {
      if (4 * (size + 1) > 3 * hashes.length) {
        grow();
        place = place(hash);
      }
      hashes[place] = hash;
      size++;
    }
    if (rows.length > 0) {
      long sum = rows[place] + more;
      rows[place] = sum < 0 ? Long.MAX_VALUE : sum;
    }
    return isNew;
  }

  private void grow() {
    long[] oldHashes = hashes;
    long[] oldRows = rows;
    hashes = new long[2 * oldHashes.length];
    rows = new long[oldRows.length == 0 ? 0 : hashes.length];
    for (int i = 0; i < oldHashes.length; i++) {
      if (oldHashes[i] != 0) {
        int place = place(oldHashes[i]);
        hashes[place] = oldHashes[i];
        if (rows.length > 0) {
          rows[place] = oldRows[i];
        }
      }
    }
  }

  /** 0 if it is absent. */
  long rows(long hash) {
    return rows[place(hash)];
  }

  long[] hashes() {
    long[] all = new long[size];
    int next = 0;
    for (long hash : hashes) {
      if (hash != 0) {
        all[next++] = hash;
      }
    }
    return all;
  }

  /** All hashes, ascending as unsigned numbers. */
  long[] ascending() {
    long[] all = hashes();
    for (int i = 0; i < all.length; i++) {
      all[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(all);
    for (int i = 0; i < all.length; i++) {
      all[i] ^= Long.MIN_VALUE;
    }
    return all;
  }
}
