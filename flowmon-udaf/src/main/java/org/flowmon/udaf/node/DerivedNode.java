package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.FlowRoles;
import org.flowmon.udaf.vector.Vector;

/** A column that follows from others of the flow; the first of its keys is the flow's role. */
public final class DerivedNode extends ValueNode {
  private final DerivedColumn column;
  private final Operand[] operands;
  private final Vector[] keys;

  public DerivedNode(DerivedColumn column, ValueNode[] keyNodes) {
    super(column.kind());
    this.column = column;
    this.operands = Operand.of(keyNodes);
    this.keys = new Vector[keyNodes.length];
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Operand.evaluate(operands, rows, from, count, keys);
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
    if (keys[1].allValid() && keys[2].allValid()) {
      choose(roles, keys[1].values(), keys[2].values(), count, out.values());
      if (high != null) {
        choose(roles, keys[1].requireHigh(), keys[2].requireHigh(), count, high);
      }
      out.setAllValid(count);
      return;
    }
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

  private static void choose(long[] roles, long[] first, long[] second, int count, long[] out) {
    for (int i = 0; i < count; i++) {
      long takesSecond = -(roles[i] & FlowRoles.REVERSED);
      out[i] = first[i] ^ ((first[i] ^ second[i]) & takesSecond);
    }
  }
}
