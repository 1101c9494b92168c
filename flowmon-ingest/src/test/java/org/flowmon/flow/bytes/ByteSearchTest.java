package org.flowmon.flow.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteSearchTest {
  @Test
  void findsTheFirstPlaceAsALoopDoes() {
    long seed = 5;
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(40)];
      int kinds = 1 + random.nextInt(256); // few kinds: neighbours differ by one, or are equal
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) random.nextInt(kinds);
      }
      int from = random.nextInt(bytes.length + 1);
      int to = from + random.nextInt(bytes.length - from + 1);
      byte sought = (byte) random.nextInt(kinds);
      int expected = -1;
      boolean ascii = true;
      for (int i = to - 1; i >= from; i--) {
        expected = bytes[i] == sought ? i : expected;
        ascii &= bytes[i] >= 0;
      }
      String what = "seed " + seed + ", round " + round;
      assertEquals(expected, ByteSearch.indexOf(bytes, from, to, sought), what);
      assertEquals(ascii, ByteSearch.isAscii(bytes, from, to), what);
    }
  }
}
