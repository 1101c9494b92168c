package org.flowmon.udaf.memory;

import org.flowmon.udaf.value.AnswerTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * The draw of one part of a query, such as a table of groups, on the query's {@link GroupMemory}.
 * It draws a little ahead, so that threads do not contend for each small state. Not thread-safe.
 */
public final class MemoryDraw {
  private static final long MOST_AHEAD = 64 << 10;
  private static final int LEFT_SHARE = 64;

  private final @Nullable GroupMemory memory; // null: unlimited
  private long drawn;
  private long used;

  /** Nothing is drawn yet; a null memory is unlimited. */
  public MemoryDraw(@Nullable GroupMemory memory) {
    this.memory = memory;
  }

  /** Whether there is a limit: otherwise growth need not be computed. */
  public boolean isLimited() {
    return memory != null;
  }

  /** Throws if the query is to end: call it for each block of work of up to some milliseconds. */
  public void check() {
    if (memory != null) {
      memory.check();
    }
  }

  /**
   * Takes bytes before their allocation, or gives some back.
   *
   * @throws AnswerTooLargeException if the query has too few left; nothing is taken then
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
