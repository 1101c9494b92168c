package org.flowmon.archive.segment.reader;

import org.jspecify.annotations.Nullable;

/**
 * A decoded page, of data or a dictionary. Values stand at their rows, 0 or −1 if there is none.
 * Immutable but for the mark of its use.
 */
final class DecodedPage {
  private static final int OVERHEAD = 64;

  private static final int[] NO_IDS = {};
  private static final long[] NO_NUMBERS = {};
  private static final byte[] NO_TEXTS = {};

  /** Before any page. */
  static final DecodedPage NONE = ofNumbers(null, NO_NUMBERS);

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
    return new DecodedPage(valid, ids, NO_NUMBERS, NO_TEXTS);
  }

  static DecodedPage ofNumbers(long @Nullable [] valid, long[] numbers) {
    return new DecodedPage(valid, NO_IDS, numbers, NO_TEXTS);
  }

  static DecodedPage ofTexts(byte[] texts) {
    return new DecodedPage(null, NO_IDS, NO_NUMBERS, texts);
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
