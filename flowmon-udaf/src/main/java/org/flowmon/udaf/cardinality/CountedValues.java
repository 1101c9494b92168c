package org.flowmon.udaf.cardinality;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;

/** A function of this package; its parameter is at the call's end. */
record CountedValues(UdafCall call, boolean counted, Supplier<SuperState> states)
    implements BoundUdaf {

  /** The number of checked values, at least one, before a constant as parameter. */
  static int values(UdafCall call) {
    int values = call.size();
    if (values > 1 && call.arguments().get(values - 1).constant() != null) {
      values--;
    }
    for (int place = 0; place < Math.max(1, values); place++) {
      call.rows(place, "a value");
    }
    return values;
  }

  static UdafCall complete(UdafCall call, int values, long parameter) {
    List<UdafCall.Argument> all = new ArrayList<>(call.arguments().subList(0, values));
    all.add(UdafCall.Argument.of(Value.ofLong(parameter)));
    return call.with(all);
  }

  @Override
  public int arguments() {
    return call.size() - 1;
  }

  @Override
  public String stateType() {
    String kinds =
        call.arguments().subList(0, arguments()).stream()
            .map(argument -> String.valueOf(argument.kind()))
            .collect(Collectors.joining(", "));
    return call.name() + "(" + kinds + ", " + call.arguments().get(arguments()) + ")";
  }

  @Override
  public boolean isExact() {
    return false;
  }

  @Override
  public SubAggregate subAggregate() {
    return new HashPad(counted);
  }

  @Override
  public SuperAggregate superAggregate() {
    return states::get;
  }
}
