package org.flowmon.udaf.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * The heap budget of one query over all of its threads: words of groups, states of functions, rows
 * of joins and results of subqueries. Growth is first taken from it, and happens only if it is
 * granted; an array that grows by a copy counts twice meanwhile. Long work calls {@link #check}
 * once per block to learn whether the query goes on. A subquery has a {@link #part}, given back
 * after its answer. Thread-safe.
 */
public final class GroupMemory implements AutoCloseable {
  private final long most;
  private final GroupMemory whole; // of the query: this or what it is a part of
  private final Runnable check;
  private final AtomicLong taken = new AtomicLong();

  public GroupMemory(long most) {
    this(most, () -> {});
  }

  /** {@code check} runs now and then, on any thread of the query, and may throw to end it. */
  public GroupMemory(long most, Runnable check) {
    this.most = most;
    this.whole = this;
    this.check = check;
  }

  private GroupMemory(GroupMemory whole) {
    this.most = whole.most;
    this.whole = whole;
    this.check = whole.check;
  }

  public static GroupMemory unlimited() {
    return new GroupMemory(Long.MAX_VALUE);
  }

  /** A part: its bytes count against this memory, too, until the part is closed. */
  public GroupMemory part() {
    return new GroupMemory(whole);
  }

  /** Throws if the query is to end. */
  public void check() {
    check.run();
  }

  public long taken() {
    return taken.get();
  }

  /** Bytes left, for callers with an alternative that takes less. */
  public long left() {
    return most - whole.taken.get();
  }

  /**
   * Takes bytes before their allocation, or gives some back.
   *
   * @throws AnswerTooLargeException if the total would exceed the limit; nothing is taken then
   */
  public void take(long bytes) {
    AtomicLong all = whole.taken;
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
    if (whole != this) {
      taken.addAndGet(bytes);
    }
  }

  @Override
  public void close() {
    take(-taken.get());
  }
}
