package org.flowmon.jobs.merge;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.flowmon.jobs.lowlevel.Partial;

/**
 * Gives each key group a key that Flink assigns to it alone. The low level packs groups by key
 * group, so the key only routes a message.
 */
public final class KeyGroupKeys implements KeySelector<Partial, Integer> {
  private static final long serialVersionUID = 1L;

  private final int maxParallelism;
  private transient Integer[] keys;

  /**
   * Creates keys for a number of key groups.
   *
   * @param maxParallelism of the next operator
   */
  public KeyGroupKeys(int maxParallelism) {
    this.maxParallelism = maxParallelism;
  }

  @Override
  public Integer getKey(Partial partial) {
    if (keys == null) {
      keys = keys(maxParallelism);
    }
    return keys[partial.keyGroup()];
  }

  /** Returns one key for each key group. */
  static Integer[] keys(int maxParallelism) {
    Integer[] found = new Integer[maxParallelism];
    int missing = maxParallelism;
    for (int candidate = 0; missing > 0; candidate++) {
      Integer key = candidate;
      int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism);
      if (found[keyGroup] == null) {
        found[keyGroup] = key;
        missing--;
      }
    }
    return found;
  }
}
