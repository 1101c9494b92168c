package org.flowmon.jobs.sql.function;

import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** {@code QUANTILE(x, share)}: the value of that rank, as QUANTILE(QUANTILES(x), share). */
public final class Quantile extends SketchFunction<Long> {
  private static final long serialVersionUID = 1L;

  public Quantile() {
    super("QUANTILES");
  }

  public void accumulate(Sketch sketch, @Nullable Long value, Double share) {
    if (value != null) {
      add(sketch, share, Value.ofLong(value));
    }
  }

  @Override
  public @Nullable Long getValue(Sketch sketch) {
    if (sketch.isEmpty()) {
      return null;
    }
    Value share = Value.ofDouble(sketch.parameter());
    return ((Estimate) answer(sketch, "QUANTILE", share)).value().low();
  }
}
