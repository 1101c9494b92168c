package org.flowmon.udaf.lowlevel;

import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.KeyColumns;
import org.flowmon.udaf.partial.StateSource;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A table of a fixed number of slots for the groups of queries with equal groupings, over their
 * panes. A group whose slot is taken tries a second slot. If that is taken too, the group in the
 * first slot is evicted as a partial state. The high level completes evicted groups: nothing is
 * lost or approximate. If few flows find their group, the table costs more than it saves: {@link
 * TableUse} then passes most flows on as groups of their own.
 *
 * <pre>
 *   a slot: | mark | key words … | state words … | scratchpads of functions … |
 *   mark: bit 63 set if the slot is used, epoch in bits 48 … 62, pane index in bits 16 … 47,
 *         mask of NULL keys in bits 0 … 15
 * </pre>
 *
 * <p>Rows first find their slots. Then each accumulator runs over a block of rows, while their
 * slots are still in the core's first cache. A group that is evicted in between must not miss rows
 * that have found it: the epoch of its mark tells whether there may be such rows, and only then the
 * accumulators run before the eviction. Slots lie in one array: a flow of a known group touches one
 * or two cache lines.
 */
final class LowLevelTable {
  /** Takes the groups that leave the table. */
  interface Evicted {
    /**
     * Takes a group.
     *
     * @param hash the stable hash of the keys that decide its key group
     * @param at start of its key words in {@code data}; its state follows
     * @param source its function states, found by {@code group}
     */
    void evict(
        Pane pane, long nulls, long hash, long[] data, int at, StateSource source, int group);
  }

  private static final long USED = 1L << 63;
  private static final int PANE_SHIFT = 16;
  private static final int EPOCH_SHIFT = 48;
  private static final int EPOCH_MASK = 0x7FFF;
  private static final long NOT_EPOCH = ~((long) EPOCH_MASK << EPOCH_SHIFT);
  // The most longs of a table whose functions have scratchpads: it gets fewer slots to fit.
  private static final int MAX_PAD_WORDS = 1 << 22;
  // Rows whose slots, a line or two each, are less than half of a core's first cache.
  private static final int BLOCK = 128;
  private static final long PANE_SPREAD = 0x9E3779B97F4A7C15L;

  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final KeyColumns keys;
  private final PaneSet panes;
  private final Evicted evicted;
  private final int keyWords;
  private final int stride;
  private final int mask;
  private final boolean secondChance;
  private final long[] data;
  // By selected row of the current vector: the start of its group's state.
  private final int[] places = new int[Vector.CAPACITY];
  private final TableUse use;
  // Null if no function has any.
  private final @Nullable LowLevelPads pads;
  private final StateSource allPads;
  // Of a group whose pad is full: that pad alone, without rows.
  private final StateSource fullPad;
  private final long[] emptied;
  private int fullFunction;
  // Rows that are passed on as groups: key words and state of each. Allocated on demand.
  private long[] passed = {};

  // Keeps the compiler from removing the reads of touch().
  @SuppressWarnings("unused")
  private long touched;

  private int cursor;
  private long epoch;
  private long evictions;
  private long rows;
  private int used;
  private int mostUsed;

  /**
   * A table without groups; fewer slots, a power of two, if pads are large; pads null: no
   * functions.
   *
   * @param secondChance whether a group whose slot is taken tries another
   */
  LowLevelTable(
      GroupLayout layout,
      KeyColumns keys,
      PaneSet panes,
      int slots,
      boolean secondChance,
      @Nullable LowLevelPads pads,
      Evicted evicted) {
    this.layout = layout;
    this.accumulation = new Accumulation(layout);
    this.keys = keys;
    this.panes = panes;
    this.secondChance = secondChance;
    this.evicted = evicted;
    this.keyWords = layout.keyWords();
    this.pads = pads;
    int padWords = pads == null ? 0 : pads.padWords();
    this.stride = 1 + keyWords + layout.stateWords() + padWords;
    this.allPads =
        pads == null ? StateSource.NONE : (f, state, sink) -> pads.output(f, data(), state, sink);
    this.fullPad =
        (f, state, sink) -> {
          if (pads != null && f == fullFunction) {
            pads.output(f, data(), state, sink);
          }
        };
    this.emptied = new long[keyWords + layout.stateWords()];
    int size = slotsWith(padWords, layout, slots);
    this.mask = size - 1;
    this.data = new long[Math.multiplyExact(size, stride)];
    this.use = new TableUse(size);
  }

  private long[] data() {
    return data;
  }

  /** The slots of a table whose groups have pads of so many words. */
  static int slotsWith(int padWords, GroupLayout layout, int slots) {
    long stride = 1L + layout.keyWords() + layout.stateWords() + padWords;
    int size = slots;
    while (padWords > 0 && size > 2 && size * stride > MAX_PAD_WORDS) {
      size /= 2;
    }
    return size;
  }

