package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** AND, OR, NOT and the tests for NULL and truth, 64 rows at a time. */
public final class LogicNodes {
  private LogicNodes() {}

  /** AND. */
  public static final class All extends TruthNode {
    private final TruthNode[] terms;
    private final Truth next = new Truth();

    public All(TruthNode[] terms) {
      this.terms = terms;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      terms[0].evaluate(rows, from, count, out);
      for (int t = 1; t < terms.length; t++) {
        if (allFalse(out, count)) {
          return;
        }
        terms[t].evaluate(rows, from, count, next);
        for (int w = 0; w < Vector.WORDS; w++) {
          out.isTrue[w] &= next.isTrue[w];
          out.isFalse[w] |= next.isFalse[w];
        }
      }
    }

    private static boolean allFalse(Truth truth, int count) {
      for (int w = 0; w < Vector.WORDS; w++) {
        if (truth.isFalse[w] != Vector.mask(w, count)) {
          return false;
        }
      }
      return true;
    }
  }

  /** OR. */
  public static final class Any extends TruthNode {
    private final TruthNode[] terms;
    private final Truth next = new Truth();

    public Any(TruthNode[] terms) {
      this.terms = terms;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      terms[0].evaluate(rows, from, count, out);
      for (int t = 1; t < terms.length; t++) {
        terms[t].evaluate(rows, from, count, next);
        for (int w = 0; w < Vector.WORDS; w++) {
          out.isTrue[w] |= next.isTrue[w];
          out.isFalse[w] &= next.isFalse[w];
        }
      }
    }
  }

  /** NOT. */
  public static final class Negation extends TruthNode {
    private final TruthNode term;

    public Negation(TruthNode term) {
      this.term = term;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      term.evaluate(rows, from, count, out);
      for (int w = 0; w < Vector.WORDS; w++) {
        long wasTrue = out.isTrue[w];
        out.isTrue[w] = out.isFalse[w];
        out.isFalse[w] = wasTrue;
      }
    }
  }

  /** IS TRUE and IS FALSE. */
  public static final class TruthTest extends TruthNode {
    private final TruthNode term;
    private final boolean truth;

    public TruthTest(TruthNode term, boolean truth) {
      this.term = term;
      this.truth = truth;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      term.evaluate(rows, from, count, out);
      for (int w = 0; w < Vector.WORDS; w++) {
        long hit = truth ? out.isTrue[w] : out.isFalse[w];
        out.isTrue[w] = hit;
        out.isFalse[w] = ~hit & Vector.mask(w, count);
      }
    }
  }

  /** IS NULL. */
  public static final class NullTest extends TruthNode {
    private final ValueNode.Operand term;

    public NullTest(ValueNode term) {
      this.term = new ValueNode.Operand(term);
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      long[] validity = term.values(rows, from, count).validity();
      for (int w = 0; w < Vector.WORDS; w++) {
        out.isFalse[w] = validity[w];
        out.isTrue[w] = ~validity[w] & Vector.mask(w, count);
      }
    }
  }

  /** TRUE, FALSE or NULL whatever the row. */
  public static final class Constant extends TruthNode {
    private final Value value;

    public Constant(Value value) {
      this.value = value;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      if (value.isNull()) {
        out.setAllNull();
      } else {
        out.setAll(value.low() != 0, count);
      }
    }
  }

  /** A value node of booleans, such as CASE, as a condition. */
  public static final class OfValue extends TruthNode {
    private final ValueNode.Operand value;

    public OfValue(ValueNode value) {
      this.value = new ValueNode.Operand(value);
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      Vector vector = value.values(rows, from, count);
      out.ofFlags(vector.values(), vector.validity(), count);
    }
  }
}
