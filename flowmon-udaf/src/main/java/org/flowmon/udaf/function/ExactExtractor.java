package org.flowmon.udaf.function;

import java.util.function.Function;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** An extractor without parameters whose answers are exact, {@link Extractor#exact}. */
record ExactExtractor(String name, ValueKind kind, Function<SuperState, Value> value)
    implements Extractor, BoundExtractor {
  @Override
  public String signature() {
    return name + "(state)";
  }

  @Override
  public BoundExtractor bind(BoundUdaf function, UdafCall call) {
    call.atMost(0);
    return this;
  }

  @Override
  public AnswerType type() {
    return AnswerType.estimate(kind);
  }

  @Override
  public Answer extract(SuperState state) {
    return Estimate.exact(value.apply(state));
  }

  @Override
  public ErrorBound bound(SuperState state) {
    return ErrorBound.EXACT;
  }
}
