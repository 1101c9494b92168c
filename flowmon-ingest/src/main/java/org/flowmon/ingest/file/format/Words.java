package org.flowmon.ingest.file.format;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** Names of numbers, found in bytes whatever their case, without a String. Immutable. */
public final class Words {
  public static final long UNKNOWN = -1;
  static final Words NONE = new Words(Map.of());

  private final byte[][] words;
  private final long[] numbers;

  /** Numbers are not negative. */
  Words(Map<String, Long> byName) {
    int places = Integer.highestOneBit(Math.max(1, byName.size())) << 2;
    this.words = new byte[places][0];
    this.numbers = new long[places];
    byName.forEach(this::put);
  }

  private void put(String name, long number) {
    byte[] word = name.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.ISO_8859_1);
    int place = place(word, 0, word.length);
    words[place] = word;
    numbers[place] = number;
  }

  /** {@link #UNKNOWN} if no number has the name. */
  public long number(byte[] bytes, int from, int to) {
    int place = from < to ? place(bytes, from, to) : 0;
    return from < to && words[place].length > 0 ? numbers[place] : UNKNOWN;
  }

  /** Of the word or of the free place where it belongs. */
  private int place(byte[] bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + lower(bytes[i]);
    }
    int place = (hash ^ hash >>> 15) & (words.length - 1);
    while (words[place].length > 0 && !isSame(words[place], bytes, from, to)) {
      place = place + 1 & (words.length - 1);
    }
    return place;
  }

  private static boolean isSame(byte[] word, byte[] bytes, int from, int to) {
    if (word.length != to - from) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (word[i] != lower(bytes[from + i])) {
        return false;
      }
    }
    return true;
  }

  private static int lower(byte b) {
    return b >= 'A' && b <= 'Z' ? b | 0x20 : b;
  }
}
