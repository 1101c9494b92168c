package org.flowmon.udaf.aggregate;

import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * A function that keeps one state for each group, which all calls with the same arguments share.
 * Immutable.
 */
public final class GroupFunction {
  private final BoundUdaf function;
  private final int[] arguments;
  private final int padWord;
  private final boolean takesStates;

  /**
   * A function.
   *
   * @param arguments places of its arguments of rows in {@link GroupLayout#arguments}
   * @param padWord where its scratchpad begins among those of a group
   * @param takesStates whether its one argument gives states of it, which are merged
   */
  GroupFunction(BoundUdaf function, List<Integer> arguments, int padWord, boolean takesStates) {
    this.takesStates = takesStates;
    this.padWord = padWord;
    this.function = function;
    this.arguments = arguments.stream().mapToInt(place -> place).toArray();
  }

  /** The function itself. */
  public BoundUdaf function() {
    return function;
  }

  /** Whether its one argument gives states of it, as texts, which are merged. */
  public boolean takesStates() {
    return takesStates;
  }

  /** How many arguments of rows it has. */
  public int arguments() {
    return arguments.length;
  }

  /** The place of an argument in {@link GroupLayout#arguments}. */
  public int argument(int argument) {
    return arguments[argument];
  }

  /** Where its scratchpad begins among those of a group: {@link GroupLayout#padWords}. */
  public int padWord() {
    return padWord;
  }

  /** Of the vectors of all of the layout's arguments, those of the function. */
  public Vector[] vectors(Vector[] all) {
    Vector[] vectors = new Vector[arguments.length];
    for (int a = 0; a < vectors.length; a++) {
      vectors[a] = all[arguments[a]];
    }
    return vectors;
  }

  /** A low half. */
  public SubAggregate low() {
    return function.subAggregate();
  }

  /** A high half. */
  public SuperAggregate high() {
    return function.superAggregate();
  }
}
