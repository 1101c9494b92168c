package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** A part of a compiled expression that gives values. */
public abstract class ValueNode {
  private final @Nullable ValueKind kind;

  protected ValueNode(@Nullable ValueKind kind) {
    this.kind = kind;
  }

  /** Null if all are NULL. */
  public final @Nullable ValueKind kind() {
    return kind;
  }

  /** Fills {@code out[0 … count)}: the values, 0 if NULL, and the NULL mask. */
  public abstract void evaluate(FlowRows rows, int from, int count, Vector out);

  /**
   * Returns the values, read-only until the next evaluation: {@code own}, or another vector that
   * has them already.
   */
  public Vector values(FlowRows rows, int from, int count, Vector own) {
    evaluate(rows, from, count, own);
    return own;
  }

  /** Whether {@link #values} never takes {@code own}. */
  public boolean keepsValues() {
    return false;
  }

  /** A part of a node that gives it values, copied only if nobody else keeps them. */
  static final class Operand {
    private static final Vector UNUSED = new Vector(null);

    private final ValueNode node;
    private final Vector own;

    Operand(ValueNode node) {
      this.node = node;
      this.own = node.keepsValues() ? UNUSED : new Vector(node.kind());
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
}
