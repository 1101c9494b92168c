package org.flowmon.archive.index;

/**
 * The distinct values of a column in order, in arrays that may be longer: a view of the caller's
 * arrays, valid during a call.
 */
public final class DictionaryValues {
  private final long[] high;
  private final long[] low;
  private final byte[][] texts;
  private final int size;

  /**
   * Wraps values.
   *
   * @param high high longs of addresses; null if all are IPv4, and for other columns
   * @param low numbers, or low longs of addresses; null for texts
   * @param texts as UTF-8; null for other columns
   * @param size number of values
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
