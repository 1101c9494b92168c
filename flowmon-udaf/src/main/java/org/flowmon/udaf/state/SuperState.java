package org.flowmon.udaf.state;

/**
 * What the high level keeps of a group, and what a query's result is before extractors. It may grow
 * as it is merged into, and it says how large it is.
 */
public interface SuperState {
  /**
   * Merges a sub-state or a super-state of the same {@code BoundUdaf.stateType}. The bytes may come
   * from anywhere: form, counts and lengths are checked before they are believed, and nothing is
   * allocated that they do not pay for. They are copied, not kept.
   *
   * @param bytes all that is left in it is the state; no bytes at all are a state without rows
   * @throws StateFormatException where they are no such state; this one is then as it was before
   */
  void merge(StateReader bytes);

  /**
   * Merges a state that the same {@link SuperAggregate} made, which stays as it is.
   *
   * @param other not this
   */
  default void merge(SuperState other) {
    StateSink sink = new StateSink();
    other.output(sink);
    merge(sink.reader("a state"));
  }

  /**
   * OUTPUT: appends the state, which {@link #merge} reads again. The state stays as it is. Its
   * first byte is the form, as with {@link SubAggregate#output}: a form means one layout, whichever
   * half wrote it.
   */
  void output(StateSink sink);

  /**
   * Bytes of heap that it occupies, objects' headers included; not below the truth, and told
   * without a walk over its content. Merges alone change it: what output and extractors make and
   * keep is in it from the beginning, as whoever counts states asks when they are merged.
   */
  long memoryBytes();

  /**
   * Bytes that merging some bytes may make {@link #memoryBytes} grow by at most, with what the
   * merge makes meanwhile; asked before the merge, so that a query that has not so many left ends
   * before they are allocated. What is not said here is enough for a table that doubles and keeps
   * at most {@value #BYTES_FOR_EACH} bytes for each that it is given; a state that may turn into a
   * larger one with few bytes has to say so.
   *
   * @param bytes what is going to be merged; may be looked at, and is not read
   */
  default long growth(StateReader bytes) {
    return 2 * memoryBytes() + (long) BYTES_FOR_EACH * bytes.remaining();
  }

  /** What {@link #growth} allows for a byte that is merged. */
  int BYTES_FOR_EACH = 64;

  /**
   * Bytes that a budget counts for it: not below {@link #memoryBytes}, a matter of the rows in it
   * alone, whichever way they came into it, and never less when more have come. So what a budget
   * lets in is the same in every run. What {@link #memoryBytes} says where that is so already.
   */
  default long chargedBytes() {
    return memoryBytes();
  }

  /** DESTROY: releases what it holds besides heap; it is not used again. Most hold nothing. */
  default void destroy() {}
}
