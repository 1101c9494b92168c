package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** CASE: evaluates all branches for all rows; each row takes its first TRUE condition's result. */
public final class CaseNode extends ValueNode {
  private final TruthNode[] conditions;
  private final ValueNode[] results;
  private final Vector[] vectors;
  private final Truth truth = new Truth();
  private final int[] branch = new int[Vector.CAPACITY];

  /** One result per condition, then that of ELSE. */
  public CaseNode(@Nullable ValueKind kind, TruthNode[] conditions, ValueNode[] results) {
    super(kind);
    this.conditions = conditions;
    this.results = results;
    this.vectors =
        Arrays.stream(results).map(node -> new Vector(node.kind())).toArray(Vector[]::new);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Arrays.fill(branch, 0, count, conditions.length);
    for (int b = conditions.length - 1; b >= 0; b--) {
      conditions[b].evaluate(rows, from, count, truth);
      for (int i = 0; i < count; i++) {
        if ((truth.isTrue[i >>> 6] >>> i & 1) != 0) {
          branch[i] = b;
        }
      }
    }
    for (int b = 0; b < results.length; b++) {
      results[b].evaluate(rows, from, count, vectors[b]);
    }
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      copy(vectors[branch[i]], i, out);
    }
    out.settleValidity(count);
    boolean isWide = false;
    for (Vector vector : vectors) {
      isWide |= vector.isWide();
    }
    if (isWide && kind() != ValueKind.DOUBLE) {
      long[] upper = out.widen();
      for (int i = 0; i < count; i++) {
        upper[i] = vectors[branch[i]].upper(i);
      }
    }
  }

  private void copy(Vector from, int i, Vector out) {
    if (!from.isValid(i)) {
      return;
    }
    out.validity()[i >>> 6] |= 1L << i;
    boolean widen = kind() == ValueKind.DOUBLE && from.kind() == ValueKind.LONG;
    out.values()[i] = widen ? Double.doubleToLongBits(from.asDouble(i)) : from.values()[i];
    if (out.kind() == ValueKind.ADDRESS) {
      out.requireHigh()[i] = from.requireHigh()[i];
    } else if (out.kind() == ValueKind.TEXT) {
      out.requireTexts()[i] = from.requireTexts()[i];
    }
  }
}
