package org.flowmon.archive.segment.writer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TextDictionaryTest {
  private static final String[] PREFIXES = {
    "",
    "C",
    "https://example.org/a/path/that/is/longer/than/sixty-four/bytes/so/that/it/is/compared/",
    "\0\0\0\0\0\0\0\0",
    "grüße-",
    "\uD83D\uDE00\uD83D\uDE00",
    "12345678"
  };
  private static final String[] ENDS = {"", "\0", "\0\0", "ÿ", "\uFFFD", "~", "\uD83D\uDE00"};

  private final Random random = new Random(7);
  private final DictionaryBuilder dictionary = new DictionaryBuilder(); // reused, as by a writer

  @Test
  void textsAreNumberedInTheOrderOfTheirBytes() {
    for (int round = 0; round < 60; round++) {
      check(1 + random.nextInt(round < 50 ? 300 : 20_000), 1 + random.nextInt(20_000));
    }
  }

  private void check(int count, int different) {
    ColumnValues values = new ColumnValues();
    values.count = count;
    values.texts = new String[count];
    for (int i = 0; i < count; i++) {
      values.texts[i] = text(random.nextInt(different));
    }
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (String text : values.texts) {
      distinct.add(bytes(text));
    }
    dictionary.buildTexts(values);
    assertEquals(distinct.size(), dictionary.size);
    int id = 0;
    for (byte[] text : distinct) {
      assertArrayEquals(text, dictionary.texts[id++]);
    }
    for (int i = 0; i < count; i++) {
      assertArrayEquals(bytes(values.texts[i]), dictionary.texts[dictionary.ids[i]]);
    }
  }

  private static String text(int number) {
    String digits = number % 3 == 0 ? "" : Integer.toString(number * 7919, 36);
    return PREFIXES[number % PREFIXES.length] + digits + ENDS[number / 7 % ENDS.length];
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
