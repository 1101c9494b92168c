package org.flowmon.udaf.partial;

/** The destination of the low level's partial groups. */
@FunctionalInterface
public interface PartialSink {
  /**
   * Takes the groups of one query, one pane and one key group, 0 … max parallelism − 1, as bytes
   * for {@link PartialGroups#open}, given away.
   */
  void emit(int keyGroup, byte[] partialGroups);
}
