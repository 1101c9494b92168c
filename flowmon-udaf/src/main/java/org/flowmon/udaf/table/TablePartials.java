package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.List;

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
    List<byte[]> all = new ArrayList<>();
    PartialGroupsBuilder builder =
        new PartialGroupsBuilder(table.layout(), new PartialGroupsBuilder.Scratch());
    PartialRecipient to = new PartialRecipient(queryId, grouping, table.layout(), table.layout());
    StateSource states = source(table);
    long[] words = table.words();
    for (int g = 0, at = 0; g < table.size(); g++, at += table.stride()) {
      builder.add(words[at], words, at + 1, table.texts(), states, g);
      if (builder.isFull()) {
        all.add(builder.build(to, keyGroup, paneStart, fromWindowEnd, due));
      }
    }
    if (builder.count() > 0) {
      all.add(builder.build(to, keyGroup, paneStart, fromWindowEnd, due));
    }
    return all;
  }

  /** The states that functions keep of a table's groups. */
  static StateSource source(GroupTable table) {
    return table.states() == null ? StateSource.NONE : table.states()::output;
  }
}
