package org.flowmon.udaf.table;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.query.AnswerTooLargeException;

/**
 * What the groups of one query may take of the heap, in the tables of all of its threads together:
 * words, and states of functions. A table asks before its words grow, and tells what it has after
 * some thousand rows: states may be beyond the limit by what these rows made of them. Thread-safe.
 */
public final class GroupMemory {
  private final long most;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Memory of which nothing is taken.
   *
   * @param most bytes
   */
  public GroupMemory(long most) {
    this.most = most;
  }

  /** Bytes that tables have told of. */
  public long taken() {
    return taken.get();
  }

  /**
   * Notes that a table has so many bytes more than before.
   *
   * @throws AnswerTooLargeException where all have too many together
   */
  void take(long bytes) {
    if (taken.addAndGet(bytes) > most) {
      throw AnswerTooLargeException.ofMemory(most);
    }
  }

  /**
   * Asks for bytes that a table is going to have.
   *
   * @throws AnswerTooLargeException where there would be too many
   */
  void require(long bytes) {
    if (taken.get() + bytes > most) {
      throw AnswerTooLargeException.ofMemory(most);
    }
  }
}
