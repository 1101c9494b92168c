package org.flowmon.udaf.function;

import java.util.function.Function;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Takes values out of states: {@code QUANTILE(state, 0.95)}. Unique by function, immutable. */
public interface Extractor {
  /** Without parameters; {@code value} is NULL if the state has none. */
  static Extractor exact(String name, ValueKind kind, Function<SuperState, Value> value) {
    return new ExactExtractor(name, kind, value);
  }

  /** Upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code QUANTILE(state, share)}. */
  String signature();

  /** The way a query over the rows computes its exact answer; unknown by default. */
  default FunctionCatalogue.Way exact() {
    return FunctionCatalogue.Way.UNKNOWN;
  }

  /** All arguments after the state are constants; {@link UdafException} says what was expected. */
  BoundExtractor bind(BoundUdaf function, UdafCall call);
}
