package org.flowmon.udaf.table;

import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.ValueKind;

/**
 * Merges the columns of partial groups into tables of one layout, some groups at a time. Tables may
 * share one: its memory is larger than that of a table with few groups. Not thread-safe.
 */
final class PartialMerge {
  private static final int CHUNK = 256;

  private final GroupLayout layout;
  private final long[] nulls = new long[CHUNK];
  private final long[] hashes = new long[CHUNK];
  private final long[][] keys;
  private final long[][] states;
  private final int[] places = new int[CHUNK];

  PartialMerge(GroupLayout layout) {
    this.layout = layout;
    this.keys = new long[layout.keyWords()][CHUNK];
    this.states = new long[layout.stateWords()][CHUNK];
  }

  void into(GroupTable table, PartialGroups groups) {
    check(groups);
    for (int from = 0; from < groups.groups(); from += CHUNK) {
      int count = Math.min(CHUNK, groups.groups() - from);
      read(groups, table.texts(), from, count);
      table.keyColumns().hash(nulls, keys, count, hashes);
      int kept = table.keep(nulls, keys, hashes, states, count);
      table.mergeColumns(nulls, keys, hashes, states, places, kept);
    }
  }

  /** Takes over groups that are certain not to be in the table, as {@link GroupTable#append}. */
  void append(GroupTable table, PartialGroups groups) {
    check(groups);
    for (int from = 0; from < groups.groups(); from += CHUNK) {
      int count = Math.min(CHUNK, groups.groups() - from);
      read(groups, table.texts(), from, count);
      table.appendColumns(nulls, keys, states, count);
    }
  }

  private void check(PartialGroups groups) {
    if (groups.fingerprint() != layout.fingerprint()
        || groups.columns() != 1 + layout.keyWords() + layout.stateWords()) {
      throw new PartialFormatException(
          "partial groups of query "
              + groups.queryId()
              + " with "
              + groups.columns()
              + " columns are made otherwise than the query's groups, which have "
              + (1 + layout.keyWords() + layout.stateWords()));
    }
    for (int c = 0; c < groups.columns(); c++) {
      if (groups.isText(c) != isTextColumn(c)) {
        throw new PartialFormatException(
            "column "
                + c
                + " holds "
                + (groups.isText(c) ? "texts" : "words")
                + ", expected the contrary");
      }
    }
  }

  private boolean isTextColumn(int column) {
    for (int k = 0; k < layout.keys().size(); k++) {
      if (layout.keyKind(k) == ValueKind.TEXT && 1 + layout.keyWord(k) == column) {
        return true;
      }
    }
    return false;
  }

  private void read(PartialGroups groups, TextDictionary texts, int from, int count) {
    groups.readWords(0, from, count, nulls);
    for (int w = 0; w < keys.length; w++) {
      if (groups.isText(1 + w)) {
        readTexts(groups, texts, from, count, w);
      } else {
        groups.readWords(1 + w, from, count, keys[w]);
      }
    }
    for (int w = 0; w < states.length; w++) {
      groups.readWords(1 + keys.length + w, from, count, states[w]);
    }
    long unknown = -1L << layout.keys().size();
    for (int i = 0; i < count; i++) {
      if ((nulls[i] & unknown) != 0) {
        throw new PartialFormatException(
            "group " + (from + i) + " has NULL keys that the query has not");
      }
    }
  }

  private void readTexts(
      PartialGroups groups, TextDictionary texts, int from, int count, int word) {
    int key = 0;
    while (layout.keyWord(key) != word) {
      key++;
    }
    for (int i = 0; i < count; i++) {
      boolean isNull = (nulls[i] >>> key & 1) != 0;
      keys[word][i] = isNull ? 0 : texts.number(groups.text(1 + word, from + i));
    }
  }
}
