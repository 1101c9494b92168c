package org.flowmon.udaf.partial;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.value.ValueKind;

/**
 * Merges the columns of partial groups into tables of one layout, in blocks of groups. Not
 * thread-safe.
 */
public final class PartialMerge {
  private static final int CHUNK = 256;

  private final GroupLayout layout;
  private final long[] nulls;
  private final long[] hashes;
  private final long[][] keys;
  private final long[][] states;
  private final int[] places;
  private final int[] from;
  private final int functions;

  /**
   * A block of groups. Whatever merges in turn shares one, which then stays in a core's caches: it
   * is larger than many a table.
   */
  public static final class Scratch {
    private final long[] nulls = new long[CHUNK];
    private final long[] hashes = new long[CHUNK];
    private final int[] places = new int[CHUNK];
    private final int[] from = new int[CHUNK];
    private final List<long[]> columns = new ArrayList<>();

    private long[][] columns(int first, int count) {
      while (columns.size() < first + count) {
        columns.add(new long[CHUNK]);
      }
      return columns.subList(first, first + count).toArray(new long[0][]);
    }
  }

  public PartialMerge(GroupLayout layout) {
    this(layout, new Scratch());
  }

  public PartialMerge(GroupLayout layout, Scratch scratch) {
    this.layout = layout;
    this.nulls = scratch.nulls;
    this.hashes = scratch.hashes;
    this.places = scratch.places;
    this.from = scratch.from;
    this.keys = scratch.columns(0, layout.keyWords());
    this.states = scratch.columns(layout.keyWords(), layout.stateWords());
    this.functions = layout.functions().size();
  }

  public void into(GroupTable table, PartialGroups groups) {
    check(groups);
    for (int first = 0; first < groups.groups(); first += CHUNK) {
      int count = Math.min(CHUNK, groups.groups() - first);
      read(groups, table.texts(), first, count);
      table.keyColumns().hash(nulls, keys, count, hashes);
      int kept = count;
      if (table.isOfSample()) {
        kept = table.sample().keep(table.keyColumns(), nulls, keys, hashes, states, from, count);
      }
      table.mergeColumns(nulls, keys, hashes, states, places, kept);
      mergeStates(table, groups, kept);
    }
  }

  /** Makes a table of groups that are all different. */
  public static GroupTable table(GroupLayout layout, List<PartialGroups> blocks) {
    GroupTable table = new GroupTable(layout);
    PartialMerge merge = new PartialMerge(layout);
    boolean append = table.canBeAppended();
    if (append) {
      table.reserveToAppend(blocks.stream().mapToLong(PartialGroups::groups).sum());
    }
    for (PartialGroups groups : blocks) {
      if (append) {
        merge.append(table, groups);
      } else {
        merge.into(table, groups);
      }
    }
    return table;
  }

  private void append(GroupTable table, PartialGroups groups) {
    check(groups);
    for (int first = 0; first < groups.groups(); first += CHUNK) {
      int count = Math.min(CHUNK, groups.groups() - first);
      read(groups, table.texts(), first, count);
      int before = table.size();
      table.appendColumns(nulls, keys, states, count);
      for (int i = 0; i < count && functions > 0; i++) {
        places[i] = before + i;
      }
      mergeStates(table, groups, count);
    }
  }

  /** Merges the function states of the current groups, whose numbers are the places. */
  private void mergeStates(GroupTable table, PartialGroups groups, int count) {
    int first = 1 + keys.length + states.length;
    for (int f = 0; f < functions; f++) {
      for (int i = 0; i < count; i++) {
        StateReader state = groups.state(first + f, from[i]);
        if (state != null) {
          try {
            table.requireStates().merge(f, places[i], state);
          } catch (StateFormatException e) {
            throw new PartialFormatException("group " + from[i] + ": " + e.getMessage());
          }
        }
      }
    }
  }

  private void check(PartialGroups groups) {
    if (groups.fingerprint() != layout.fingerprint() || groups.columns() != columns()) {
      throw new PartialFormatException(
          "partial groups of query "
              + groups.queryId()
              + " with "
              + groups.columns()
              + " columns have another layout than the query's groups, which have "
              + columns()
              + " columns");
    }
    for (int c = 0; c < groups.columns(); c++) {
      if (groups.isText(c) != isTextColumn(c)) {
        throw new PartialFormatException(
            "column "
                + c
                + " holds "
                + (groups.isText(c) ? "texts, expected words" : "words, expected texts"));
      } else if (groups.isStates(c) != (c >= columns() - functions)) {
        throw new PartialFormatException(
            "column "
                + c
                + (groups.isStates(c)
                    ? " holds states, expected none"
                    : " holds no states, expected some"));
      }
    }
  }

  private int columns() {
    return 1 + layout.keyWords() + layout.stateWords() + functions;
  }

  private boolean isTextColumn(int column) {
    for (int k = 0; k < layout.keys().size(); k++) {
      if (layout.keyKind(k) == ValueKind.TEXT && 1 + layout.keyWord(k) == column) {
        return true;
      }
    }
    return false;
  }

  private void read(PartialGroups groups, TextDictionary texts, int first, int count) {
    for (int i = 0; i < count && functions > 0; i++) {
      from[i] = first + i;
    }
    groups.readWords(0, first, count, nulls);
    for (int w = 0; w < keys.length; w++) {
      if (groups.isText(1 + w)) {
        readTexts(groups, texts, first, count, w);
      } else {
        groups.readWords(1 + w, first, count, keys[w]);
      }
    }
    for (int w = 0; w < states.length; w++) {
      groups.readWords(1 + keys.length + w, first, count, states[w]);
    }
    long unknown = -1L << layout.keys().size();
    for (int i = 0; i < count; i++) {
      if ((nulls[i] & unknown) != 0) {
        throw new PartialFormatException(
            "group " + (first + i) + " has NULL in keys that the query does not have");
      }
    }
  }

  private void readTexts(
      PartialGroups groups, TextDictionary texts, int first, int count, int word) {
    int key = 0;
    while (layout.keyWord(key) != word) {
      key++;
    }
    for (int i = 0; i < count; i++) {
      boolean isNull = (nulls[i] >>> key & 1) != 0;
      keys[word][i] = isNull ? 0 : texts.number(groups.text(1 + word, first + i));
    }
  }
}
