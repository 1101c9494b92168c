package org.flowmon.udaf.partial;

import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.KeyColumns;

/**
 * Packs the groups of a query's tables by key group: the hash of their leading keys decides, in any
 * process alike, so that what is merged into one group gets to one place. Not thread-safe.
 */
public final class KeyGroupPartials {
  private static final int GROUPS = 1 << 12;
  private static final long STATE_BYTES = 1 << 18;

  private final GroupLayout layout;
  private final int leadingKeys;
  private final PartialRecipient to;
  private final PartialSink sink;
  private final PartialGroupsBuilder[] builders;

  /**
   * {@code leadingKeys} of the layout, which are the query's; {@code sink} gets a block whenever
   * one is full.
   */
  public KeyGroupPartials(
      GroupLayout layout, int grouping, int leadingKeys, int keyGroups, PartialSink sink) {
    this.layout = layout;
    this.leadingKeys = leadingKeys;
    this.to = new PartialRecipient(0, grouping, layout, layout);
    this.sink = sink;
    PartialGroupsBuilder.Scratch scratch = new PartialGroupsBuilder.Scratch();
    this.builders = new PartialGroupsBuilder[keyGroups];
    for (int k = 0; k < keyGroups; k++) {
      builders[k] = new PartialGroupsBuilder(layout, scratch);
    }
  }

  /** Packs all groups of a table, which may be used again. */
  public void add(GroupTable table) {
    KeyColumns keys = new KeyColumns(layout, table.texts(), leadingKeys);
    StateSource states = TablePartials.source(table);
    long[] words = table.words();
    for (int g = 0, at = 0; g < table.size(); g++, at += table.stride()) {
      long hash = keys.leadingHash(words[at], words, at + 1);
      int keyGroup = GroupHash.keyGroup(hash, builders.length);
      PartialGroupsBuilder builder = builders[keyGroup];
      builder.add(words[at], words, at + 1, table.texts(), states, g);
      if (builder.count() >= GROUPS || builder.stateBytes() >= STATE_BYTES) {
        send(keyGroup);
      }
    }
  }

  /** Sends what is left. */
  public void flush() {
    for (int k = 0; k < builders.length; k++) {
      if (builders[k].count() > 0) {
        send(k);
      }
    }
  }

  private void send(int keyGroup) {
    sink.emit(keyGroup, builders[keyGroup].build(to, keyGroup, 0, 0, 0));
  }
}
