package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.vector.TextOrder;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** Comparisons. Each tests for less or equal, and negates the result for the opposite operator. */
public final class ComparisonNodes {
  private ComparisonNodes() {}

  private abstract static class Base extends TruthNode {
    private final ValueNode.Operand leftSide;
    private final ValueNode.Operand rightSide;
    final long[] matches = new long[Vector.WORDS];
    private final long[] known = new long[Vector.WORDS];
    final boolean equality;
    private final boolean negated;

    /** Swaps the sides of {@code >} and {@code <=}. */
    Base(ComparisonOperator operator, ValueNode l, ValueNode r) {
      boolean swap =
          operator == ComparisonOperator.GREATER || operator == ComparisonOperator.LESS_OR_EQUAL;
      this.leftSide = new ValueNode.Operand(swap ? r : l);
      this.rightSide = new ValueNode.Operand(swap ? l : r);
      this.equality =
          operator == ComparisonOperator.EQUAL || operator == ComparisonOperator.NOT_EQUAL;
      this.negated =
          operator == ComparisonOperator.NOT_EQUAL
              || operator == ComparisonOperator.LESS_OR_EQUAL
              || operator == ComparisonOperator.GREATER_OR_EQUAL;
    }

    @Override
    public final void evaluate(FlowRows rows, int from, int count, Truth out) {
      Vector left = leftSide.values(rows, from, count);
      Vector right = rightSide.values(rows, from, count);
      for (int w = 0; w < Vector.WORDS; w++) {
        matches[w] = 0;
        known[w] = left.validity()[w] & right.validity()[w];
      }
      match(left, right, count);
      if (negated) {
        for (int w = 0; w < Vector.WORDS; w++) {
          matches[w] = ~matches[w];
        }
      }
      out.of(matches, known);
    }

    /** Rows whose left side equals, or is less than, the right. */
    abstract void match(Vector left, Vector right, int count);

    final void set(int row, boolean match) {
      matches[row >>> 6] |= (match ? 1L : 0L) << row;
    }
  }

  /** Whole numbers, times, durations and booleans. */
  public static final class Longs extends Base {
    public Longs(ComparisonOperator operator, ValueNode left, ValueNode right) {
      super(operator, left, right);
    }

    @Override
    void match(Vector left, Vector right, int count) {
      long[] l = left.values();
      long[] r = right.values();
      if (left.isWide() || right.isWide()) {
        for (int i = 0; i < count; i++) {
          int order = Int128.compare(left.upper(i), l[i], right.upper(i), r[i]);
          set(i, equality ? order == 0 : order < 0);
        }
      } else if (equality) {
        for (int i = 0; i < count; i++) {
          set(i, l[i] == r[i]);
        }
      } else {
        for (int i = 0; i < count; i++) {
          set(i, l[i] < r[i]);
        }
      }
    }
  }

  /** One side a double. NaN is greater than everything and equals itself. */
  public static final class Doubles extends Base {
    public Doubles(ComparisonOperator operator, ValueNode left, ValueNode right) {
      super(operator, left, right);
    }

    @Override
    void match(Vector left, Vector right, int count) {
      for (int i = 0; i < count; i++) {
        int order = compare(left.asDouble(i), right.asDouble(i));
        set(i, equality ? order == 0 : order < 0);
      }
    }

    /** As Double.compare, but −0.0 equals 0.0. */
    private static int compare(double a, double b) {
      return a < b ? -1 : a > b ? 1 : a == b ? 0 : Double.compare(a, b);
    }
  }

  /** Addresses, in the unsigned order of their 16 bytes. */
  public static final class Addresses extends Base {
    public Addresses(ComparisonOperator operator, ValueNode left, ValueNode right) {
      super(operator, left, right);
    }

    @Override
    void match(Vector left, Vector right, int count) {
      long[] lh = left.requireHigh();
      long[] rh = right.requireHigh();
      long[] ll = left.values();
      long[] rl = right.values();
      if (equality) {
        for (int i = 0; i < count; i++) {
          set(i, ll[i] == rl[i] && lh[i] == rh[i]);
        }
      } else {
        for (int i = 0; i < count; i++) {
          set(i, IpAddress.compare(lh[i], ll[i], rh[i], rl[i]) < 0);
        }
      }
    }
  }

  /** Texts, in the order of their code points. */
  public static final class Texts extends Base {
    public Texts(ComparisonOperator operator, ValueNode left, ValueNode right) {
      super(operator, left, right);
    }

    @Override
    void match(Vector left, Vector right, int count) {
      String[] lefts = left.requireTexts();
      String[] rights = right.requireTexts();
      for (int i = 0; i < count; i++) {
        String l = lefts[i];
        String r = rights[i];
        boolean known = l != null && r != null;
        set(i, known && (equality ? l.equals(r) : TextOrder.compare(l, r) < 0));
      }
    }
  }

  /** The most common comparison: a whole number or time with a constant. */
  public static final class LongWithConstant extends TruthNode {
    private final ComparisonOperator operator;
    private final ValueNode.Operand operand;
    private final long constant;
    private final long[] matches = new long[Vector.WORDS];

    public LongWithConstant(ComparisonOperator operator, ValueNode node, long constant) {
      this.operator = operator;
      this.operand = new ValueNode.Operand(node);
      this.constant = constant;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      Vector vector = operand.values(rows, from, count);
      if (vector.isWide()) {
        matchWide(vector, count);
      } else {
        match(vector, count);
      }
      out.of(matches, vector.validity());
    }

    private void match(Vector vector, int count) {
      long[] values = vector.values();
      for (int w = 0; w < Vector.words(count); w++) {
        int base = w << 6;
        int end = Math.min(64, count - base);
        matches[w] =
            switch (operator) {
              case EQUAL -> equal(values, base, end, constant);
              case NOT_EQUAL -> ~equal(values, base, end, constant);
              case LESS -> less(values, base, end, constant);
              case GREATER_OR_EQUAL -> ~less(values, base, end, constant);
              case GREATER -> greater(values, base, end, constant);
              case LESS_OR_EQUAL -> ~greater(values, base, end, constant);
            };
      }
    }

    private void matchWide(Vector vector, int count) {
      Arrays.fill(matches, 0);
      for (int i = 0; i < count; i++) {
        int order = Int128.compare(vector.upper(i), vector.values()[i], constant >> 63, constant);
        boolean match =
            switch (operator) {
              case EQUAL -> order == 0;
              case NOT_EQUAL -> order != 0;
              case LESS -> order < 0;
              case GREATER_OR_EQUAL -> order >= 0;
              case GREATER -> order > 0;
              case LESS_OR_EQUAL -> order <= 0;
            };
        matches[i >>> 6] |= (match ? 1L : 0L) << i;
      }
    }

    private static long equal(long[] values, int base, int end, long constant) {
      long bits = 0;
      for (int i = 0; i < end; i++) {
        bits |= (values[base + i] == constant ? 1L : 0L) << i;
      }
      return bits;
    }

    private static long less(long[] values, int base, int end, long constant) {
      long bits = 0;
      for (int i = 0; i < end; i++) {
        bits |= (values[base + i] < constant ? 1L : 0L) << i;
      }
      return bits;
    }

    private static long greater(long[] values, int base, int end, long constant) {
      long bits = 0;
      for (int i = 0; i < end; i++) {
        bits |= (values[base + i] > constant ? 1L : 0L) << i;
      }
      return bits;
    }
  }
}
