package org.flowmon.udaf.function;

import java.util.function.Function;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * Takes values out of the states of one function: {@code QUANTILE(state, 0.95)}. Its name needs to
 * be unique only among the function's. Immutable.
 */
public interface Extractor {
  /**
   * An extractor without parameters whose answers are exact.
   *
   * @param kind of its answers
   * @param value that a state has, NULL where it has none
   */
  static Extractor exact(String name, ValueKind kind, Function<SuperState, Value> value) {
    return new ExactExtractor(name, kind, value);
  }

  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** How it is called, for errors and listings: {@code QUANTILE(state, share)}. */
  String signature();

  /** How a query over the rows gives its exact answer; not known unless it is said. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /**
   * Checks a call and fixes its parameters.
   *
   * @param function whose states it will be given
   * @param call the arguments behind the state, all of them constants
   * @throws UdafException saying what was found and what was expected
   */
  BoundExtractor bind(BoundUdaf function, UdafCall call);
}
