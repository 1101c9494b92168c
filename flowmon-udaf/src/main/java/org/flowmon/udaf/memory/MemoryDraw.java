package org.flowmon.udaf.memory;

import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * What one part of a query, as a table of groups, draws of the query's {@link GroupMemory} before
 * it allocates. It draws a little ahead, so that threads do not meet for each small state. Not
 * thread-safe.
 */
public final class MemoryDraw {
  private static final long MOST_AHEAD = 64 << 10;
  private static final int LEFT_SHARE = 64;

  private final GroupMemory memory; // null: as much as there is
  private long drawn;
  private long used;

  /**
   * Nothing is drawn yet.
   *
   * @param memory null: as much as there is
   */
  public MemoryDraw(GroupMemory memory) {
    this.memory = memory;
  }

  /** Whether there is a limit: else nobody needs to know what is going to be taken. */
  public boolean isLimited() {
    return memory != null;
  }

  /** As {@link GroupMemory#check}: for each block of work that takes up to some milliseconds. */
  public void check() {
    if (memory != null) {
      memory.check();
    }
  }

  /** Bytes that are in use. */
  long used() {
    return used;
  }

  /**
   * Takes bytes that are going to be allocated, or gives some back.
   *
   * @throws AnswerTooLargeException where the query has not so many left; nothing is taken then
   */
  public void take(long bytes) {
    if (memory == null) {
      return;
    }
    long wanted = used + bytes;
    if (wanted > drawn) {
      long ahead = Math.min(MOST_AHEAD, memory.left() / LEFT_SHARE);
      memory.take(wanted - drawn + Math.max(0, ahead));
      drawn = wanted + Math.max(0, ahead);
    } else if (drawn - wanted > 2 * MOST_AHEAD) {
      memory.take(wanted - drawn);
      drawn = wanted;
    }
    used = wanted;
  }
}
