package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;

/** The groups of a table as partial groups, which are its bytes in states and messages. */
final class TablePartials {
  private TablePartials() {}

  /**
   * All groups of a table, some thousands to an array.
   *
   * @param grouping of the query that the groups are of
   */
  static List<byte[]> of(
      GroupTable table,
      long queryId,
      int grouping,
      int keyGroup,
      long paneStart,
      long fromWindowEnd,
      long due) {
    return of(
        table.layout(),
        table.words(),
        table.size(),
        table.texts(),
        source(table),
        new PartialRecipient(queryId, grouping, table.layout(), table.layout()),
        keyGroup,
        new PaneKey(paneStart, fromWindowEnd, due));
  }

  /**
   * Groups that are made of words alone, without texts and states of functions.
   *
   * @param words of all groups, as {@link GroupTable#words} has them
   * @param size how many groups
   */
  static List<byte[]> ofWords(
      GroupLayout layout, long[] words, int size, long queryId, int grouping, PaneKey pane) {
    PartialRecipient to = new PartialRecipient(queryId, grouping, layout, layout);
    return of(layout, words, size, null, StateSource.NONE, to, 0, pane);
  }

  private static List<byte[]> of(
      GroupLayout layout,
      long[] words,
      int size,
      TextDictionary texts,
      StateSource states,
      PartialRecipient to,
      int keyGroup,
      PaneKey pane) {
    List<byte[]> all = new ArrayList<>();
    PartialGroupsBuilder builder =
        new PartialGroupsBuilder(layout, new PartialGroupsBuilder.Scratch());
    int stride = GroupWords.stride(layout);
    for (int g = 0, at = 0; g < size; g++, at += stride) {
      builder.add(words[at], words, at + 1, texts, states, g);
      if (builder.isFull()) {
        all.add(builder.build(to, keyGroup, pane.start(), pane.fromWindowEnd(), pane.due()));
      }
    }
    if (builder.count() > 0) {
      all.add(builder.build(to, keyGroup, pane.start(), pane.fromWindowEnd(), pane.due()));
    }
    return all;
  }

  /** The states that functions keep of a table's groups. */
  static StateSource source(GroupTable table) {
    return table.states() == null ? StateSource.NONE : table.states()::output;
  }
}
