package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.FlowRoles;
import org.flowmon.udaf.vector.Vector;

/** A column that follows from others of the flow; the first of its keys is its role, if any. */
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
    if (column.isEstimate()) {
      Vector values = values(rows, from, count, out);
      if (values != out) {
        out.copy(values, count);
      }
      return;
    }
    Operand.evaluate(operands, rows, from, count, keys);
    if (column == DerivedColumn.ROLE) {
      FlowRoles.fill(keys, count, out);
    } else if (column == DerivedColumn.ANSWERED) {
      fillAnswered(count, out);
    } else {
      fillChosen(count, out);
    }
  }

  /** Of an estimate the counts as they are, without a copy, if no flow has another rate than 1. */
  @Override
  public Vector values(FlowRows rows, int from, int count, Vector own) {
    if (!column.isEstimate()) {
      return super.values(rows, from, count, own);
    }
    Operand.evaluate(operands, rows, from, count, keys);
    if (!isSampled(keys[1], count)) {
      return keys[0];
    }
    fillEstimate(keys[0], keys[1], count, own);
    return own;
  }

  private static boolean isSampled(Vector rates, int count) {
    long others = 0;
    if (rates.allValid()) {
      for (int i = 0; i < count; i++) {
        others |= rates.values()[i] ^ 1;
      }
      return others != 0;
    }
    for (int w = 0; w < Vector.words(count); w++) {
      for (long valid = rates.validity()[w]; valid != 0; valid &= valid - 1) {
        others |= rates.values()[(w << 6) + Long.numberOfTrailingZeros(valid)] ^ 1;
      }
    }
    return others != 0;
  }

  /** A product beyond 64 bits is NULL. */
  private static void fillEstimate(Vector counts, Vector rates, int count, Vector out) {
    System.arraycopy(counts.validity(), 0, out.validity(), 0, Vector.WORDS);
    for (int i = 0; i < count; i++) {
      long counted = counts.values()[i];
      long rate = rates.isValid(i) ? rates.values()[i] : 1;
      long product = counted * rate;
      out.values()[i] = product;
      if (Math.multiplyHigh(counted, rate) != product >> 63) {
        out.validity()[i >>> 6] &= ~(1L << i);
      }
    }
    out.settleValidity(count);
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
