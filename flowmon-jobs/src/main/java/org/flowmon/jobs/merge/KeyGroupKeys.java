package org.flowmon.jobs.merge;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.flowmon.jobs.lowlevel.Partial;
import org.jspecify.annotations.Nullable;

/** A key per key group that Flink assigns to it alone; the low level packs groups by key group. */
public final class KeyGroupKeys implements KeySelector<Partial, Integer> {
  private static final long serialVersionUID = 1L;

  private final int maxParallelism;
  private transient Integer @Nullable [] keys;

  /** {@code maxParallelism} of the next operator. */
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
