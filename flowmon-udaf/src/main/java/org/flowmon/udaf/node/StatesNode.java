package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.FunctionCatalogue.StateEvaluation;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** A function of states, which are texts read row by row. */
public final class StatesNode extends ValueNode {
  private final StateEvaluation evaluation;
  private final Operand[] inputs;
  private final Vector[] vectors;
  private final String[] states;

  public StatesNode(@Nullable ValueKind kind, StateEvaluation evaluation, ValueNode[] inputs) {
    super(kind);
    this.evaluation = evaluation;
    this.inputs = Operand.of(inputs);
    this.vectors = new Vector[inputs.length];
    this.states = new String[inputs.length];
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Operand.evaluate(inputs, rows, from, count, vectors);
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      for (int s = 0; s < states.length; s++) {
        String[] texts = vectors[s].texts();
        states[s] = texts != null && vectors[s].isValid(i) ? texts[i] : null;
      }
      set(out, i, evaluation.of(states));
    }
    out.settleValidity(count);
  }

  private static void set(Vector out, int i, Value value) {
    if (value.isNull()) {
      return; // settled with the others
    }
    out.validity()[i >>> 6] |= 1L << i;
    if (out.texts() != null) {
      out.texts()[i] = value.text();
    } else {
      out.values()[i] = value.low();
    }
    if (out.high() != null) {
      out.high()[i] = value.high();
    }
  }
}
