package org.flowmon.udaf.tuning;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.vector.Vector;

/**
 * A sample for trials of low halves: all rows, in order, of some groups, chosen by hash, that a
 * table takes during some epochs. If there are too many groups, half of them are dropped,
 * repeatedly; if there are too many rows, too, as long as enough groups remain. Of fixed size,
 * except for vectors that are made on demand and kept. Not thread-safe.
 */
final class LowHalfSample {
  static final int MAX_ROWS = 1 << 15;
  static final int MAX_GROUPS = 256;

  private static final int LEAST_GROUPS = 32;
  private static final int MAX_LEVEL = 24;
  private static final int PLACES = 4 * MAX_GROUPS;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  // Indexes of the functions' arguments among those of the table.
  private final int[] needed;
  // By chunk of Vector.CAPACITY rows, then by argument; null if it is not needed.
  private final List<Vector[]> chunks = new ArrayList<>();
  private final long[] hashes = new long[MAX_ROWS];
  private final int[] groupOf = new int[MAX_ROWS];
  private final byte[] epochOf = new byte[MAX_ROWS];
  // By group number, and an index of them.
  private final long[] groupHashes = new long[MAX_GROUPS];
  private final int[] places = new int[PLACES];
  private int most;
  private int rows;
  private int groups;
  private int level;
  private byte epoch;
  private long salt;
  private boolean full;

  /** Takes indexes of arguments, each once. */
  LowHalfSample(int... needed) {
    this.needed = needed.clone();
    clear(0, MAX_ROWS);
  }

  /** Begins anew, with a seed of the choice of groups and at most {@link #MAX_ROWS} rows. */
  void clear(long with, int mostRows) {
    most = mostRows;
    rows = 0;
    groups = 0;
    level = 0;
    epoch = 0;
    full = false;
    salt = with * 0xC2B2AE3D27D4EB4FL;
    Arrays.fill(places, -1);
  }

  int rows() {
    return rows;
  }

  int groups() {
    return groups;
  }

  /** One group in 2 to this power is in the sample. */
  int level() {
    return level;
  }

  /** Whether it takes no more rows: few groups fill it. */
  boolean isFull() {
    return full;
  }

  /** All groups leave the table between the rows so far and the next ones. */
  void endEpoch() {
    epoch++;
  }

  int epoch(int row) {
    return epochOf[row];
  }

  int group(int row) {
    return groupOf[row];
  }

  /** Hash of a row's group and pane. */
  long hash(int row) {
    return hashes[row];
  }

  /** The arguments of {@link Vector#CAPACITY} rows, from row {@code chunk · CAPACITY} on. */
  Vector[] chunk(int chunk) {
    return chunks.get(chunk);
  }

  /** Adds a row if its group is in the sample. */
  void add(long hash, Vector[] arguments, int i) {
    if (full || !takes(hash)) {
      return;
    }
    int group = find(hash);
    while (group < 0 || rows == most) {
      if (group < 0 && groups < MAX_GROUPS && rows < most) {
        group = enter(hash);
        break;
      }
      if (level == MAX_LEVEL || (rows == most && groups < LEAST_GROUPS)) {
        full = true;
        return;
      }
      thin();
      if (!takes(hash)) {
        return;
      }
      group = find(hash);
    }
    Vector[] chunk = chunkOf(rows, arguments);
    int at = rows % Vector.CAPACITY;
    for (int a : needed) {
      copy(arguments[a], i, chunk[a], at);
    }
    hashes[rows] = hash;
    epochOf[rows] = epoch;
    groupOf[rows++] = group;
  }

  private boolean takes(long hash) {
    return ((((hash ^ salt) * MULTIPLIER) >>> 32) & ((1L << level) - 1)) == 0;
  }

  private int find(long hash) {
    for (int at = place(hash); ; at = at + 1 & PLACES - 1) {
      if (places[at] < 0 || groupHashes[places[at]] == hash) {
        return places[at];
      }
    }
  }

  private int enter(long hash) {
    int at = place(hash);
    while (places[at] >= 0) {
      at = at + 1 & PLACES - 1;
    }
    groupHashes[groups] = hash;
    places[at] = groups;
    return groups++;
  }

  private static int place(long hash) {
    return (int) ((hash * MULTIPLIER) >>> 54);
  }

  /** Drops half of the groups. */
  private void thin() {
    level++;
    int before = rows;
    rows = 0;
    groups = 0;
    Arrays.fill(places, -1);
    for (int r = 0; r < before; r++) {
      if (!takes(hashes[r])) {
        continue;
      }
      int group = find(hashes[r]);
      Vector[] from = chunks.get(r / Vector.CAPACITY);
      Vector[] to = chunks.get(rows / Vector.CAPACITY);
      for (int a : needed) {
        copy(from[a], r % Vector.CAPACITY, to[a], rows % Vector.CAPACITY);
      }
      hashes[rows] = hashes[r];
      epochOf[rows] = epochOf[r];
      groupOf[rows++] = group >= 0 ? group : enter(hashes[r]);
    }
  }

  private Vector[] chunkOf(int row, Vector[] like) {
    int chunk = row / Vector.CAPACITY;
    if (chunk == chunks.size()) {
      Vector[] made = new Vector[like.length];
      for (int a : needed) {
        made[a] = new Vector(like[a].kind());
      }
      chunks.add(made);
    }
    return chunks.get(chunk);
  }

  private static void copy(Vector from, int i, Vector to, int at) {
    to.values()[at] = from.values()[i];
    if (from.high() != null) {
      to.requireHigh()[at] = from.high()[i];
    }
    if (from.texts() != null) {
      to.requireTexts()[at] = from.texts()[i];
    }
    long bit = 1L << at;
    long[] validity = to.validity();
    validity[at >>> 6] = from.isValid(i) ? validity[at >>> 6] | bit : validity[at >>> 6] & ~bit;
  }

  /** Prepares the vectors for reading; returns the number of chunks. */
  int settle() {
    int used = (rows + Vector.CAPACITY - 1) / Vector.CAPACITY;
    for (int c = 0; c < used; c++) {
      for (int a : needed) {
        chunks.get(c)[a].settleValidity(Math.min(Vector.CAPACITY, rows - c * Vector.CAPACITY));
      }
    }
    return used;
  }
}
