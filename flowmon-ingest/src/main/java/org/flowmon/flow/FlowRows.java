package org.flowmon.flow;

/**
 * Rows of flows as columns: what every expression and aggregate reads, whether the rows are a live
 * batch or a part of an archived segment. Reads go into the caller's arrays, so that loops run over
 * primitives.
 *
 * <p>A null reads as 0 (or the address {@code ::}); {@link #readValidity} tells it from a real 0.
 */
public interface FlowRows {
  /** How the values of a column are there. */
  enum Presence {
    /** Every value is null; nothing is stored. */
    ABSENT,
    /** Every row has the same value, none is null. */
    CONSTANT,
    /** No value is null. */
    DENSE,
    /** Some are null. */
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
   * Reads which of the {@code count} values from row {@code from} are not null: bit {@code i & 63}
   * of word {@code i >>> 6} for row {@code from + i}. Bits past {@code count} are 0.
   */
  void readValidity(FlowColumn column, int from, int count, long[] words);

  /** The text of a row, null where there is none. */
  String text(FlowColumn column, int row);

  /**
   * Reads {@code count} texts from row {@code from} into {@code out[0 … count)}, null where there
   * is none. To be preferred to {@link #text} for more than one row.
   */
  default void readTexts(FlowColumn column, int from, int count, String[] out) {
    for (int i = 0; i < count; i++) {
      out[i] = text(column, from + i);
    }
  }
}
