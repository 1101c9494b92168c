package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** A column of the flow. */
public final class ColumnNode extends ValueNode {
  private final FlowColumn column;

  public ColumnNode(FlowColumn column) {
    super(ValueKind.of(column.type()));
    this.column = column;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Presence presence = rows.presence(column);
    if (presence == Presence.ABSENT) {
      out.setAllNull(count);
      return;
    }
    switch (column.type()) {
      case ADDRESS -> rows.readAddresses(column, from, count, out.requireHigh(), out.values());
      case TEXT -> rows.readTexts(column, from, count, out.requireTexts());
      default -> rows.readLongs(column, from, count, out.values());
    }
    if (presence == Presence.NULLABLE) {
      rows.readValidity(column, from, count, out.validity());
      Arrays.fill(out.validity(), Vector.words(count), Vector.WORDS, 0);
      out.settleValidity(count);
    } else {
      out.setAllValid(count);
    }
  }
}
