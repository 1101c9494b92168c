package org.flowmon.udaf.table;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.expression.Vector;

/**
 * One grouping of a live query on the low level: its keys and arguments, its table, its way out.
 */
final class LowLevelGrouping {
  private final SharedEvaluation.Keys keys;
  private final SharedVector[] arguments;
  private final Vector[] argumentVectors;
  private final PartialOutput output;
  private final LowLevelTable table;

  /**
   * A grouping without groups.
   *
   * @param leadingKeys how many of its first keys decide about its groups' key group
   * @param evaluation where keys and arguments are shared with other groupings
   */
  LowLevelGrouping(
      GroupLayout layout,
      int leadingKeys,
      TextDictionary texts,
      PaneSet panes,
      int slots,
      PartialOutput output,
      SharedEvaluation evaluation) {
    this.keys = evaluation.keys(layout, texts, leadingKeys);
    this.arguments = evaluation.values(layout.arguments());
    this.argumentVectors = SharedEvaluation.Keys.vectors(arguments);
    this.output = output;
    this.table = new LowLevelTable(layout, keys.columns(), panes, slots, output);
  }

  /**
   * Adds selected rows.
   *
   * @param from first row of the range that the selection is relative to
   * @param count rows of the range
   * @param paneOf each selected row's pane; null where {@code pane} is that of all
   */
  void add(FlowRows batch, int from, int count, int[] selection, int n, Pane[] paneOf, Pane pane) {
    keys.load(batch, from, count);
    for (SharedVector argument : arguments) {
      argument.evaluate(batch, from, count);
    }
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

  long passedRows() {
    return table.passedRows();
  }

  long partials() {
    return output.partials;
  }

  long messages() {
    return output.messages;
  }
}