  int slots() {
    return mask + 1;
  }

  /** Rows that were added or passed on. */
  long rows() {
    return rows;
  }

  /** The most slots in use at a time, since the last call. */
  int takeMostUsed() {
    int most = mostUsed;
    mostUsed = used;
    return most;
  }

  long evictions() {
    return evictions;
  }

  /** Rows passed on without a lookup. */
  long passedRows() {
    return use.passed();
  }

  /** Adds rows whose keys the columns hold; {@code paneOf} null: all are of {@code pane}. */
  void add(Vector[] arguments, int[] selection, int n, Pane @Nullable [] paneOf, Pane pane) {
    rows += n;
    if (pads == null && use.passes(n)) {
      pass(arguments, selection, n, paneOf, pane);
      return;
    }
    nextEpoch();
    long evictedBefore = evictions;
    for (int from = 0; from < n; from += BLOCK) {
      int to = Math.min(n, from + BLOCK);
      int added =
          paneOf == null && keyWords == 2
              ? findPairs(arguments, selection, from, to, pane)
              : find(arguments, selection, from, to, paneOf, pane);
      accumulate(arguments, selection, added, to);
    }
    use.tried(n, evictions - evictedBefore);
    mostUsed = Math.max(mostUsed, used);
  }

  private void accumulate(Vector[] arguments, int[] selection, int from, int to) {
    accumulation.add(arguments, selection, from, to, data, places);
    if (pads != null) {
      pads.add(arguments, selection, from, to, data, places, this::sendPad);
    }
  }

  /** FLUSHME: sends a group's pad away as a group of its own, without rows. */
  private void sendPad(int function, int state) {
    int at = state - 1 - keyWords;
    System.arraycopy(data, at + 1, emptied, 0, keyWords);
    layout.reset(emptied, keyWords);
    fullFunction = function;
    long nulls = data[at] & 0xFFFF;
    long hash = keys.leadingHash(nulls, data, at + 1);
    evicted.evict(paneAt(at), nulls, hash, emptied, 0, fullPad, state);
  }

  /** Sends each of the rows away as a group of its own. */
  private void pass(
      Vector[] arguments, int[] selection, int n, Pane @Nullable [] paneOf, Pane pane) {
    int words = stride - 1;
    if (passed.length == 0) {
      passed = new long[Vector.CAPACITY * words];
    }
    for (int w = 0; w < keyWords; w++) {
      long[] column = keys.words[w];
      for (int r = 0, at = w; r < n; r++, at += words) {
        passed[at] = column[selection[r]];
      }
    }
    for (int r = 0, at = keyWords; r < n; r++, at += words) {
      layout.reset(passed, at);
      places[r] = at;
    }
    accumulation.add(arguments, selection, 0, n, passed, places);
    for (int r = 0, at = 0; r < n; r++, at += words) {
      int i = selection[r];
      long nulls = keys.nulls[i];
      long hash = keys.leadingHash(nulls, passed, at);
      evicted.evict(
          paneOf == null ? pane : paneOf[r], nulls, hash, passed, at, StateSource.NONE, 0);
    }
  }

  private void nextEpoch() {
    epoch = (epoch + (1L << EPOCH_SHIFT)) & ~NOT_EPOCH;
  }

  /** Reads the rows' first slots independently: memory latency is paid once, not per row. */
  private void touch(int[] selection, int from, int to, Pane @Nullable [] paneOf, Pane pane) {
    long sum = 0;
    for (int r = from; r < to; r++) {
      long hash = keys.hashes[selection[r]] ^ spread(paneOf == null ? pane : paneOf[r]);
      int at = ((int) hash & mask) * stride;
      places[r] = at;
      sum ^= data[at];
    }
    touched = sum;
  }

  /** Finds the rows' slots; returns how many of the rows their groups' states already include. */
  private int find(
      Vector[] arguments, int[] selection, int from, int to, Pane @Nullable [] paneOf, Pane pane) {
    touch(selection, from, to, paneOf, pane);
    int added = from;
    for (int r = from; r < to; r++) {
      int i = selection[r];
      Pane rowPane = paneOf == null ? pane : paneOf[r];
      long mark = mark(rowPane) | keys.nulls[i];
      long hash = keys.hashes[i] ^ spread(rowPane);
      int at = places[r];
      if (isGroup(at, mark, i)) {
        data[at] = mark | epoch;
      } else {
        int place = place(hash, at, mark, i);
        if (place < 0) {
          added = evict(at, arguments, selection, added, r);
          place = at;
        }
        claim(place, mark, i, rowPane);
        at = place;
      }
      places[r] = at + 1 + keyWords;
    }
    return added;
  }

