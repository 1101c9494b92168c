package org.flowmon.udaf.doubles;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * {@code DOUBLE_SUMS(x)}: number, sum and sum of squares of the non-NULL doubles of x, exactly.
 * Answers are rounded once, so they do not depend on the order of rows or merges. {@code SUM(x)} of
 * a DOUBLE is short for {@code SUM(DOUBLE_SUMS(x))}, and so are AVG, STDDEV and STDDEV_POP.
 */
public final class DoubleSums implements Udaf {
  @Override
  public String name() {
    return "DOUBLE_SUMS";
  }

  @Override
  public String signature() {
    return "DOUBLE_SUMS(x)";
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    call.rows(0, "x", ValueKind.DOUBLE);
    call.atMost(1);
    return BoundUdaf.exact(call, DoublesPad::new, DoubleSumsState::new);
  }

  @Override
  public List<Extractor> extractors() {
    return List.of(
        Extractor.exact(
            "COUNT", ValueKind.LONG, state -> Value.ofLong(((DoubleSumsState) state).count())),
        extractor("SUM", 1, DoubleSumsState::sum),
        extractor("AVG", 1, DoubleSumsState::mean),
        extractor("STDDEV", 2, state -> state.deviation(1)),
        extractor("STDDEV_POP", 1, state -> state.deviation(0)));
  }

  /** Of a double; NULL for fewer than {@code least} values. */
  private static Extractor extractor(
      String name, int least, ToDoubleFunction<DoubleSumsState> value) {
    return Extractor.exact(
        name,
        ValueKind.DOUBLE,
        state -> {
          DoubleSumsState sums = (DoubleSumsState) state;
          return sums.count() < least ? Value.NULL : Value.ofDouble(value.applyAsDouble(sums));
        });
  }
}
