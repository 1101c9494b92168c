package org.flowmon.archive.segment.reader;

/**
 * A decoded page, of data or a dictionary. Values stand at their rows, 0 or −1 if there is none.
 * Immutable but for the mark of its use.
 */
final class DecodedPage {
  private static final int OVERHEAD = 64;

  /** Bits of the rows that have a value; null if all have, and in a dictionary. */
  final long[] valid;

  /** Ids by row, −1 for null; null if values are stored as they are. */
  final int[] ids;

  /** Numbers by row or by id; null if there are ids or texts. */
  final long[] numbers;

  /** PLAIN texts of a dictionary; else null. */
  final byte[] texts;

  /** Set by readers, cleared by the cache on its round. */
  volatile boolean used;

  DecodedPage(long[] valid, int[] ids, long[] numbers, byte[] texts) {
    this.valid = valid;
    this.ids = ids;
    this.numbers = numbers;
    this.texts = texts;
  }

  long bytes() {
    return OVERHEAD
        + (valid == null ? 0 : 8L * valid.length)
        + (ids == null ? 0 : 4L * ids.length)
        + (numbers == null ? 0 : 8L * numbers.length)
        + (texts == null ? 0 : texts.length);
  }
}
