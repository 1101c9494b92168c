package org.flowmon.udaf.table;

/** What texts take of the heap. */
final class TextBytes {
  /** A string and its array, but for the characters. */
  static final int OBJECT_BYTES = 48;

  private TextBytes() {}

  /** Bytes of the characters: one each, or two where any is beyond Latin-1. */
  static long of(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0xFF) {
        return 2L * text.length();
      }
    }
    return text.length();
  }
}
