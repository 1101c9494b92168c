package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.Value;

/** AND, OR, NOT and the tests for NULL and truth, 64 rows at a time. */
final class LogicNodes {
  private LogicNodes() {}

  /** AND. */
  static final class All extends TruthNode {
    private final TruthNode[] terms;
    private final Truth next = new Truth();

    All(TruthNode[] terms) {
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
  static final class Any extends TruthNode {
    private final TruthNode[] terms;
    private final Truth next = new Truth();

    Any(TruthNode[] terms) {
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
  static final class Negation extends TruthNode {
    private final TruthNode term;

    Negation(TruthNode term) {
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
  static final class TruthTest extends TruthNode {
    private final TruthNode term;
    private final boolean truth;

    TruthTest(TruthNode term, boolean truth) {
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
  static final class NullTest extends TruthNode {
    private final ValueNode term;
    private final Vector vector;

    NullTest(ValueNode term) {
      this.term = term;
      this.vector = new Vector(term.kind());
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      term.evaluate(rows, from, count, vector);
      for (int w = 0; w < Vector.WORDS; w++) {
        out.isFalse[w] = vector.validity()[w];
        out.isTrue[w] = ~vector.validity()[w] & Vector.mask(w, count);
      }
    }
  }

  /** TRUE, FALSE or NULL whatever the row. */
  static final class Constant extends TruthNode {
    private final Value value;

    Constant(Value value) {
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
  static final class OfValue extends TruthNode {
    private final ValueNode value;
    private final Vector vector;

    OfValue(ValueNode value) {
      this.value = value;
      this.vector = new Vector(value.kind());
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Truth out) {
      value.evaluate(rows, from, count, vector);
      out.ofFlags(vector.values(), vector.validity(), count);
    }
  }
}
