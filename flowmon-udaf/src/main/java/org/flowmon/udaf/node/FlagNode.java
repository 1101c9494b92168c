package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** A boolean column as a condition; reads no row if the column is constant or absent. */
public final class FlagNode extends TruthNode {
  private final FlowColumn column;
  private final long[] values = new long[Vector.CAPACITY];
  private final long[] validity = new long[Vector.WORDS];

  public FlagNode(FlowColumn column) {
    this.column = column;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Truth out) {
    Presence presence = rows.presence(column);
    if (presence == Presence.ABSENT || count == 0) {
      out.setAllNull();
      return;
    }
    if (presence == Presence.CONSTANT) {
      rows.readLongs(column, from, 1, values);
      out.setAll(values[0] != 0, count);
      return;
    }
    rows.readLongs(column, from, count, values);
    if (presence == Presence.NULLABLE) {
      rows.readValidity(column, from, count, validity);
      Arrays.fill(validity, Vector.words(count), Vector.WORDS, 0);
    } else {
      Vector.fill(validity, count);
    }
    out.ofFlags(values, validity, count);
  }
}
