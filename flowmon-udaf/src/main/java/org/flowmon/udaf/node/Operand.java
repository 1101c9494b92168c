package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.Vector;

/** A part of a node that gives it values, copied only if nobody else keeps them. */
final class Operand {
  private final ValueNode node;
  private final Vector own;

  Operand(ValueNode node) {
    this.node = node;
    this.own = new Vector(node.kind());
  }

  static Operand[] of(ValueNode[] nodes) {
    return Arrays.stream(nodes).map(Operand::new).toArray(Operand[]::new);
  }

  /** The values of {@code all}, into {@code vectors}. */
  static void evaluate(Operand[] all, FlowRows rows, int from, int count, Vector[] vectors) {
    for (int o = 0; o < all.length; o++) {
      vectors[o] = all[o].values(rows, from, count);
    }
  }

  /** Read-only, until it is evaluated again. */
  Vector values(FlowRows rows, int from, int count) {
    return node.values(rows, from, count, own);
  }
}
