package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SuperState;

/** What {@link DistinctSets} gives, as queries call it. */
enum SetFunction implements PairFunction {
  /** Values that both have. */
  INTERSECTION {
    @Override
    SuperState of(DistinctSets sets) {
      return sets.intersection();
    }
  },

  /** Values that the first has and the second has not. */
  DIFFERENCE {
    @Override
    SuperState of(DistinctSets sets) {
      return sets.difference();
    }
  };

  abstract SuperState of(DistinctSets sets);

  @Override
  public String signature() {
    return name() + "(a, b)";
  }

  @Override
  public boolean givesState() {
    return true;
  }

  @Override
  public Bound bind(BoundUdaf function, UdafCall call) {
    call.atMost(0);
    return Bound.ofState((a, b) -> of(new DistinctSets(function, a, b)));
  }
}
