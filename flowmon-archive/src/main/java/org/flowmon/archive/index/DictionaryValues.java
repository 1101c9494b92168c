package org.flowmon.archive.index;

/** A column's distinct values in order, in the caller's (longer) arrays, valid during a call. */
public final class DictionaryValues {
  private final long[] high;
  private final long[] low;
  private final byte[][] texts;
  private final int size;

  /**
   * {@code high} longs are null if all are IPv4, and for other columns; {@code low} has numbers or
   * low longs, null for texts; {@code texts} are UTF-8, null for other columns.
   */
  public DictionaryValues(long[] high, long[] low, byte[][] texts, int size) {
    this.high = high;
    this.low = low;
    this.texts = texts;
    this.size = size;
  }

  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }

  byte[][] texts() {
    return texts;
  }

  int size() {
    return size;
  }
}
