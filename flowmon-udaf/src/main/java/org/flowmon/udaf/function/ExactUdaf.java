package org.flowmon.udaf.function;

import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;

/** An exact function without parameters, {@link BoundUdaf#exact}. */
record ExactUdaf(UdafCall call, Supplier<SubAggregate> low, Supplier<SuperState> high)
    implements BoundUdaf {
  @Override
  public int arguments() {
    return call.size();
  }

  @Override
  public String stateType() {
    return call.name()
        + call.arguments().stream()
            .map(argument -> String.valueOf(argument.kind()))
            .collect(Collectors.joining(", ", "(", ")"));
  }

  @Override
  public boolean isExact() {
    return true;
  }

  @Override
  public SubAggregate subAggregate() {
    return low.get();
  }

  @Override
  public SuperAggregate superAggregate() {
    return high::get;
  }
}
