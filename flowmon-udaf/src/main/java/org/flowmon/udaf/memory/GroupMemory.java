package org.flowmon.udaf.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * The heap budget of one query over all of its threads: words of groups, states of functions, rows
 * of joins and results of subqueries. Growth is first taken from the budget, and happens only if it
 * is granted. Long work calls {@link #check} once per block to learn whether the query goes on.
 * Thread-safe.
 *
 * <p>An array exists twice while it grows by a copy; both are counted.
 *
 * <p>A subquery has a {@link #part} of it, which is given back after its answer.
 */
public final class GroupMemory implements AutoCloseable {
  private final long most;
  private final GroupMemory whole; // null: this is the whole
  private final Runnable check;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Memory with nothing taken.
   *
   * @param most bytes
   */
  public GroupMemory(long most) {
    this(most, () -> {});
  }

  /**
   * Memory of a query that may be cancelled.
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

  /** A part: its bytes count against this memory, too, until the part is closed. */
  public GroupMemory part() {
    return new GroupMemory(most, whole == null ? this : whole, check);
  }

  /** Returns, unless the query is to end: then it throws. */
  public void check() {
    check.run();
  }

  /** Bytes taken. */
  public long taken() {
    return taken.get();
  }

  /** Bytes left, for callers with an alternative that takes less. */
  public long left() {
    return most - (whole == null ? this : whole).taken.get();
  }

  /**
   * Takes bytes before their allocation, or gives some back.
   *
   * @throws AnswerTooLargeException if the total would exceed the limit; nothing is taken then
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

  /** Gives back all of its bytes. */
  @Override
  public void close() {
    take(-taken.get());
  }
}
