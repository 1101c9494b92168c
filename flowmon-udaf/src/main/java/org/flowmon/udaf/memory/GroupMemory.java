package org.flowmon.udaf.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * What one query may take of the heap, in all of its threads together: the words of groups, the
 * states of functions, the rows of joins and of the results that it asks. What is going to grow
 * takes it first, and grows only where that was granted; and whatever takes long asks by it whether
 * the query is to go on, once for each block of work. Thread-safe.
 *
 * <p>An array that grows is there twice while it is copied, and both are counted.
 *
 * <p>A query in another has a {@link #part} of it, which is given back when it is answered.
 */
public final class GroupMemory implements AutoCloseable {
  private final long most;
  private final GroupMemory whole; // null: this is
  private final Runnable check;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Memory of which nothing is taken.
   *
   * @param most bytes
   */
  public GroupMemory(long most) {
    this(most, () -> {});
  }

  /**
   * Likewise of a query that may be cancelled.
   *
   * @param check runs now and then, on any thread of the query, and may throw to end it
   */
  public GroupMemory(long most, Runnable check) {
    this(most, null, check);
  }

  private GroupMemory(long most, GroupMemory whole, Runnable check) {
    this.most = most;
    this.whole = whole;
    this.check = check;
  }

  /** Memory without a limit. */
  public static GroupMemory unlimited() {
    return new GroupMemory(Long.MAX_VALUE);
  }

  /** What is taken here is taken of this one too, until it is closed. */
  public GroupMemory part() {
    return new GroupMemory(most, whole == null ? this : whole, check);
  }

  /** Goes on, unless the query is to end: then whoever asks is thrown out. */
  public void check() {
    check.run();
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
   * Takes bytes that are going to be allocated, or gives some back.
   *
   * @throws AnswerTooLargeException where there would be too many together; none are taken then
   */
  public void take(long bytes) {
    AtomicLong all = whole == null ? taken : whole.taken;
    long before = all.get();
    while (true) {
      if (bytes > 0 && bytes > most - before) {
        throw AnswerTooLargeException.ofMemory(most);
      }
      long now = all.compareAndExchange(before, before + bytes);
      if (now == before) {
        break;
      }
      before = now;
    }
    if (whole != null) {
      taken.addAndGet(bytes);
    }
  }

  /** Gives back all that is taken of it. */
  @Override
  public void close() {
    take(-taken.get());
  }
}
