package org.flowmon.udaf.function;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.jspecify.annotations.Nullable;

/**
 * Makes a state, as {@code DIFFERENCE(a, b)}, or an answer with bounds, as {@code CHANGES(a, b,
 * 0.01)}, of two states of one function. Several aggregate functions may have pair functions of the
 * same name. Immutable.
 */
public interface PairFunction {
  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code CHANGES(before, after [, share])}. */
  String signature();

  /** Whether its result is a state. */
  boolean givesState();

  /** The way a query over the rows computes its exact answer; unknown by default. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /**
   * Checks a call and fixes its parameters.
   *
   * @param function the function of its two states, which can be merged
   * @param call the arguments after the states, all of them constants
   * @throws UdafException saying what was found and what was expected
   */
  Bound bind(BoundUdaf function, UdafCall call);

  /**
   * A function of two states with its parameters. It leaves the given states unchanged.
   *
   * @param type the type of its answers; null if it gives states
   * @param state null if it gives answers
   * @param answer null if it gives states
   */
  record Bound(
      @Nullable AnswerType type,
      @Nullable BinaryOperator<SuperState> state,
      @Nullable BiFunction<SuperState, SuperState, Answer> answer) {
    /** A function that gives a state of the same function. */
    public static Bound ofState(BinaryOperator<SuperState> state) {
      return new Bound(null, Objects.requireNonNull(state), null);
    }

    /** A function that gives answers. */
    public static Bound ofAnswer(
        AnswerType type, BiFunction<SuperState, SuperState, Answer> answer) {
      return new Bound(Objects.requireNonNull(type), null, Objects.requireNonNull(answer));
    }
  }
}
