package org.flowmon.archive.index;

/** A column's distinct values in order, in the caller's (longer) arrays, valid during a call. */
public final class DictionaryValues {
  private final long[] high;
  private final long[] low;
  private final DistinctTexts texts;
  private final int size;

  /**
   * {@code high} longs are none if all are IPv4, and for other columns; {@code low} has numbers or
   * low longs; {@code texts} are sorted.
   */
  public DictionaryValues(long[] high, long[] low, DistinctTexts texts, int size) {
    this.high = high;
    this.low = low;
    this.texts = texts;
    this.size = size;
  }

  boolean isWide() {
    return high.length > 0;
  }

  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }

  DistinctTexts texts() {
    return texts;
  }

  int size() {
    return size;
  }
}
