package org.flowmon.udaf.function;

import java.util.List;
import java.util.function.Supplier;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;

/**
 * A function with the kinds of its arguments and its parameters. Immutable, and shared by tasks;
 * the two halves that it makes belong to one thread each.
 */
public interface BoundUdaf {
  /**
   * An exact function without parameters: each argument of the call is evaluated for each row, and
   * states can be merged where these are of the same kinds.
   *
   * @param low makes a low half for a task
   * @param high makes a state without rows
   */
  static BoundUdaf exact(UdafCall call, Supplier<SubAggregate> low, Supplier<SuperState> high) {
    return new ExactUdaf(call, low, high);
  }

  /**
   * The call with all parameters, defaults included: binding it anew gives the same function. What
   * is exported carries it, {@code ExportedState}.
   */
  UdafCall call();

  /**
   * How many of the call's first arguments are evaluated for each row; the others are parameters.
   * An argument that is evaluated may be a constant, too.
   */
  int arguments();

  /**
   * Says which states can be merged: those of two calls can exactly where this text is equal. It
   * has the name, the kinds of the arguments and the parameters that states depend on, but not
   * those that only the low half follows: {@code QUANTILES(LONG, 0.01)}.
   */
  String stateType();

  /** Whether answers are exact and states of the same rows are equal, byte for byte. */
  boolean isExact();

  /** A low half of one task, with its own scratch memory, if any. */
  SubAggregate subAggregate();

  /**
   * Where the call leaves it open which low half the function has: the function with each of them,
   * the first of which is {@link #subAggregate}; else this one alone. All have the same {@link
   * #stateType} and high half, which takes sub-states of any of them, in any order.
   */
  default List<BoundUdaf> choices() {
    return List.of(this);
  }

  /** What this low half is called among the {@link #choices} that it is one of. */
  default String lowHalf() {
    return "";
  }

  /** A high half of one task: states that it made may share its scratch memory. */
  SuperAggregate superAggregate();
}
