package org.flowmon.udaf.function;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.jspecify.annotations.Nullable;

/**
 * Makes a state, as {@code DIFFERENCE(a, b)}, or an answer, as {@code CHANGES(a, b, 0.01)}, of two
 * states of a function. Functions may share its name. Immutable.
 */
public interface PairFunction {
  /** Upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code CHANGES(before, after [, share])}. */
  String signature();

  boolean givesState();

  /** The way a query over the rows computes its exact answer; unknown by default. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /** The two states can be merged, all else are constants, or a {@link UdafException} tells. */
  Bound bind(BoundUdaf function, UdafCall call);

  /** With its parameters: a state, or an answer with a type; the others are null. States stay. */
  record Bound(
      @Nullable AnswerType type,
      @Nullable BinaryOperator<SuperState> state,
      @Nullable BiFunction<SuperState, SuperState, Answer> answer) {
    public static Bound ofState(BinaryOperator<SuperState> state) {
      return new Bound(null, Objects.requireNonNull(state), null);
    }

    public static Bound ofAnswer(
        AnswerType type, BiFunction<SuperState, SuperState, Answer> answer) {
      return new Bound(Objects.requireNonNull(type), null, Objects.requireNonNull(answer));
    }
  }
}
