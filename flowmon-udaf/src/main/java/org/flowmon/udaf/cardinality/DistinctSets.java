package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;

/**
 * Set operations over two states of {@link DistinctSample} (two hours, days, sites), which stay.
 * The results are states with bounds; a small part of the union has few values in the sample and
 * thus wide bounds: about 2 / √n of it for n values in the sample.
 */
public final class DistinctSets {
  private final SampledValues first;
  private final SampledValues second;

  /** Throws {@link UdafException} for another function than {@link DistinctSample}. */
  public DistinctSets(BoundUdaf function, SuperState first, SuperState second) {
    if (!(first instanceof SampledValues a)
        || !(second instanceof SampledValues b)
        || a.k() != b.k()) {
      throw new UdafException(
          "set operations are over states of one DISTINCT_SAMPLE, found " + function.stateType());
    }
    this.first = a;
    this.second = b;
  }

  /** The values that either state has; rows of both. */
  public SuperState union() {
    SampledValues all = new SampledValues(first.k());
    for (SampledValues one : new SampledValues[] {first, second}) {
      StateSink sink = new StateSink();
      one.output(sink);
      all.merge(sink.reader("a state of DISTINCT_SAMPLE"));
    }
    return all;
  }

  /** The values that both states have; rows of both. */
  public SuperState intersection() {
    return first.common(second, true);
  }

  /** The values of the first state that the second lacks; rows of the first. */
  public SuperState difference() {
    return first.common(second, false);
  }
}
