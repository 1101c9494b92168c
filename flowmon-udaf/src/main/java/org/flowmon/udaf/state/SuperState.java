package org.flowmon.udaf.state;

/**
 * A group's state at the high level, and a query's result before extractors. It may grow with
 * merges, and reports its size.
 */
public interface SuperState {
  /**
   * Merges a sub-state or a super-state of the same {@code BoundUdaf.stateType}: all remaining
   * bytes; none are a state without rows. They are untrusted: form, counts and lengths are checked
   * first, and allocation is bounded by the number of bytes. They are copied, not kept.
   *
   * @throws StateFormatException if they are no such state; this state is then unchanged
   */
  void merge(StateReader bytes);

  /** Merges another state of the same {@link SuperAggregate}; the other stays unchanged. */
  default void merge(SuperState other) {
    StateSink sink = new StateSink();
    other.output(sink);
    merge(sink.reader("a state"));
  }

  /**
   * OUTPUT: appends the state, unchanged, for {@link #merge}. The first byte is the form, as with
   * {@link SubAggregate#output}: a form means one layout, whichever half wrote it.
   */
  void output(StateSink sink);

  /**
   * Heap bytes of the state, including object headers; never too low, and computed without a walk
   * over the content. Only merges change it, as callers ask after a merge: memory that output and
   * extractors keep is included from the beginning.
   */
  long memoryBytes();

  /**
   * The most bytes by which merging may make {@link #memoryBytes} grow, including temporary memory.
   * Callers ask before the merge, so that a query with too little memory ends before the
   * allocation. The default is enough for a table that doubles and keeps at most {@value
   * #BYTES_FOR_EACH} bytes for each merged byte. A state that a few bytes may turn into a larger
   * one must override it. It may look at the bytes, but not read them.
   */
  default long growth(StateReader bytes) {
    return 2 * memoryBytes() + (long) BYTES_FOR_EACH * bytes.remaining();
  }

  /** The default {@link #growth} per merged byte. */
  int BYTES_FOR_EACH = 64;

  /**
   * Bytes that a budget charges for the state: at least {@link #memoryBytes}, the default. They
   * must depend on its rows alone, in any order of merging, and never fall as rows are added: a
   * budget admits the same states in every run.
   */
  default long chargedBytes() {
    return memoryBytes();
  }

  /** DESTROY: releases resources besides heap; the state is not used again. Most have none. */
  default void destroy() {}
}
