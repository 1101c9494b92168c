package org.flowmon.udaf.cardinality;

import java.util.function.Function;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.SuperState;
import org.flowmon.udaf.function.UdafCall;

/** What {@link DistinctSets} gives, as queries call it. */
enum SetFunction implements PairFunction {
  /** Values that both have. */
  INTERSECTION(DistinctSets::intersection),
  /** Values that the first has and the second has not. */
  DIFFERENCE(DistinctSets::difference);

  private final Function<DistinctSets, SuperState> operation;

  SetFunction(Function<DistinctSets, SuperState> operation) {
    this.operation = operation;
  }

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
    return Bound.ofState((a, b) -> operation.apply(new DistinctSets(function, a, b)));
  }
}
