package org.flowmon.archive.group;

/** Makes the groups of one part after the other, for one thread. */
interface GroupMaker {
  /** The groups of a part, by key; all of its keys are below those of the next part. */
  SortedGroups make(int part, SortedGroups.Arena arena);
}
