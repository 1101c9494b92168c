package org.flowmon.udaf.function;

import java.util.function.Function;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * Takes values out of the states of one function: {@code QUANTILE(state, 0.95)}. Its name must be
 * unique only among the function's extractors. Immutable.
 */
public interface Extractor {
  /**
   * An extractor without parameters whose answers are exact.
   *
   * @param kind of its answers
   * @param value the value of a state, NULL if it has none
   */
  static Extractor exact(String name, ValueKind kind, Function<SuperState, Value> value) {
    return new ExactExtractor(name, kind, value);
  }

  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code QUANTILE(state, share)}. */
  String signature();

  /** The way a query over the rows computes its exact answer; unknown by default. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /**
   * Checks a call and fixes its parameters.
   *
   * @param function the function of its states
   * @param call the arguments after the state, all of them constants
   * @throws UdafException saying what was found and what was expected
   */
  BoundExtractor bind(BoundUdaf function, UdafCall call);
}
