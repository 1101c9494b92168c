package org.flowmon.archive.segment.writer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.flowmon.flow.BatchStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
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
    values.numbers = new int[count];
    values.texts.clear();
    String[] texts = new String[count];
    for (int i = 0; i < count; i++) {
      texts[i] = text(random.nextInt(different));
      byte[] utf8 = bytes("=" + texts[i] + "=");
      values.numbers[i] = values.texts.number(utf8, 1, utf8.length - 1);
    }
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (String text : texts) {
      distinct.add(bytes(text));
    }
    dictionary.buildTexts(values);
    assertEquals(distinct.size(), dictionary.size);
    int id = 0;
    for (byte[] text : distinct) {
      assertArrayEquals(text, dictionary.texts.text(id++));
    }
    for (int i = 0; i < count; i++) {
      assertArrayEquals(bytes(texts[i]), dictionary.texts.text(dictionary.ids[i]));
    }
  }

  @Test
  void whatTheLastSegmentHadChangesNoDictionary() {
    ColumnValues values = new ColumnValues();
    EncodingChoice encodings = new EncodingChoice();
    int rows = 3000;
    for (int different : new int[] {20_000, 20_000, 5, 20_000, 900, 20_000, 1, 1}) {
      FlowBatchBuilder builder = new FlowBatchBuilder(rows);
      String[] texts = new String[rows];
      TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
      for (int row = 0; row < rows; row++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, row);
        if (random.nextInt(10) > 0) {
          texts[row] = text(random.nextInt(different));
          distinct.add(bytes(texts[row]));
          builder.setText(FlowColumn.UID, texts[row]);
        }
        builder.endRow();
      }
      FlowBatch batch = builder.close(new BatchStream(), 0);
      assertTrue(values.load(FlowColumn.UID, List.of(batch), rows, null));
      encodings.buildDictionary(FlowColumn.UID, values, dictionary, false);
      assertEquals(distinct.size(), dictionary.size);
      assertEquals(distinct.stream().mapToInt(text -> text.length).sum(), dictionary.texts.bytes());
      int value = 0;
      for (String text : texts) {
        if (text != null) {
          assertArrayEquals(bytes(text), dictionary.texts.text(dictionary.ids[value++]));
        }
      }
      assertEquals(value, values.count);
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
