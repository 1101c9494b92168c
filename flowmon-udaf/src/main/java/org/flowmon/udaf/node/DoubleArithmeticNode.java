package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** Arithmetic with a double result; a division by 0 is NULL. */
public final class DoubleArithmeticNode extends ValueNode {
  private final ArithmeticOperator operator;
  private final Operand leftSide;
  private final Operand rightSide;

  public DoubleArithmeticNode(ArithmeticOperator operator, ValueNode left, ValueNode right) {
    super(ValueKind.DOUBLE);
    this.operator = operator;
    this.leftSide = new Operand(left);
    this.rightSide = new Operand(right);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Vector left = leftSide.values(rows, from, count);
    Vector right = rightSide.values(rows, from, count);
    long[] validity = out.validity();
    for (int w = 0; w < Vector.WORDS; w++) {
      validity[w] = left.validity()[w] & right.validity()[w];
    }
    for (int i = 0; i < count; i++) {
      double l = left.asDouble(i);
      double r = right.asDouble(i);
      if (operator == ArithmeticOperator.DIVIDE && r == 0) {
        validity[i >>> 6] &= ~(1L << i);
      }
      out.values()[i] = Double.doubleToLongBits(compute(l, r) + 0.0); // one zero: no −0.0
    }
    out.settleValidity(count);
  }

  private double compute(double l, double r) {
    return switch (operator) {
      case ADD -> l + r;
      case SUBTRACT -> l - r;
      case MULTIPLY -> l * r;
      case DIVIDE -> l / r;
      case REMAINDER, BIT_AND, BIT_OR ->
          throw new IllegalStateException("not of doubles: " + operator.sql());
    };
  }
}
