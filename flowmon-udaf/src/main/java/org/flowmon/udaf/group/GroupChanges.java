package org.flowmon.udaf.group;

import java.util.BitSet;

/** Which groups of a {@link GroupTable} have changed, of those that it had at one time. */
public final class GroupChanges {
  private final BitSet changed;
  private final int groups;

  /**
   * None yet.
   *
   * @param groups how many there were
   */
  GroupChanges(int groups) {
    this.changed = new BitSet(groups);
    this.groups = groups;
  }

  /** Notes numbers of groups, of later ones too. */
  void note(int[] numbers, int n) {
    for (int i = 0; i < n; i++) {
      if (numbers[i] < groups) {
        changed.set(numbers[i]);
      }
    }
  }

  /** The numbers of those that changed, ascending. */
  public int[] numbers() {
    return changed.stream().toArray();
  }

  /** How many changed. */
  public int count() {
    return changed.cardinality();
  }

  /** How many there were. */
  public int groups() {
    return groups;
  }
}
