package org.flowmon.archive.rollup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import java.util.Random;
import org.flowmon.flow.bytes.ByteSink;
import org.junit.jupiter.api.Test;

class StreamVByteTest {
  private static byte[] encoded(long[] values) {
    ByteSink out = new ByteSink();
    StreamVByte.encode(values, 0, values.length, out);
    return Arrays.copyOf(out.array(), out.size());
  }

  private static int decode(byte[] block, int length, int count, long[] out) {
    return StreamVByte.decode(
        Arrays.copyOf(block, length + StreamVByte.READ_AHEAD), length, count, out);
  }

  @Test
  void bytesAreThoseOfTheSpecification() {
    long[] values = {0, 0x100, 0x1_0000, 0x1_0000_0000L, 0xFF};
    byte[] expected = {
      (byte) 0b11_10_01_00, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, (byte) 0xFF
    };
    assertArrayEquals(expected, encoded(values));
  }

  @Test
  void everyCountAndLengthOfValuesIsReadAsWritten() {
    Random random = new Random(5);
    for (int round = 0; round < 4000; round++) {
      int count = 1 + random.nextInt(256);
      int bits = 1 + random.nextInt(64);
      long[] values = random.longs(count).map(v -> v >>> random.nextInt(bits)).toArray();
      byte[] block = encoded(values);
      long[] read = new long[256];
      assertEquals(block.length, decode(block, block.length, count, read), "round " + round);
      assertArrayEquals(values, Arrays.copyOf(read, count), "round " + round);
    }
  }

  @Test
  void whatIsNoBlockIsReadWithinItsBoundsAndDoesNotEndWhereItShould() {
    Random random = new Random(6);
    for (int round = 0; round < 4000; round++) {
      int count = 1 + random.nextInt(256);
      byte[] noise = new byte[(count + 3) / 4 + count - 1];
      random.nextBytes(noise);
      // Too short for its values, whatever their lengths.
      assertNotEquals(noise.length, decode(noise, noise.length, count, new long[256]));
    }
  }
}
