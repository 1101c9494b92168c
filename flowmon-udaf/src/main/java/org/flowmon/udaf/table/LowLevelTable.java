package org.flowmon.udaf.table;

import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.Vector;

/**
 * A table of a fixed number of slots for the groups of one query over its panes. A group whose slot
 * is taken gets a second chance at another; where that is taken too, the group in the first slot is
 * ejected as a partial state. What is ejected is completed at the high level, so that nothing is
 * lost and nothing is approximate.
 *
 * <pre>
 *   a slot: | mark | key words … | state words … |
 *   mark: bit 63 set where the slot is used, pane index in bits 16 … 47, mask of NULL keys in bits 0 … 15
 * </pre>
 *
 * <p>Slots lie one after the other in one array: a flow of a known group touches one or two cache
 * lines.
 */
final class LowLevelTable {
  /** Takes what leaves the table. */
  interface Ejected {
    /**
     * Takes a group.
     *
     * @param at where its key words begin in {@code data}, its state right behind
     */
    void eject(Pane pane, long nulls, long hash, long[] data, int at);
  }

  private static final long USED = 1L << 63;
  private static final int PANE_SHIFT = 16;
  private static final long PANE_SPREAD = 0x9E3779B97F4A7C15L;

  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final TextDictionary texts;
  private final PaneSet panes;
  private final Ejected ejected;
  private final int keyWords;
  private final int stride;
  private final int mask;
  private final long[] data;
  // By selected row of the vector at hand: where its group's state begins.
  private final int[] places = new int[Vector.CAPACITY];
  private int cursor;
  private long evictions;

  LowLevelTable(
      GroupLayout layout, TextDictionary texts, PaneSet panes, int slots, Ejected ejected) {
    this.layout = layout;
    this.accumulation = new Accumulation(layout);
    this.texts = texts;
    this.panes = panes;
    this.ejected = ejected;
    this.keyWords = layout.keyWords();
    this.stride = 1 + keyWords + layout.stateWords();
    int size = Math.max(2, Integer.highestOneBit(2 * slots - 1));
    this.mask = size - 1;
    this.data = new long[Math.multiplyExact(size, stride)];
  }

  int slots() {
    return mask + 1;
  }

  long evictions() {
    return evictions;
  }

  /**
   * Adds the selected rows of a vector.
   *
   * @param paneOf each selected row's pane; null where {@code pane} is that of all
   */
  void add(KeyColumns keys, Vector[] arguments, int[] selection, int n, Pane[] paneOf, Pane pane) {
    if (paneOf == null && keyWords == 2) {
      addPairs(keys, arguments, selection, n, pane);
      return;
    }
    int done = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      Pane rowPane = paneOf == null ? pane : paneOf[r];
      long mark = mark(rowPane, keys.nulls[i]);
      long hash = slotHash(keys.hashes[i], rowPane);
      int at = ((int) hash & mask) * stride;
      if (!isGroup(at, mark, keys, i)) {
        int second = second(hash, at, mark, keys, i);
        if (second < 0) {
          // The ejected group's rows so far are to be in its state.
          accumulation.add(arguments, selection, done, r, data, places);
          done = r;
          evict(at);
        }
        at = second < 0 ? at : second;
        claim(at, mark, keys, i, rowPane);
      }
      places[r] = at + 1 + keyWords;
    }
    accumulation.add(arguments, selection, done, n, data, places);
  }

  /**
   * As {@link #add} for the commonest case: the key is one address and all rows are of one pane.
   */
  private void addPairs(KeyColumns keys, Vector[] arguments, int[] selection, int n, Pane pane) {
    long[] high = keys.words[0];
    long[] low = keys.words[1];
    long[] nulls = keys.nulls;
    long[] hashes = keys.hashes;
    long paneMark = mark(pane, 0);
    long spread = slotHash(0, pane);
    int done = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      long mark = paneMark | nulls[i];
      long hash = hashes[i] ^ spread;
      int at = ((int) hash & mask) * stride;
      if (data[at] != mark || data[at + 2] != low[i] || data[at + 1] != high[i]) {
        int second = second(hash, at, mark, keys, i);
        if (second < 0) {
          accumulation.add(arguments, selection, done, r, data, places);
          done = r;
          evict(at);
        }
        at = second < 0 ? at : second;
        claim(at, mark, keys, i, pane);
      }
      places[r] = at + 3;
    }
    accumulation.add(arguments, selection, done, n, data, places);
  }

  private static long mark(Pane pane, long nulls) {
    return USED | (long) pane.index << PANE_SHIFT | nulls;
  }

  private static long slotHash(long hash, Pane pane) {
    return hash ^ (pane.index * PANE_SPREAD);
  }

  private boolean isGroup(int at, long mark, KeyColumns keys, int i) {
    if (data[at] != mark) {
      return false;
    }
    for (int w = 0; w < keyWords; w++) {
      if (data[at + 1 + w] != keys.words[w][i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Where a group that is not in its first slot goes: the first where it is free, else the second
   * where it is the group's or free, −1 where both are taken.
   */
  private int second(long hash, int first, long mark, KeyColumns keys, int i) {
    if (data[first] == 0) {
      return first;
    }
    int second = ((int) (hash >>> 32) & mask) * stride;
    return data[second] == 0 || isGroup(second, mark, keys, i) ? second : -1;
  }

  /** Makes a free slot the group's. */
  private void claim(int at, long mark, KeyColumns keys, int i, Pane pane) {
    if (data[at] != 0) {
      return;
    }
    data[at] = mark;
    for (int w = 0; w < keyWords; w++) {
      data[at + 1 + w] = keys.words[w][i];
    }
    layout.reset(data, at + 1 + keyWords);
    pane.slots++;
  }

  private void evict(int at) {
    evictions++;
    eject(at, panes.byIndex((int) (data[at] >>> PANE_SHIFT)));
  }

  private void eject(int at, Pane pane) {
    long nulls = data[at] & 0xFFFF;
    long hash = KeyColumns.hash(layout, texts, nulls, data, at + 1);
    ejected.eject(pane, nulls, hash, data, at + 1);
    data[at] = 0;
    pane.slots--;
  }

  /**
   * Looks at some slots, from where it last stopped, and ejects groups of closed panes, or of all.
   */
  void drain(int slots, boolean all) {
    for (int s = 0; s < slots; s++) {
      int at = cursor * stride;
      cursor = (cursor + 1) & mask;
      if (data[at] != 0) {
        Pane pane = panes.byIndex((int) (data[at] >>> PANE_SHIFT));
        if (all || pane.closed) {
          eject(at, pane);
        }
      }
    }
  }
}
