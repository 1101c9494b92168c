package org.flowmon.udaf.tuning;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.vector.Vector;

/**
 * All rows of some groups, of the rows that a table takes during some epochs: what low halves are
 * tried with. A group is in it or not by its hash, so that each has its rows in their order and as
 * many of them as in the table. Where there are too many groups, half of them are left out, again
 * and again; so are some where there are too many rows, as long as a number of groups remains. Of
 * fixed size, but for vectors that are made when they are first needed and kept. Not thread-safe.
 */
final class LowHalfSample {
  static final int MAX_ROWS = 1 << 15;
  static final int MAX_GROUPS = 256;

  private static final int LEAST_GROUPS = 32;
  private static final int MAX_LEVEL = 24;
  private static final int PLACES = 4 * MAX_GROUPS;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  // The arguments that functions need, places among those of the table.
  private final int[] needed;
  // By chunk of Vector.CAPACITY rows, then by argument; null where it is not needed.
  private final List<Vector[]> chunks = new ArrayList<>();
  private final long[] hashes = new long[MAX_ROWS];
  private final int[] groupOf = new int[MAX_ROWS];
  private final byte[] epochOf = new byte[MAX_ROWS];
  // Hashes of groups by number, and where to find these.
  private final long[] groupHashes = new long[MAX_GROUPS];
  private final int[] places = new int[PLACES];
  private int most;
  private int rows;
  private int groups;
  private int level;
  private byte epoch;
  private long salt;
  private boolean full;

  /**
   * An empty sample.
   *
   * @param needed places of arguments, each once
   */
  LowHalfSample(int... needed) {
    this.needed = needed.clone();
    clear(0, MAX_ROWS);
  }

  /**
   * Begins anew.
   *
   * @param with another one chooses other groups
   * @param mostRows that it takes, at most {@link #MAX_ROWS}
   */
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

  /** Rows that it has. */
  int rows() {
    return rows;
  }

  /** Groups that it has. */
  int groups() {
    return groups;
  }

  /** Of 2 to this power groups one is in it. */
  int level() {
    return level;
  }

  /** Whether it takes no more rows: few groups have all the room. */
  boolean isFull() {
    return full;
  }

  /** All groups leave the table between the rows so far and those to come. */
  void endEpoch() {
    epoch++;
  }

  /** Rows with the same number are of one epoch. */
  int epoch(int row) {
    return epochOf[row];
  }

  /** Number of a row's group among those of the sample. */
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

  /** Takes a row, where it is of one of its groups. */
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

  /** Leaves half of the groups out. */
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
      to.high()[at] = from.high()[i];
    }
    if (from.texts() != null) {
      to.texts()[at] = from.texts()[i];
    }
    long bit = 1L << at;
    long[] validity = to.validity();
    validity[at >>> 6] = from.isValid(i) ? validity[at >>> 6] | bit : validity[at >>> 6] & ~bit;
  }

  /** Makes the vectors ready to be read; returns how many chunks there are. */
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
