package org.flowmon.udaf.state;

import org.flowmon.udaf.vector.Vector;

/**
 * The low half of a function: adds rows to a scratchpad of a fixed number of words, which lies in
 * the group table's own array beside sums and counts. Nothing is allocated for a row or a group.
 *
 * <p>A pad's life: {@link #initialize}, any number of {@link #iterate}, {@link #output}, {@link
 * #destroy}. A pad may be copied as plain words between any two of these, so it must not hold
 * places of the array. Used by one thread.
 */
public interface SubAggregate {
  /** Longs of a pad, at least 1 and the same for all groups. */
  int words();

  /** INITIALIZE: makes the words at {@code at} a pad without rows, whatever they held. */
  void initialize(long[] pads, int at);

  /**
   * ITERATE: adds rows to their groups' pads in order. A row with a NULL argument is skipped,
   * unless the function says otherwise.
   *
   * <p>FLUSHME: if a row does not fit its pad, its number is returned and neither it nor a later
   * row has been added. The caller outputs that pad, initializes it, and goes on with that row: a
   * pad without rows takes any row.
   *
   * @param arguments a vector for each of {@code BoundUdaf.arguments}, of the kinds bound; none is
   *     {@linkplain Vector#isWide wide}
   * @param selection places of the rows in the vectors; those from {@code from} to {@code to} − 1
   *     are added
   * @param places by selected row: the start of its group's state in {@code pads}
   * @param word start of the pad in a group's state: that of row r is at {@code places[r] + word}
   * @return the first row that did not fit, {@code to} if all are added
   */
  int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word);

  /**
   * OUTPUT: appends the pad's sub-state, which {@link SuperState#merge} reads; nothing if the pad
   * has no rows and the function needs none. Afterwards the pad may only be initialized or
   * destroyed. The first byte is the form: it identifies a layout of the function, and is never
   * reused for another one (docs/format/states.md). The caller keeps the start and end of the
   * bytes.
   */
  void output(long[] pads, int at, StateSink sink);

  /** DESTROY: releases resources of a pad outside its words; most have none. */
  default void destroy(long[] pads, int at) {}
}
