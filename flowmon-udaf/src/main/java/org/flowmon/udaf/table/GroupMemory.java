package org.flowmon.udaf.table;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.query.AnswerTooLargeException;

/**
 * What one query may take of the heap, in all of its threads together: the words of groups, the
 * states of functions, the rows of joins and of the results that it asks. What is going to grow
 * asks before it does, and tells what it has; {@link GroupTable}s tell after some thousand rows, so
 * that states may be beyond the limit by what these rows made of them. Thread-safe.
 *
 * <p>A query in another has a {@link #part} of it, which is given back when it is answered.
 */
public final class GroupMemory implements AutoCloseable {
  private final long most;
  private final GroupMemory whole; // null: this is
  private final AtomicLong taken = new AtomicLong();

  /**
   * Memory of which nothing is taken.
   *
   * @param most bytes
   */
  public GroupMemory(long most) {
    this(most, null);
  }

  private GroupMemory(long most, GroupMemory whole) {
    this.most = most;
    this.whole = whole;
  }

  /** Memory without a limit. */
  public static GroupMemory unlimited() {
    return new GroupMemory(Long.MAX_VALUE);
  }

  /** What is taken here is taken of this one too, until it is closed. */
  public GroupMemory part() {
    return new GroupMemory(most, whole == null ? this : whole);
  }

  /** Bytes that are taken. */
  public long taken() {
    return taken.get();
  }

  /** Bytes that may still be taken, for whoever has a way that takes less. */
  public long left() {
    return most - (whole == null ? this : whole).taken.get();
  }

  /**
   * Notes that so many bytes are taken more than before, or less.
   *
   * @throws AnswerTooLargeException where there are too many together
   */
  public void take(long bytes) {
    long all = taken.addAndGet(bytes);
    if (whole != null) {
      all = whole.taken.addAndGet(bytes);
    }
    if (bytes > 0 && all > most) {
      throw AnswerTooLargeException.ofMemory(most);
    }
  }

  /**
   * Asks for bytes that are going to be taken.
   *
   * @throws AnswerTooLargeException where there would be too many
   */
  public void require(long bytes) {
    if (bytes > left()) {
      throw AnswerTooLargeException.ofMemory(most);
    }
  }

  /** Gives back all that is taken of it. */
  @Override
  public void close() {
    take(-taken.get());
  }
}
