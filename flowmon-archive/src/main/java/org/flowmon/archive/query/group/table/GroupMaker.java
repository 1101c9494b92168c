package org.flowmon.archive.query.group.table;

/** Makes the groups of one part after the other, for one thread. */
public interface GroupMaker {
  /** The groups of a part, by key; all of its keys are below those of the next part. */
  SortedGroups make(int part, SortedGroups.Arena arena);

  /** Gives back what memory it has taken; it makes no more groups. */
  default void release() {}
}
