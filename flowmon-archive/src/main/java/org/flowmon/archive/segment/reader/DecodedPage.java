package org.flowmon.archive.segment.reader;

import org.jspecify.annotations.Nullable;

/**
 * A decoded page, of data or a dictionary. Values stand at their rows, 0 or −1 if there is none.
 * Immutable but for the mark of its use.
 */
final class DecodedPage {
  private static final int OVERHEAD = 64;

  /** Before any page. */
  static final DecodedPage NONE = ofNumbers(null, new long[0]);

  /** Bits of the rows that have a value; null if all have, and in a dictionary. */
  final long @Nullable [] valid;

  /** Ids by row, −1 for null; none if values are stored as they are. */
  final int[] ids;

  /** Numbers by row or by id; none if there are ids or texts. */
  final long[] numbers;

  /** PLAIN texts of a dictionary; else none. */
  final byte[] texts;

  /** Set by readers, cleared by the cache on its round. */
  volatile boolean used;

  static DecodedPage ofIds(long @Nullable [] valid, int[] ids) {
    return new DecodedPage(valid, ids, new long[0], new byte[0]);
  }

  static DecodedPage ofNumbers(long @Nullable [] valid, long[] numbers) {
    return new DecodedPage(valid, new int[0], numbers, new byte[0]);
  }

  static DecodedPage ofTexts(byte[] texts) {
    return new DecodedPage(null, new int[0], new long[0], texts);
  }

  private DecodedPage(long @Nullable [] valid, int[] ids, long[] numbers, byte[] texts) {
    this.valid = valid;
    this.ids = ids;
    this.numbers = numbers;
    this.texts = texts;
  }

  long bytes() {
    return OVERHEAD
        + (valid == null ? 0 : 8L * valid.length)
        + 4L * ids.length
        + 8L * numbers.length
        + texts.length;
  }
}
