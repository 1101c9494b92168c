package org.flowmon.udaf.catalogue;

import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;

/** UNION: the state of both states' rows. Every function has it. */
final class Union implements PairFunction {
  static final Union UNION = new Union();

  private Union() {}

  @Override
  public String name() {
    return "UNION";
  }

  @Override
  public String signature() {
    return "UNION(a, b)";
  }

  @Override
  public boolean givesState() {
    return true;
  }

  @Override
  public Bound bind(BoundUdaf function, UdafCall call) {
    call.atMost(0);
    return Bound.ofState(
        (a, b) -> {
          SuperState all = function.superAggregate().initialize();
          for (SuperState one : new SuperState[] {a, b}) {
            StateSink sink = new StateSink(); // these may be from other tasks
            one.output(sink);
            all.merge(sink.reader("a state"));
          }
          return all;
        });
  }
}
