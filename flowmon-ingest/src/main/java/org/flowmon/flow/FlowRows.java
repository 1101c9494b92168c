package org.flowmon.flow;

import org.jspecify.annotations.Nullable;

/**
 * Rows of flows as columns: the input of every expression and aggregate, be it a live batch or a
 * part of an archived segment. Reads fill the caller's arrays, so that loops run over primitives.
 *
 * <p>A null reads as 0 (or the address {@code ::}); {@link #readValidity} tells it from a real 0.
 */
public interface FlowRows {
  /** The presence of a column's values. */
  enum Presence {
    /** Every value is null; nothing is stored. */
    ABSENT,
    /** Every row has the same value, none is null. */
    CONSTANT,
    /** No value is null. */
    DENSE,
    /** Some values are null. */
    NULLABLE
  }

  /** Number of rows. */
  int rows();

  Presence presence(FlowColumn column);

  /**
   * Reads {@code count} values of a numeric column from row {@code from} into {@code out[0 …
   * count)}.
   *
   * @throws IllegalArgumentException for an address or text column
   */
  void readLongs(FlowColumn column, int from, int count, long[] out);

  /** Reads {@code count} addresses from row {@code from} into {@code hi} and {@code lo}. */
  void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo);

  /**
   * Reads the validity of {@code count} values from row {@code from}: bit {@code i & 63} of word
   * {@code i >>> 6} is set if row {@code from + i} is not null. Bits past {@code count} are 0.
   */
  void readValidity(FlowColumn column, int from, int count, long[] words);

  /** The text of a row, or null. */
  @Nullable String text(FlowColumn column, int row);

  /**
   * Reads {@code count} texts from row {@code from} into {@code out[0 … count)}; a text may be
   * null. Faster than {@link #text} for more than one row.
   */
  default void readTexts(FlowColumn column, int from, int count, @Nullable String[] out) {
    for (int i = 0; i < count; i++) {
      out[i] = text(column, from + i);
    }
  }
}
