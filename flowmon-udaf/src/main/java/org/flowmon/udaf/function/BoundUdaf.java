package org.flowmon.udaf.function;

import java.util.List;
import java.util.function.Supplier;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;

/**
 * A function with the kinds of its arguments and its parameters. Immutable and shared by tasks;
 * each half that it makes belongs to one thread.
 */
public interface BoundUdaf {
  /**
   * An exact function without parameters: each argument is evaluated for each row, and states of
   * the same argument kinds can be merged. {@code high} makes a state without rows.
   */
  static BoundUdaf exact(UdafCall call, Supplier<SubAggregate> low, Supplier<SuperState> high) {
    return new ExactUdaf(call, low, high);
  }

  /**
   * With all parameters, defaults included: binding it anew gives the same function. Exports carry
   * it, {@code ExportedState}.
   */
  UdafCall call();

  /** The leading arguments that are evaluated for each row, maybe constants; parameters follow. */
  int arguments();

  /**
   * States can be merged if and only if this is equal: the name, the kinds of the arguments and the
   * parameters that states depend on, not those of the low half alone: {@code QUANTILES(LONG,
   * 0.01)}.
   */
  String stateType();

  /** Whether answers are exact and states of the same rows are equal, byte for byte. */
  boolean isExact();

  /** Makes a low half for one task, with its own scratch memory, if any. */
  SubAggregate subAggregate();

  /**
   * The low halves that the call allows, {@link #subAggregate}'s first or alone. All have the same
   * {@link #stateType} and high half, which takes sub-states of any of them, in any order.
   */
  default List<BoundUdaf> choices() {
    return List.of(this);
  }

  default String lowHalf() {
    return "";
  }

  /** Makes a high half for one task: its states may share its scratch memory. */
  SuperAggregate superAggregate();
}
