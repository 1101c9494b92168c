package org.flowmon.udaf.function;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;

/**
 * Makes something of two states of one function: a state again, as {@code DIFFERENCE(a, b)}, or an
 * answer with bounds, as {@code CHANGES(a, b, 0.01)}. Functions of the same name may be of several
 * aggregate functions. Immutable.
 */
public interface PairFunction {
  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** How it is called, for errors and listings: {@code CHANGES(before, after [, share])}. */
  String signature();

  /** Whether it gives a state. */
  boolean givesState();

  /** How a query over the rows gives its exact answer; not known unless it is said. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /**
   * Checks a call and fixes its parameters.
   *
   * @param function whose states it will be given, two that can be merged
   * @param call the arguments behind the states, all of them constants
   * @throws UdafException saying what was found and what was expected
   */
  Bound bind(BoundUdaf function, UdafCall call);

  /**
   * A function of two states with its parameters. The states that it is given stay as they are.
   *
   * @param type what its answers are; null where it gives states
   * @param state null where it gives answers
   * @param answer null where it gives states
   */
  record Bound(
      AnswerType type,
      BinaryOperator<SuperState> state,
      BiFunction<SuperState, SuperState, Answer> answer) {
    /** One that gives a state of the same function. */
    public static Bound ofState(BinaryOperator<SuperState> state) {
      return new Bound(null, Objects.requireNonNull(state), null);
    }

    /** One that gives answers. */
    public static Bound ofAnswer(
        AnswerType type, BiFunction<SuperState, SuperState, Answer> answer) {
      return new Bound(Objects.requireNonNull(type), null, Objects.requireNonNull(answer));
    }
  }
}
