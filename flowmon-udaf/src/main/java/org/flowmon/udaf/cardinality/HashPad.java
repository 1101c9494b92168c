package org.flowmon.udaf.cardinality;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * The low halves: a table of rows' hashes, optionally with row counts, full after {@link #PROBES}
 * failed probes. A slot of hash 0 is empty.
 *
 * <pre>
 *   0      1
 *   +------+-----------------------+
 *   | used | slots: hash [, rows]  |
 *   +------+-----------------------+
 * </pre>
 */
final class HashPad implements SubAggregate {
  static final int CAPACITY = 128;
  static final int PROBES = 8;

  private static final int SLOTS = 1;

  private final boolean counted;
  private final int stride;

  HashPad(boolean counted) {
    this.counted = counted;
    this.stride = counted ? 2 : 1;
  }

  @Override
  public int words() {
    return SLOTS + CAPACITY * stride;
  }

  @Override
  public void initialize(long[] pads, int at) {
    Arrays.fill(pads, at, at + words(), 0);
  }

  @Override
  public int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (RowHash.hasNull(arguments, i)) {
        continue;
      }
      long hash = RowHash.of(arguments, i);
      if (!add(pads, places[r] + word, counted ? SampledValues.sampleHash(hash) : hash)) {
        return r;
      }
    }
    return to;
  }

  private boolean add(long[] pads, int at, long hash) {
    // hashes of rows are no secret: rows may be chosen to collide
    int first = (int) TableHash.of(hash);
    for (int probe = 0; probe < PROBES; probe++) {
      int place = at + SLOTS + (first + probe & CAPACITY - 1) * stride;
      if (pads[place] == 0) {
        pads[place] = hash;
        pads[at]++;
      }
      if (pads[place] == hash) {
        if (counted) {
          pads[place + 1]++;
        }
        return true;
      }
    }
    return false;
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    if (pads[at] != 0) {
      int from = at + SLOTS;
      int to = at + words();
      if (counted) {
        DistinctBytes.writeCounted(pads, from, to, sink);
      } else {
        DistinctBytes.writeHashes(pads, from, to, sink);
      }
    }
  }
}
