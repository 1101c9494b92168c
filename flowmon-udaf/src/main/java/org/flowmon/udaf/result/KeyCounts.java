package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupIndex;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.LimitBy;
import org.flowmon.udaf.value.ValueKind;

/** Counts the groups of a table by the values of some keys: for LIMIT … BY. */
final class KeyCounts {
  private final GroupTable table;
  // Of the keys, in a group's words.
  private final int[] words;
  private final long nulls;
  private final GroupIndex index = new GroupIndex(new MemoryDraw(null));
  // By number of a combination of values: a group with it, and the count of its groups.
  private int[] groups = new int[64];
  private long[] counts = new long[64];
  private int size;

  KeyCounts(GroupTable table, List<Expression> keys, LimitBy limitBy) {
    this.table = table;
    GroupLayout layout = table.layout();
    int[] places = new int[layout.keyWords()];
    int n = 0;
    long mask = 0;
    for (int k = 0; k < keys.size(); k++) {
      if (limitBy.keys().contains(keys.get(k))) {
        mask |= 1L << k;
        places[n++] = 1 + layout.keyWord(k);
        if (layout.keyKind(k) == ValueKind.ADDRESS) {
          places[n++] = 2 + layout.keyWord(k);
        }
      }
    }
    this.words = Arrays.copyOf(places, n);
    this.nulls = mask;
  }

  /** Counts a group; returns the number of counted groups with the same values. */
  long count(int group) {
    long[] data = table.words();
    int at = group * table.stride();
    long sum = TableHash.addNulls(TableHash.start(), data[at] & nulls);
    for (int w = 0; w < words.length; w++) {
      sum = TableHash.add(sum, w, data[at + words[w]]);
    }
    long hash = TableHash.finish(sum);
    index.seek(hash);
    for (int i = index.next(); i >= 0; i = index.next()) {
      if (isSame(data, at, groups[i] * table.stride())) {
        return ++counts[i];
      }
    }
    if (size == groups.length) {
      groups = Arrays.copyOf(groups, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
    }
    groups[size] = group;
    counts[size] = 1;
    index.add(hash, size++);
    return 1;
  }

  private boolean isSame(long[] data, int a, int b) {
    if (((data[a] ^ data[b]) & nulls) != 0) {
      return false;
    }
    for (int word : words) {
      if (data[a + word] != data[b + word]) {
        return false;
      }
    }
    return true;
  }
}
