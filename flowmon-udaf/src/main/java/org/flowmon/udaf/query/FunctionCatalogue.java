package org.flowmon.udaf.query;

import java.util.List;
import java.util.Set;
import org.flowmon.udaf.value.ValueKind;

/**
 * The aggregate functions that queries call by name, as far as the dialect has to know them. One
 * implementation is found by {@link java.util.ServiceLoader}: that of {@code
 * org.flowmon.udaf.function}, which knows every function on the class path. Immutable, safe for
 * many threads.
 */
public interface FunctionCatalogue {
  /** How a query gives the exact answer of an extractor. */
  public enum Way {
    /** The answer is exact itself. */
    ITSELF,
    /** By the number of different arguments. */
    COUNT_DISTINCT,
    /** By the same of the function with {@link #exactArguments}. */
    EXACT_CALL,
    /** By the values of the arguments in their order, with the number of rows of each. */
    COUNTS,
    /** By the values of the first argument, with the sum of the second or the number of rows. */
    SUMS,
    /** By none that is known. */
    UNKNOWN
  }

  /** What the dialect calls otherwise: no function and no extractor of these names is called. */
  Set<String> RESERVED =
      Set.of(
          "NETWORK",
          "TIME_BUCKET",
          "SAME_HOUR",
          "DAYS_BEFORE",
          "COALESCE",
          "CASE",
          "MERGE",
          "LOWER",
          "UPPER");

  /** The functions' names, in capitals. */
  Set<String> functions();

  /** The names of what takes values out of the states of a function, in capitals. */
  Set<String> extractors(String function);

  /** How a function is called, for errors: {@code QUANTILES(x [, epsilon])}. */
  String signature(String function);

  /**
   * Checks the call of a function.
   *
   * @param arguments {@link Expression.Literal}s are constants, of all else the kind counts
   * @throws CallException saying what was found and what was expected
   */
  void check(String function, List<Expression> arguments);

  /**
   * Checks the call of an extractor.
   *
   * @param arguments of the function, which are right
   * @param parameters the extractor's arguments behind the state
   * @return what it gives
   * @throws CallException saying what was found and what was expected
   */
  Gives check(
      String function, List<Expression> arguments, String extractor, List<Expression> parameters);

  /** The names of what makes something of two states, in capitals. */
  Set<String> pairs();

  /** The functions of whose states a function of two states is, in their order. */
  List<String> withPair(String pair);

  /** Whether a function of two states gives a state, of those of a function. */
  boolean givesState(String pair, String function);

  /** What the states of a call are of, which is right. */
  StateType states(String function, List<Expression> arguments);

  /** Whether states of both can be merged. */
  boolean canMerge(StateType a, StateType b);

  /**
   * Checks the call of a function of two states.
   *
   * @param type of the first; the second's can be merged with it
   * @param parameters behind the states
   * @return what it gives; null of a state of that type
   * @throws CallException saying what was found and what was expected
   */
  Gives check(String pair, StateType type, List<Expression> parameters);

  /** Evaluates a call, without parameters. */
  StateEvaluation evaluation(Expression.OfStates call);

  /** How a query gives the exact answer of an extractor. */
  Way exact(String function, String extractor);

  /** Whether answers of a call, which is right, are exact. */
  boolean isExact(String function, List<Expression> arguments);

  /**
   * The arguments with which a function is exact, over the same values of rows.
   *
   * @param arguments of a call that is right, of a function that has extractors of {@link
   *     Way#EXACT_CALL}
   */
  List<Expression> exactArguments(String function, List<Expression> arguments);

  /** How a query gives the exact answer of a function of two states that gives values. */
  Way exactOfPair(String function, String pair);

  /**
   * What an extractor gives.
   *
   * @param kind of the value; of a list TEXT
   * @param isList whether it is a list of items
   */
  record Gives(ValueKind kind, boolean isList) {}

  /** A call that a function or extractor does not take. */
  final class CallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int argument;

    /**
     * What is wrong.
     *
     * @param argument the place of the argument that is wrong, −1 where none is
     */
    public CallException(String message, int argument) {
      super(message);
      this.argument = argument;
    }

    int argument() {
      return argument;
    }
  }
}
