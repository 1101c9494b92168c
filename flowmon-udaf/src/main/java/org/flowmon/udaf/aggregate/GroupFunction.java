package org.flowmon.udaf.aggregate;

import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.vector.Vector;

/** A function with one state per group, shared by calls with the same arguments. Immutable. */
public final class GroupFunction {
  private final BoundUdaf function;
  private final int[] arguments;
  private final boolean takesStates;

  GroupFunction(BoundUdaf function, List<Integer> arguments, boolean takesStates) {
    this.takesStates = takesStates;
    this.function = function;
    this.arguments = arguments.stream().mapToInt(place -> place).toArray();
  }

  public BoundUdaf function() {
    return function;
  }

  /** Whether its one argument gives states, as texts, which it merges. */
  public boolean takesStates() {
    return takesStates;
  }

  /** Of rows. */
  public int arguments() {
    return arguments.length;
  }

  /** The place of an argument in {@link GroupLayout#arguments}. */
  public int argument(int argument) {
    return arguments[argument];
  }

  /** Selects the function's vectors from those of all of the layout's arguments. */
  public Vector[] vectors(Vector[] all) {
    Vector[] vectors = new Vector[arguments.length];
    vectors(all, vectors);
    return vectors;
  }

  public void vectors(Vector[] all, Vector[] out) {
    for (int a = 0; a < out.length; a++) {
      out[a] = all[arguments[a]];
    }
  }

  public SubAggregate low() {
    return function.subAggregate();
  }

  public SuperAggregate high() {
    return function.superAggregate();
  }
}