  /** {@link #find} for the most common case: one address as key, and one pane. */
  private int findPairs(Vector[] arguments, int[] selection, int from, int to, Pane pane) {
    long[] high = keys.words[0];
    long[] low = keys.words[1];
    long[] nulls = keys.nulls;
    long[] hashes = keys.hashes;
    long[] slots = data;
    long paneMark = mark(pane);
    long spread = spread(pane);
    touchPairs(selection, from, to, spread);
    int added = from;
    for (int r = from; r < to; r++) {
      int i = selection[r];
      long mark = paneMark | nulls[i];
      long hash = hashes[i] ^ spread;
      int at = places[r];
      if (((slots[at] ^ mark) & NOT_EPOCH) == 0
          && slots[at + 2] == low[i]
          && slots[at + 1] == high[i]) {
        slots[at] = mark | epoch;
      } else {
        int place = place(hash, at, mark, i);
        if (place < 0) {
          added = evict(at, arguments, selection, added, r);
          place = at;
        }
        claim(place, mark, i, pane);
        at = place;
      }
      places[r] = at + 3;
    }
    return added;
  }

  private void touchPairs(int[] selection, int from, int to, long spread) {
    long[] hashes = keys.hashes;
    long[] slots = data;
    long sum = 0;
    for (int r = from; r < to; r++) {
      int at = ((int) (hashes[selection[r]] ^ spread) & mask) * stride;
      places[r] = at;
      sum ^= slots[at];
    }
    touched = sum;
  }

  private static long mark(Pane pane) {
    return USED | (long) pane.index << PANE_SHIFT;
  }

  /** Separates the slots of one group in different panes. */
  static long spread(Pane pane) {
    return pane.index * PANE_SPREAD;
  }

  private boolean isGroup(int at, long mark, int i) {
    if (((data[at] ^ mark) & NOT_EPOCH) != 0) {
      return false;
    }
    for (int w = 0; w < keyWords; w++) {
      if (data[at + 1 + w] != keys.words[w][i]) {
        return false;
      }
    }
    return true;
  }

  /** For a group not in its first slot: that if free, else the second if free or its own, or −1. */
  private int place(long hash, int first, long mark, int i) {
    if (data[first] == 0) {
      return first;
    }
    if (!secondChance) {
      return -1;
    }
    int second = ((int) (hash >>> 32) & this.mask) * stride;
    return data[second] == 0 || isGroup(second, mark, i) ? second : -1;
  }

  private void claim(int at, long mark, int i, Pane pane) {
    boolean free = data[at] == 0;
    data[at] = mark | epoch;
    if (free) {
      for (int w = 0; w < keyWords; w++) {
        data[at + 1 + w] = keys.words[w][i];
      }
      layout.reset(data, at + 1 + keyWords);
      if (pads != null) {
        pads.initialize(data, at + 1 + keyWords);
      }
      pane.slots++;
      used++;
    }
  }

  /**
   * Evicts the group of a slot for another; {@code added} of the {@code found} rows are in their
   * groups' states. Returns how many are now.
   */
  private int evict(int at, Vector[] arguments, int[] selection, int added, int found) {
    int done = added;
    if ((data[at] & ~NOT_EPOCH) == epoch) {
      accumulate(arguments, selection, added, found);
      nextEpoch();
      done = found;
    }
    evictions++;
    release(at, paneAt(at));
    return done;
  }

  private Pane paneAt(int at) {
    return panes.byIndex((int) (data[at] >>> PANE_SHIFT));
  }

  private void release(int at, Pane pane) {
    long nulls = data[at] & 0xFFFF;
    int state = at + 1 + keyWords;
    long hash = keys.leadingHash(nulls, data, at + 1);
    evicted.evict(pane, nulls, hash, data, at + 1, allPads, state);
    if (pads != null) {
      pads.destroy(data, state);
    }
    data[at] = 0;
    pane.slots--;
    used--;
  }

  void clear() {
    for (int at = 0; at < data.length; at += stride) {
      if (data[at] != 0) {
        paneAt(at).slots--;
        if (pads != null) {
          pads.destroy(data, at + 1 + keyWords);
        }
        data[at] = 0;
      }
    }
    used = 0;
  }

  void drainAll() {
    drain(slots(), true);
  }

  /** Scans slots from the last position on; evicts groups of closed panes, or all groups. */
  void drain(int slots, boolean all) {
    for (int s = Math.min(slots, slots()); s > 0; s--) {
      int at = cursor * stride;
      cursor = (cursor + 1) & mask;
      if (data[at] != 0) {
        Pane pane = paneAt(at);
        if (all || pane.closed) {
          release(at, pane);
        }
      }
    }
  }
}
