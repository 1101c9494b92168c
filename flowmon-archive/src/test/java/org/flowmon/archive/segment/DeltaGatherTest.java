package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.archive.segment.format.DeltaDecoder;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.flow.bytes.ByteSink;
import org.junit.jupiter.api.Test;

/** Single values read from deltas equal the written ones. */
final class DeltaGatherTest {
  private static final int READ_AHEAD = 9;

  /**
   * The output of an encoder: its table, then values, then the bytes past them that a decoder may
   * load, and no more. A read further away is an error of the buffer's.
   */
  private static final class Encoded {
    private final byte[] bytes;
    private final int begin;
    private final int count;
    private final boolean narrow;

    Encoded(long[] values, boolean narrow) {
      ByteSink out = new ByteSink();
      ByteSink table = new ByteSink();
      new DeltaEncoder().encode(values, 0, values.length, narrow, out, table);
      this.bytes = new byte[table.size() + out.size() + READ_AHEAD];
      this.begin = table.size();
      this.count = values.length;
      this.narrow = narrow;
      System.arraycopy(table.array(), 0, bytes, 0, begin);
      System.arraycopy(out.array(), 0, bytes, begin, out.size());
    }

    int end() {
      return bytes.length - READ_AHEAD;
    }

    /** Changes the bytes past the end. */
    Encoded withBehind(int value) {
      Arrays.fill(bytes, end(), bytes.length, (byte) value);
      return this;
    }

    DeltaDecoder decoder() {
      ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      return new DeltaDecoder(
          buffer, begin, end(), 0, count, narrow, IllegalArgumentException::new);
    }
  }

  /** Values whose deltas have widths of 0 to 64 bits; the width changes now and then. */
  private static long[] values(SplittableRandom random, int count, boolean narrow) {
    long[] values = new long[count];
    long value = random.nextLong();
    int bits = 0;
    for (int i = 0; i < count; i++) {
      bits = i % 40 == 0 ? random.nextInt(narrow ? 33 : 65) : bits;
      value += bits == 0 ? 3 : random.nextLong() >>> (64 - bits);
      values[i] = narrow ? value & 0xFFFF_FFFFL : value;
    }
    return values;
  }

  private static int[] places(SplittableRandom random, int count) {
    int[] places = new int[1 + random.nextInt(300)];
    for (int i = 0; i < places.length; i++) {
      places[i] = random.nextInt(8) == 0 ? -1 : random.nextInt(count);
    }
    places[random.nextInt(places.length)] = 0;
    places[random.nextInt(places.length)] = count - 1;
    return places;
  }

  @Test
  void gatheredValuesAreThoseThatWereWritten() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      boolean narrow = random.nextBoolean();
      int count = 2 + random.nextInt(seed % 3 == 0 ? 3 : 2000);
      long[] values = values(random, count, narrow);
      int[] places = places(random, count);
      long[] out = new long[places.length];
      new Encoded(values, narrow).decoder().gather(places, places.length, out);
      for (int i = 0; i < places.length; i++) {
        long expected = places[i] < 0 ? 0 : values[places[i]];
        assertEquals(expected, out[i], "seed " + seed + ", value " + places[i] + " of " + count);
      }
    }
  }

  /** A way to read values: some, a block, all. */
  private interface Reading {
    void read(DeltaDecoder decoder, long[] out);
  }

  /** The values, or null if they are refused; any other exception is a defect. */
  private static long[] read(Encoded encoded, Reading reading, String context) {
    long[] out = new long[encoded.count + 300];
    try {
      reading.read(encoded.decoder(), out);
      return out;
    } catch (IllegalArgumentException e) {
      return null;
    } catch (RuntimeException e) {
      throw new AssertionError(context, e);
    }
  }

  @Test
  void damagedDeltasAreErrorsOrOtherValuesButNoneOfBytesBehindTheirEnd() {
    int refused = 0;
    int others = 0;
    for (long seed = 0; seed < 3000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      boolean narrow = random.nextBoolean();
      int count = 2 + random.nextInt(1000);
      long[] values = values(random, count, narrow);
      Encoded encoded = new Encoded(values, narrow);
      for (int f = random.nextInt(40); f >= 0; f--) {
        // Half of them near the end, if the wrong bytes lead past it.
        int at = random.nextInt(random.nextBoolean() ? encoded.end() : Math.min(80, encoded.end()));
        encoded.bytes[encoded.end() - 1 - at] = (byte) random.nextInt();
      }
      int[] places = places(random, count);
      int block = random.nextInt(DeltaDecoder.blockOf(count - 1) + 1);
      List<Reading> readings =
          List.of(
              (decoder, out) -> decoder.gather(places, places.length, out),
              (decoder, out) -> decoder.decode(block, DeltaEncoder.BLOCK, out),
              DeltaDecoder::decodeAll);
      for (int r = 0; r < readings.size(); r++) {
        String context = "seed " + seed + ", reading " + r;
        long[] zeros = read(encoded.withBehind(0), readings.get(r), context);
        long[] ones = read(encoded.withBehind(-1), readings.get(r), context);
        assertArrayEquals(zeros, ones, context);
        refused += zeros == null ? 1 : 0;
        others += zeros == null ? 0 : 1;
      }
    }
    assertTrue(refused > 1000, refused + " were refused");
    assertTrue(others > 1000, others + " were read");
  }
}
