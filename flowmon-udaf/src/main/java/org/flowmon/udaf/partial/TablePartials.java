package org.flowmon.udaf.partial;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.PaneKey;

/** Packs a table's groups as partial groups, their form in states and messages. */
public final class TablePartials {
  private TablePartials() {}

  /** Packs all groups of a table, some thousands to an array. */
  public static List<byte[]> of(
      GroupTable table,
      long queryId,
      int grouping,
      int keyGroup,
      long paneStart,
      long fromWindowEnd,
      long due) {
    PaneKey pane = new PaneKey(paneStart, fromWindowEnd, due);
    return table.isOfWordsAlone()
        ? ofWords(table.layout(), table.words(), table.size(), queryId, grouping, keyGroup, pane)
        : ofRows(table, queryId, grouping, keyGroup, pane);
  }

  /** Packs groups without texts and function states, as in {@link GroupTable#words}. */
  public static List<byte[]> ofWords(
      GroupLayout layout,
      long[] words,
      int size,
      long queryId,
      int grouping,
      int keyGroup,
      PaneKey pane) {
    List<byte[]> all = new ArrayList<>();
    PartialGroupsBuilder builder = builder(layout);
    PartialRecipient to = new PartialRecipient(queryId, grouping, layout, layout);
    for (int first = 0; first < size; first += PartialLayout.MAX_GROUPS) {
      int n = Math.min(PartialLayout.MAX_GROUPS, size - first);
      all.add(builder.build(words, first, n, to, keyGroup, pane));
    }
    return all;
  }

  public static List<byte[]> ofRows(
      GroupTable table, long queryId, int grouping, int keyGroup, PaneKey pane) {
    List<byte[]> all = new ArrayList<>();
    PartialGroupsBuilder builder = builder(table.layout());
    PartialRecipient to = new PartialRecipient(queryId, grouping, table.layout(), table.layout());
    StateSource states = source(table);
    long[] words = table.words();
    for (int g = 0, at = 0; g < table.size(); g++, at += table.stride()) {
      builder.add(words[at], words, at + 1, table.texts(), states, g);
      if (builder.isFull()) {
        all.add(builder.build(to, keyGroup, pane.start(), pane.fromWindowEnd(), pane.due()));
      }
    }
    if (builder.count() > 0) {
      all.add(builder.build(to, keyGroup, pane.start(), pane.fromWindowEnd(), pane.due()));
    }
    return all;
  }

  private static PartialGroupsBuilder builder(GroupLayout layout) {
    return new PartialGroupsBuilder(layout, new PartialGroupsBuilder.Scratch());
  }

  public static StateSource source(GroupTable table) {
    return table.states() == null ? StateSource.NONE : table.states()::output;
  }
}
