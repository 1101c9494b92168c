package org.flowmon.udaf.table;

import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.ValueKind;

/** Merges the columns of partial groups into a table, some groups at a time. */
final class PartialMerge {
  private static final int CHUNK = 256;

  private final GroupLayout layout;
  private final TextDictionary texts;
  private final long[] nulls = new long[CHUNK];
  private final long[] hashes = new long[CHUNK];
  private final long[][] keys;
  private final long[][] states;
  private final long[] state;

  PartialMerge(GroupLayout layout, TextDictionary texts) {
    this.layout = layout;
    this.texts = texts;
    this.keys = new long[layout.keyWords()][CHUNK];
    this.states = new long[layout.stateWords()][CHUNK];
    this.state = new long[layout.stateWords()];
  }

  void into(GroupTable table, PartialGroups groups) {
    check(groups);
    for (int from = 0; from < groups.groups(); from += CHUNK) {
      int count = Math.min(CHUNK, groups.groups() - from);
      read(groups, from, count);
      for (int i = 0; i < count; i++) {
        for (int w = 0; w < states.length; w++) {
          state[w] = states[w][i];
        }
        table.mergeGroup(nulls[i], keys, i, hashes[i], state);
      }
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

  private void read(PartialGroups groups, int from, int count) {
    groups.readWords(0, from, count, nulls);
    for (int w = 0; w < keys.length; w++) {
      if (groups.isText(1 + w)) {
        readTexts(groups, from, count, w);
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
      hashes[i] = hash(i);
    }
  }

  private void readTexts(PartialGroups groups, int from, int count, int word) {
    int key = 0;
    while (layout.keyWord(key) != word) {
      key++;
    }
    for (int i = 0; i < count; i++) {
      boolean isNull = (nulls[i] >>> key & 1) != 0;
      keys[word][i] = isNull ? 0 : texts.number(groups.text(1 + word, from + i));
    }
  }

  private long hash(int i) {
    long hash = GroupHash.SEED;
    for (int k = 0; k < layout.keys().size(); k++) {
      int word = layout.keyWord(k);
      switch (layout.keyKind(k)) {
        case ADDRESS -> hash = GroupHash.mix(GroupHash.mix(hash, keys[word][i]), keys[word + 1][i]);
        case TEXT -> hash = GroupHash.mix(hash, texts.hash(keys[word][i]));
        default -> hash = GroupHash.mix(hash, keys[word][i]);
      }
    }
    return GroupHash.finish(nulls[i] == 0 ? hash : GroupHash.mix(hash, nulls[i]));
  }
}
