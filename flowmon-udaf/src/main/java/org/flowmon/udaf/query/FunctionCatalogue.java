package org.flowmon.udaf.query;

import java.util.List;
import java.util.Set;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The dialect's view of the aggregate functions called by name. {@link java.util.ServiceLoader}
 * finds one implementation: {@code org.flowmon.udaf.catalogue}'s, which knows every function on the
 * class path. Immutable, so safe for many threads.
 */
public interface FunctionCatalogue {
  /** A query's way to compute the exact answer of an extractor. */
  public enum Way {
    ITSELF,
    COUNT_DISTINCT,
    /** By the same extractor of the function with {@link #exactArguments}. */
    EXACT_CALL,
    /** The arguments' values in order, with the number of rows of each. */
    COUNTS,
    /** The first argument's values, with the sum of the second or the number of rows. */
    SUMS,
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
          "SEEN",
          "CASE",
          "MERGE",
          "LOWER",
          "UPPER");

  /** The functions' names, in capitals. */
  Set<String> functions();

  Set<String> extractors(String function);

  /**
   * {@link Expression.Literal}s are constants; only the kind of other arguments counts.
   *
   * @throws CallException saying what was found and what was expected
   */
  void check(String function, List<Expression> arguments);

  /**
   * {@code parameters} are after the state; the function's arguments are already checked.
   *
   * @throws CallException saying what was found and what was expected
   */
  Gives check(
      String function, List<Expression> arguments, String extractor, List<Expression> parameters);

  Set<String> pairs();

  /** The functions whose states it takes, in their order. */
  List<String> withPair(String pair);

  boolean givesState(String pair, String function);

  StateType states(String function, List<Expression> arguments);

  boolean canMerge(StateType a, StateType b);

  /**
   * The states can be merged. Null for a result that is a state of that type.
   *
   * @throws CallException saying what was found and what was expected
   */
  @Nullable Gives check(String pair, StateType type, List<Expression> parameters);

  StateEvaluation evaluation(Expression.OfStates call);

  /** Of a call with so many arguments: {@code Udaf.laterDefault}. */
  String laterDefault(String function, int arguments);

  Way exact(String function, String extractor);

  boolean isExact(String function, List<Expression> arguments);

  /** Over the same values of rows; of a checked call with {@link Way#EXACT_CALL}. */
  List<Expression> exactArguments(String function, List<Expression> arguments);

  Way exactOfPair(String function, String pair);

  /**
   * A function of states in columns, row by row, on one thread; it caches the previous row's
   * states.
   */
  interface StateEvaluation {
    /** The expressions whose values it takes: texts of states. */
    List<Expression> inputs();

    /** By input, null without rows; {@link QueryException} if a text is no such state. */
    Value of(@Nullable String[] states);
  }

  /** The kind of a list is TEXT. */
  record Gives(@Nullable ValueKind kind, boolean isList) {}

  /** A call that a function or extractor rejects. */
  final class CallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int argument;

    /** Argument −1 for none. */
    public CallException(String message, int argument) {
      super(message);
      this.argument = argument;
    }

    int argument() {
      return argument;
    }
  }
}
