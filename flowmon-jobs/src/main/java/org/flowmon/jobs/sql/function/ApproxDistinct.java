package org.flowmon.jobs.sql.function;

import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** {@code APPROX_DISTINCT(x)}: the number of different values, as APPROX_COUNT_DISTINCT(x). */
public final class ApproxDistinct extends SketchFunction<Long> {
  private static final long serialVersionUID = 1L;

  public ApproxDistinct() {
    super("APPROX_COUNT_DISTINCT");
  }

  public void accumulate(Sketch sketch, @Nullable Long value) {
    if (value != null) {
      add(sketch, 0, Value.ofLong(value));
    }
  }

  public void accumulate(Sketch sketch, @Nullable String value) {
    if (value != null) {
      add(sketch, 0, Value.ofText(value));
    }
  }

  /** Takes the bytes of an address. */
  public void accumulate(Sketch sketch, byte @Nullable [] value) {
    if (value != null) {
      add(sketch, 0, address(value));
    }
  }

  @Override
  public Long getValue(Sketch sketch) {
    return sketch.isEmpty() ? 0 : ((Estimate) answer(sketch, "CARDINALITY")).value().low();
  }
}
