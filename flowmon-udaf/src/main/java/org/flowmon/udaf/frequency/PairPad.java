package org.flowmon.udaf.frequency;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.PairBytes;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * The low halves of (item, weight) pairs ("Holistic UDAFs at Streaming Speeds", section 4.2): in
 * order of arrival, or hashed, to be flushed after {@link #PROBES} failed probes.
 *
 * <pre>
 *   0      1         2
 *   +------+---------+-----------------------------------------+
 *   | used | refused | slots: [high of an address] low, weight |   weight 0: empty
 *   +------+---------+-----------------------------------------+
 * </pre>
 */
final class PairPad implements SubAggregate {
  /** Probes before the table counts as full. */
  static final int PROBES = 8;

  private static final int USED = 0;
  private static final int REFUSED = 1;
  private static final int SLOTS = 2;

  /** The arrangement of pairs. */
  enum Layout {
    /** In order of arrival; equal items stay apart. */
    BUFFER,
    /** Written with its empty slots. */
    HASH,
    /** Written without its empty slots. */
    COMPRESS
  }

  private final Layout layout;
  private final boolean ofAddresses;
  private final boolean weighted;
  private final int capacity;
  private final int stride;

  /** Not {@code weighted}: each row weighs 1; {@code capacity} is a power of two from 8. */
  PairPad(Layout layout, boolean ofAddresses, boolean weighted, int capacity) {
    if (capacity < PROBES || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("a table of " + capacity + " pairs");
    }
    this.layout = layout;
    this.ofAddresses = ofAddresses;
    this.weighted = weighted;
    this.capacity = capacity;
    this.stride = ofAddresses ? 3 : 2;
  }

  @Override
  public int words() {
    return SLOTS + capacity * stride;
  }

  @Override
  public void initialize(long[] pads, int at) {
    // A buffer's slots beyond its number of pairs are ignored.
    Arrays.fill(pads, at, at + (layout == Layout.BUFFER ? SLOTS : words()), 0);
  }

  @Override
  public int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
    Vector items = arguments[0];
    Vector weights = weighted ? arguments[1] : null;
    boolean allValid = items.allValid() && (weights == null || weights.allValid());
    long[] low = items.values();
    long[] high = items.high();
    long[] by = weights == null ? null : weights.values();
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (!allValid && !(items.isValid(i) && (weights == null || weights.isValid(i)))) {
        continue;
      }
      int at = places[r] + word;
      long weight = by == null ? 1 : by[i];
      if (weight <= 0) {
        pads[at + REFUSED] += weight >>> 63;
      } else if (!add(pads, at, high == null ? 0 : high[i], low[i], weight)) {
        return r;
      }
    }
    return to;
  }

  boolean add(long[] pads, int at, long high, long low, long weight) {
    if (layout == Layout.BUFFER) {
      return append(pads, at, high, low, weight);
    }
    return ofAddresses ? addAddress(pads, at, high, low, weight) : addNumber(pads, at, low, weight);
  }

  private boolean append(long[] pads, int at, long high, long low, long weight) {
    int used = (int) pads[at + USED];
    if (used == capacity) {
      return false;
    }
    int slot = at + SLOTS + used * stride;
    if (ofAddresses) {
      pads[slot++] = high;
    }
    pads[slot] = low;
    pads[slot + 1] = weight;
    pads[at + USED] = used + 1L;
    return true;
  }

  private boolean addNumber(long[] pads, int at, long number, long weight) {
    int slot = (int) TableHash.of(number);
    for (int probe = 0; probe < PROBES; probe++) {
      int place = at + SLOTS + (slot + probe & capacity - 1) * 2;
      long old = pads[place + 1];
      if (old == 0) {
        pads[place] = number;
        pads[place + 1] = weight;
        pads[at + USED]++;
        return true;
      }
      if (pads[place] == number) {
        pads[place + 1] = ItemKey.plus(old, weight);
        return true;
      }
    }
    return false;
  }

  private boolean addAddress(long[] pads, int at, long high, long low, long weight) {
    int slot = (int) TableHash.of(high, low);
    for (int probe = 0; probe < PROBES; probe++) {
      int place = at + SLOTS + (slot + probe & capacity - 1) * 3;
      long old = pads[place + 2];
      if (old == 0) {
        pads[place] = high;
        pads[place + 1] = low;
        pads[place + 2] = weight;
        pads[at + USED]++;
        return true;
      }
      if (pads[place + 1] == low && pads[place] == high) {
        pads[place + 2] = ItemKey.plus(old, weight);
        return true;
      }
    }
    return false;
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    int used = (int) pads[at + USED];
    long refused = pads[at + REFUSED];
    if (used == 0 && refused == 0) {
      return;
    }
    boolean asItIs = layout == Layout.HASH && used > 0;
    int slots = layout == Layout.BUFFER ? used : used == 0 ? 0 : capacity;
    int first = at + SLOTS;
    PairBytes.write(
        pads,
        first,
        first + slots * stride,
        ofAddresses,
        asItIs,
        refused,
        asItIs ? slots : used,
        sink);
  }
}
