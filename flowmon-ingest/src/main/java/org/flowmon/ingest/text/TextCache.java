package org.flowmon.ingest.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.flow.bytes.ByteSearch;

/** Frequent texts ({@code dns}, {@code ShADadFf}), to save arrays. Direct-mapped. */
public final class TextCache {
  private static final int PLACES = 4096;
  private static final int LONGEST = 64;

  private final byte[][] texts = new byte[PLACES][];

  /** Invalid bytes are replaced by U+FFFD. */
  public byte[] of(byte[] bytes, int from, int to) {
    if (to - from > LONGEST) {
      return valid(bytes, from, to);
    }
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    int place = (hash ^ hash >>> 15) & (PLACES - 1);
    byte[] known = texts[place];
    if (known == null || !Arrays.equals(known, 0, known.length, bytes, from, to)) {
      known = valid(bytes, from, to);
      texts[place] = known;
    }
    return known;
  }

  /** A copy that is valid UTF-8. */
  public static byte[] valid(byte[] bytes, int from, int to) {
    return ByteSearch.isAscii(bytes, from, to)
        ? Arrays.copyOfRange(bytes, from, to)
        : new String(bytes, from, to - from, StandardCharsets.UTF_8)
            .getBytes(StandardCharsets.UTF_8);
  }
}
