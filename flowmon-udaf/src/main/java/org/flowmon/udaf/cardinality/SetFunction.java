package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SuperState;

/** The set operations of {@link DistinctSets} as queries call them. */
enum SetFunction implements PairFunction {
  INTERSECTION {
    @Override
    SuperState of(DistinctSets sets) {
      return sets.intersection();
    }
  },

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
