package org.flowmon.udaf.group;

import java.util.BitSet;

/** The changed groups of a {@link GroupTable} among the groups that it had at one time. */
public final class GroupChanges {
  private final BitSet changed;
  private final int groups;

  GroupChanges(int groups) {
    this.changed = new BitSet(groups);
    this.groups = groups;
  }

  /** Notes numbers of groups; ignores groups added since the start. */
  void note(int[] numbers, int n) {
    for (int i = 0; i < n; i++) {
      if (numbers[i] < groups) {
        changed.set(numbers[i]);
      }
    }
  }

  /** The numbers of the changed groups, ascending. */
  public int[] numbers() {
    return changed.stream().toArray();
  }
}
