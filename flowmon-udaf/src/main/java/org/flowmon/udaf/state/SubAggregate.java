package org.flowmon.udaf.state;

import org.flowmon.udaf.vector.Vector;

/**
 * The low half of a function: takes rows in a scratchpad of a fixed number of words, which lies in
 * the group table's own array beside sums and counts. Nothing is allocated for a row or a group.
 *
 * <p>A pad's life: {@link #initialize}, any number of {@link #iterate}, {@link #output}, {@link
 * #destroy}. A pad may be copied to another place as plain words between any two of these, so it
 * holds no places of the array. Used by one thread.
 */
public interface SubAggregate {
  /** Longs of a pad, at least 1 and the same for all groups. */
  int words();

  /** No sub-state has more bytes than this. */
  int maxBytes();

  /** INITIALIZE: makes the words at {@code at} a pad without rows, whatever they held. */
  void initialize(long[] pads, int at);

  /**
   * ITERATE: adds rows to their groups' pads, one after the other. A row in which an argument is
   * NULL is skipped, unless the function says otherwise.
   *
   * <p>FLUSHME: where a row does not fit its pad, its number is returned and neither it nor a later
   * row has been added. The caller then outputs that pad and initializes it, and goes on with that
   * row: a pad without rows takes any row.
   *
   * @param arguments a vector for each of {@code BoundUdaf.arguments}, of the kinds bound; none is
   *     {@linkplain Vector#isWide wide}
   * @param selection places of the rows in the vectors
   * @param from first of the selected rows to add
   * @param to one past the last
   * @param pads holds the groups' pads
   * @param places by selected row: where its group's state begins in {@code pads}
   * @param word where the pad begins in a group's state: that of row r is at {@code places[r] +
   *     word}
   * @return the first row that did not fit, {@code to} where all are added
   */
  int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word);

  /**
   * OUTPUT: appends the pad's sub-state, which {@link SuperState#merge} reads; nothing where the
   * pad has no rows and the function needs none. Afterwards the pad is only initialized or
   * destroyed. Its first byte is the form: it says which layout of the function follows, and is
   * never used for another one again (docs/format/states.md). The caller knows where the bytes
   * begin and end.
   */
  void output(long[] pads, int at, StateSink sink);

  /** DESTROY: releases what a pad holds outside its words; most hold nothing. */
  default void destroy(long[] pads, int at) {}
}
