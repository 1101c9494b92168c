package org.flowmon.archive.index;

/**
 * The distinct values of a column in order, in arrays that may be longer: a view of the caller's,
 * for the time of a call.
 */
public final class DictionaryValues {
  private final long[] high;
  private final long[] low;
  private final byte[][] texts;
  private final int size;

  /**
   * Some values.
   *
   * @param high high longs of addresses; null if all are IPv4, and of other columns
   * @param low numbers, or low longs of addresses; null of texts
   * @param texts as UTF-8; null of other columns
   * @param size how many there are
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
