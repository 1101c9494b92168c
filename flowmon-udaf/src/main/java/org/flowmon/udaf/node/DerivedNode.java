package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.FlowRoles;
import org.flowmon.udaf.vector.Vector;

/** A column that follows from others of the flow; the first of its keys is the flow's role. */
public final class DerivedNode extends ValueNode {
  private final DerivedColumn column;
  private final ValueNode[] keyNodes;
  private final Vector[] keys;

  public DerivedNode(DerivedColumn column, ValueNode[] keyNodes) {
    super(column.kind());
    this.column = column;
    this.keyNodes = keyNodes;
    this.keys = Arrays.stream(keyNodes).map(node -> new Vector(node.kind())).toArray(Vector[]::new);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    for (int k = 0; k < keys.length; k++) {
      keyNodes[k].evaluate(rows, from, count, keys[k]);
    }
    if (column == DerivedColumn.ROLE) {
      FlowRoles.fill(keys, count, out);
    } else if (column == DerivedColumn.ANSWERED) {
      fillAnswered(count, out);
    } else {
      fillChosen(count, out);
    }
  }

  private void fillAnswered(int count, Vector out) {
    long[] roles = keys[0].values();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      long answer = roles[i] & (FlowRoles.ANSWERED | FlowRoles.UNANSWERED);
      out.values()[i] = answer == FlowRoles.ANSWERED ? 1 : 0;
      out.validity()[i >>> 6] |= (answer == FlowRoles.UNKNOWN ? 0L : 1L) << i;
    }
    out.settleValidity(count);
  }

  /** The second key, or the third if the flow is of the server. */
  private void fillChosen(int count, Vector out) {
    long[] roles = keys[0].values();
    long[] high = out.high();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      Vector from = keys[1 + (int) (roles[i] & FlowRoles.REVERSED)];
      out.values()[i] = from.values()[i];
      if (high != null) {
        high[i] = from.requireHigh()[i];
      }
      out.validity()[i >>> 6] |= (from.isValid(i) ? 1L : 0L) << i;
    }
    out.settleValidity(count);
  }
}
