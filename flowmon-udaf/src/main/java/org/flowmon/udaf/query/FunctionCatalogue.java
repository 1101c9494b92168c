package org.flowmon.udaf.query;

import java.util.List;
import java.util.Set;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The dialect's view of the aggregate functions that queries call by name. {@link
 * java.util.ServiceLoader} finds one implementation: that of {@code org.flowmon.udaf.function},
 * which knows every function on the class path. Immutable, safe for many threads.
 */
public interface FunctionCatalogue {
  /** A query's way to compute the exact answer of an extractor. */
  public enum Way {
    /** The answer is exact itself. */
    ITSELF,
    /** By the number of different arguments. */
    COUNT_DISTINCT,
    /** By the same extractor of the function with {@link #exactArguments}. */
    EXACT_CALL,
    /** By the values of the arguments in their order, with the number of rows of each. */
    COUNTS,
    /** By the values of the first argument, with the sum of the second or the number of rows. */
    SUMS,
    /** No known way. */
    UNKNOWN
  }

  /** Names with another meaning in the dialect: no function and no extractor has one. */
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

  /** The names of the extractors of a function's states, in capitals. */
  Set<String> extractors(String function);

  /**
   * Checks the call of a function.
   *
   * @param arguments {@link Expression.Literal}s are constants; only the kind of others counts
   * @throws CallException saying what was found and what was expected
   */
  void check(String function, List<Expression> arguments);

  /**
   * Checks the call of an extractor.
   *
   * @param arguments of the function, already checked
   * @param parameters the extractor's arguments after the state
   * @return its result
   * @throws CallException saying what was found and what was expected
   */
  Gives check(
      String function, List<Expression> arguments, String extractor, List<Expression> parameters);

  /** The names of the functions of two states, in capitals. */
  Set<String> pairs();

  /** The functions whose states a function of two states takes, in their order. */
  List<String> withPair(String pair);

  /** Whether a function of two states of a function gives a state. */
  boolean givesState(String pair, String function);

  /** The type of the states of a call, which is already checked. */
  StateType states(String function, List<Expression> arguments);

  /** Whether states of both types can be merged. */
  boolean canMerge(StateType a, StateType b);

  /**
   * Checks the call of a function of two states.
   *
   * @param type of the first; the second's can be merged with it
   * @param parameters after the states
   * @return its result; null for a state of that type
   * @throws CallException saying what was found and what was expected
   */
  @Nullable Gives check(String pair, StateType type, List<Expression> parameters);

  /** Makes the evaluation of a call without parameters. */
  StateEvaluation evaluation(Expression.OfStates call);

  /** A query's way to compute the exact answer of an extractor. */
  Way exact(String function, String extractor);

  /** Whether the answers of a call, which is already checked, are exact. */
  boolean isExact(String function, List<Expression> arguments);

  /**
   * The arguments with which a function is exact, over the same values of rows.
   *
   * @param arguments of a checked call, of a function that has extractors of {@link Way#EXACT_CALL}
   */
  List<Expression> exactArguments(String function, List<Expression> arguments);

  /** A query's way to compute the exact answer of a function of two states that gives values. */
  Way exactOfPair(String function, String pair);

  /**
   * The result of an extractor.
   *
   * @param kind of the value; of a list TEXT
   * @param isList whether it is a list of items
   */
  record Gives(@Nullable ValueKind kind, boolean isList) {}

  /** A call that a function or extractor rejects. */
  final class CallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int argument;

    /**
     * An error.
     *
     * @param argument the place of the wrong argument, −1 if there is none
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
