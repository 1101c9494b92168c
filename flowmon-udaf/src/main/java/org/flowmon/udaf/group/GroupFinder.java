package org.flowmon.udaf.group;

import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Finds and adds groups of a {@link GroupTable} by their keys: {@link KeyColumns} hash keys, the
 * {@link GroupIndex} has groups by hash, {@link GroupWords} compare the keys. Not thread-safe.
 */
final class GroupFinder {
  private final GroupLayout layout;
  private final TextDictionary texts;
  private final KeyColumns keys;
  private final GroupIndex index;
  private final GroupWords words;
  // Null if all groups are kept, however many.
  private final @Nullable GroupSample sample;
  private final long[][] oneRow;
  private boolean isUnindexed;

  /**
   * Finds groups, sampled by leading keys, among words that are still empty; {@code sample} is told
   * of added ones, may be null. Texts and the index take the memory before they grow.
   */
  GroupFinder(
      GroupLayout layout,
      int leadingKeys,
      GroupWords words,
      @Nullable GroupSample sample,
      MemoryDraw memory) {
    this.layout = layout;
    this.texts = new TextDictionary(memory);
    this.index = new GroupIndex(memory);
    this.keys = new KeyColumns(layout, texts, leadingKeys);
    this.words = words;
    this.sample = sample;
    this.oneRow = new long[layout.keyWords()][1];
  }

  TextDictionary texts() {
    return texts;
  }

  KeyColumns keys() {
    return keys;
  }

  /** Finds or adds the groups of n ≥ 1 rows, in ascending places of the keys' vectors. */
  void find(Vector[] of, int[] selection, int n, int[] groups) {
    keys.load(of, selection[n - 1] + 1);
    if (index.isLarge()) {
      for (int r = 0; r < n; r++) {
        groups[r] = index.likely(keys.hashes[selection[r]]);
      }
      words.touch(groups, n);
    }
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      groups[r] = findOrAdd(keys.hashes[i], keys.nulls[i], keys.words, i);
    }
  }

  void find(long[] nulls, long[][] columns, long[] hashes, int n, int[] groups) {
    if (index.isLarge()) {
      for (int i = 0; i < n; i++) {
        groups[i] = index.likely(hashes[i]);
      }
      words.touch(groups, n);
    }
    for (int i = 0; i < n; i++) {
      groups[i] = findOrAdd(hashes[i], nulls[i], columns, i);
    }
  }

  /** Finds or adds the group with the keys of a group of another table of the same layout. */
  int findOrAdd(GroupFinder other, int group) {
    long nulls = other.words.nulls(group);
    keysOf(other, group);
    return findOrAdd(keys.hash(nulls, oneRow, 0), nulls, oneRow, 0);
  }

  boolean contains(GroupFinder other, int group) {
    long nulls = other.words.nulls(group);
    keysOf(other, group);
    return find(keys.hash(nulls, oneRow, 0), nulls, oneRow, 0) >= 0;
  }

  /** Finds or adds the group of the other table's first keys, which are this table's keys. */
  int findFirstKeys(GroupFinder other, int group) {
    long nulls = other.words.nulls(group) & ((1L << layout.keys().size()) - 1);
    keysOf(other, group);
    return findOrAdd(keys.hash(nulls, oneRow, 0), nulls, oneRow, 0);
  }

  /** Finds or adds the group of some of the other table's keys, by place. */
  int findKeys(GroupFinder other, int group, int[] places) {
    long nulls = 0;
    long[] from = other.words.all();
    for (int k = 0; k < places.length; k++) {
      nulls |= (other.words.nulls(group) >>> places[k] & 1) << k;
      int at = other.words.keyAt(group, places[k]);
      int word = layout.keyWord(k);
      boolean isText = layout.keyKind(k) == ValueKind.TEXT;
      oneRow[word][0] = isText ? texts.number(other.texts.text(from[at])) : from[at];
      if (layout.keyKind(k) == ValueKind.ADDRESS) {
        oneRow[word + 1][0] = from[at + 1];
      }
    }
    return findOrAdd(keys.hash(nulls, oneRow, 0), nulls, oneRow, 0);
  }

  /** Copies the keys into the one row, with this table's numbers for texts. */
  private void keysOf(GroupFinder other, int group) {
    other.words.readKeys(group, oneRow);
    for (int k = 0; k < layout.keys().size() && keys.hasTexts(); k++) {
      if (layout.keyKind(k) == ValueKind.TEXT) {
        long[] word = oneRow[layout.keyWord(k)];
        word[0] = texts.number(other.texts.text(word[0]));
      }
    }
  }

  private int findOrAdd(long hash, long nulls, long[][] columns, int row) {
    if (isUnindexed) {
      throw new IllegalStateException(
          "groups cannot be found in a table that took over others' groups");
    }
    int group = find(hash, nulls, columns, row);
    return group >= 0 ? group : add(hash, nulls, columns, row);
  }

  /** The group of these keys, −1 if there is none. */
  private int find(long hash, long nulls, long[][] columns, int row) {
    index.seek(hash);
    for (int group = index.next(); group >= 0; group = index.next()) {
      if (words.is(group, nulls, columns, row)) {
        return group;
      }
    }
    return -1;
  }

  private int add(long hash, long nulls, long[][] columns, int row) {
    int group = words.add(nulls, columns, row);
    index.add(hash, group);
    if (sample != null) {
      sample.added(keys.leadingHash(nulls, columns, row));
    }
    return group;
  }

  void addGroupOfNoKeys() {
    add(keys.hash(0, oneRow, 0), 0, oneRow, 0);
  }

  /** Allows groups without an index entry: from now on none is found. */
  void giveUp() {
    if (keys.hasTexts()) {
      throw new IllegalArgumentException("a table with text keys cannot take over groups");
    }
    isUnindexed = true;
  }

  long leadingHash(int group) {
    return keys.leadingHash(words.nulls(group), words.all(), words.keysAt(group));
  }

  byte[] levels() {
    byte[] levels = new byte[words.size()];
    for (int g = 0; g < levels.length; g++) {
      levels[g] = (byte) GroupSample.levelOf(leadingHash(g));
    }
    return levels;
  }

  long displacement() {
    return index.displacement();
  }

  void clear() {
    isUnindexed = false;
    index.clear();
  }

  long heapBytes() {
    return index.heapBytes() + texts.heapBytes();
  }
}
