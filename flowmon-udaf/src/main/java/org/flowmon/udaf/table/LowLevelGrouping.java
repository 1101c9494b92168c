package org.flowmon.udaf.table;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.Vector;

/**
 * One grouping of a live query on the low level: its keys and arguments, its table, its way out.
 */
final class LowLevelGrouping {
  private final CompiledExpression[] keys;
  private final Vector[] keyVectors;
  private final CompiledExpression[] arguments;
  private final Vector[] argumentVectors;
  private final KeyColumns keyColumns;
  private final PartialOutput output;
  private final LowLevelTable table;

  /**
   * A grouping without groups.
   *
   * @param leadingKeys how many of its first keys decide about its groups' key group
   */
  LowLevelGrouping(
      GroupLayout layout,
      int leadingKeys,
      TextDictionary texts,
      PaneSet panes,
      int slots,
      PartialOutput output) {
    this.keys = GroupCollector.compile(layout.keys());
    this.keyVectors = GroupCollector.vectors(keys);
    this.arguments = GroupCollector.compile(layout.arguments());
    this.argumentVectors = GroupCollector.vectors(arguments);
    this.keyColumns = new KeyColumns(layout, texts, leadingKeys);
    this.output = output;
    this.table = new LowLevelTable(layout, keyColumns, panes, slots, output);
  }

  /**
   * Adds selected rows.
   *
   * @param from first row of the range that the selection is relative to
   * @param paneOf each selected row's pane; null where {@code pane} is that of all
   */
  void add(FlowRows batch, int from, int[] selection, int n, Pane[] paneOf, Pane pane) {
    int count = selection[n - 1] + 1;
    for (int k = 0; k < keys.length; k++) {
      keys[k].evaluate(batch, from, count, keyVectors[k]);
    }
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(batch, from, count, argumentVectors[a]);
    }
    keyColumns.load(keyVectors, count);
    table.add(argumentVectors, selection, n, paneOf, pane);
  }

  /** Looks at some slots, and sends away groups of closed panes, or of all. */
  void drain(int slots, boolean all) {
    table.drain(slots, all);
  }

  /** Sends what is on its way of a pane. */
  void flush(Pane pane) {
    output.flush(pane);
  }

  int slots() {
    return table.slots();
  }

  long evictions() {
    return table.evictions();
  }

  long partials() {
    return output.partials;
  }

  long messages() {
    return output.messages;
  }
}
