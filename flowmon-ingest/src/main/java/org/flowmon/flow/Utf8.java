package org.flowmon.flow;

/**
 * Checks UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Invalid bytes
 * would be read as replacement characters of three bytes, and texts would exceed their bounds.
 */
final class Utf8 {
  private Utf8() {}

  static boolean isValid(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int length = characterLength(bytes, at, to);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /** Length in bytes of the character at {@code at}, 0 if it is invalid. */
  private static int characterLength(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xFF;
    if (lead < 0x80) {
      return 1;
    }
    int length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || at + length > to) {
      return 0;
    }
    for (int i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xFF;
    boolean allowed =
        switch (lead) {
          case 0xE0 -> second >= 0xA0; // overlong
          case 0xED -> second < 0xA0; // surrogates
          case 0xF0 -> second >= 0x90; // overlong
          case 0xF4 -> second < 0x90; // above U+10FFFF
          default -> true;
        };
    return allowed ? length : 0;
  }
}
