package org.flowmon.udaf.memory;

/** Heap bytes of texts. */
public final class TextBytes {
  /** A string and its array, without the characters. */
  public static final int OBJECT_BYTES = 48;

  private TextBytes() {}

  /** Bytes of the characters: one each, or two if any is beyond Latin-1. */
  public static long of(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0xFF) {
        return 2L * text.length();
      }
    }
    return text.length();
  }
}
