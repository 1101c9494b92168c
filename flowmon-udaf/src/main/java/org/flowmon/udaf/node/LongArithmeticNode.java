package org.flowmon.udaf.node;

import java.math.BigInteger;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Arithmetic whose result is a whole number, time or duration; a result beyond 64 bits is NULL. */
public final class LongArithmeticNode extends ValueNode {
  private final ArithmeticOperator operator;
  private final Operand left;
  private final Operand right;

  public LongArithmeticNode(
      ArithmeticOperator operator, ValueKind kind, ValueNode left, ValueNode right) {
    super(kind);
    this.operator = operator;
    this.left = new Operand(left);
    this.right = new Operand(right);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Vector l = left.values(rows, from, count);
    Vector r = right.values(rows, from, count);
    long[] validity = out.validity();
    for (int w = 0; w < Vector.WORDS; w++) {
      validity[w] = l.validity()[w] & r.validity()[w];
    }
    if (l.isWide() || r.isWide()) {
      computeWide(count, l, r, out.values(), validity);
    } else {
      compute(count, l.values(), r.values(), out.values(), validity);
    }
    out.settleValidity(count);
  }

  private void compute(int count, long[] l, long[] r, long[] result, long[] validity) {
    switch (operator) {
      case ADD -> {
        for (int i = 0; i < count; i++) {
          long sum = l[i] + r[i];
          result[i] = sum;
          drop(validity, i, ((l[i] ^ sum) & (r[i] ^ sum)) < 0);
        }
      }
      case SUBTRACT -> {
        for (int i = 0; i < count; i++) {
          long difference = l[i] - r[i];
          result[i] = difference;
          drop(validity, i, ((l[i] ^ r[i]) & (l[i] ^ difference)) < 0);
        }
      }
      case MULTIPLY -> {
        for (int i = 0; i < count; i++) {
          long product = l[i] * r[i];
          result[i] = product;
          drop(validity, i, Math.multiplyHigh(l[i], r[i]) != product >> 63);
        }
      }
      case REMAINDER -> {
        for (int i = 0; i < count; i++) {
          result[i] = r[i] == 0 ? 0 : l[i] % r[i];
          drop(validity, i, r[i] == 0);
        }
      }
      case BIT_AND -> {
        for (int i = 0; i < count; i++) {
          result[i] = l[i] & r[i];
        }
      }
      case BIT_OR -> {
        for (int i = 0; i < count; i++) {
          result[i] = l[i] | r[i];
        }
      }
      case DIVIDE -> throw new IllegalStateException("the quotient of numbers is a double");
    }
  }

  /** Computes with sums beyond 64 bits, which few queries have. */
  private void computeWide(int count, Vector left, Vector right, long[] result, long[] validity) {
    for (int i = 0; i < count; i++) {
      BigInteger l = Int128.toBigInteger(left.upper(i), left.values()[i]);
      BigInteger r = Int128.toBigInteger(right.upper(i), right.values()[i]);
      @Nullable BigInteger exact =
          switch (operator) {
            case ADD -> l.add(r);
            case SUBTRACT -> l.subtract(r);
            case MULTIPLY -> l.multiply(r);
            case REMAINDER -> r.signum() == 0 ? null : l.remainder(r);
            case BIT_AND -> l.and(r);
            case BIT_OR -> l.or(r);
            case DIVIDE -> throw new IllegalStateException("the quotient of numbers is a double");
          };
      if (exact != null && exact.bitLength() <= 63) {
        result[i] = exact.longValue();
      } else {
        result[i] = 0;
        drop(validity, i, true);
      }
    }
  }

  private static void drop(long[] validity, int i, boolean invalid) {
    if (invalid) {
      validity[i >>> 6] &= ~(1L << i);
    }
  }
}
