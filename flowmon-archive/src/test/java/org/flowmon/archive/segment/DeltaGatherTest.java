package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.flowmon.archive.region.ByteSink;
import org.junit.jupiter.api.Test;

/** Values of deltas that are read one by one are those that were written. */
final class DeltaGatherTest {
  private static final int READ_AHEAD = 9;

  /** What an encoder has written: values, then its table. */
  private static final class Encoded {
    private final byte[] bytes;
    private final int end;
    private final int count;
    private final boolean narrow;

    Encoded(byte[] bytes, int end, int count, boolean narrow) {
      this.bytes = bytes;
      this.end = end;
      this.count = count;
      this.narrow = narrow;
    }

    DeltaDecoder decoder() {
      ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      return new DeltaDecoder(
          buffer, 0, end, end + READ_AHEAD, count, narrow, IllegalArgumentException::new);
    }
  }

  private static Encoded encode(long[] values, boolean narrow) {
    ByteSink out = new ByteSink();
    ByteSink table = new ByteSink();
    new DeltaEncoder().encode(values, 0, values.length, narrow, out, table);
    byte[] bytes = new byte[out.size() + READ_AHEAD + table.size() + READ_AHEAD];
    System.arraycopy(out.array(), 0, bytes, 0, out.size());
    System.arraycopy(table.array(), 0, bytes, out.size() + READ_AHEAD, table.size());
    return new Encoded(bytes, out.size(), values.length, narrow);
  }

  /** Values whose deltas have widths of 0 to 64 bits, another one every some rows. */
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
      encode(values, narrow).decoder().gather(places, places.length, out);
      for (int i = 0; i < places.length; i++) {
        long expected = places[i] < 0 ? 0 : values[places[i]];
        assertEquals(expected, out[i], "seed " + seed + ", value " + places[i] + " of " + count);
      }
    }
  }

  @Test
  void damagedDeltasAreErrorsOrOtherValuesButNotReadBehindTheirEnd() {
    int refused = 0;
    for (long seed = 0; seed < 3000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      boolean narrow = random.nextBoolean();
      int count = 2 + random.nextInt(1000);
      Encoded encoded = encode(values(random, count, narrow), narrow);
      DeltaDecoder decoder = encoded.decoder();
      for (int f = random.nextInt(4); f >= 0; f--) {
        encoded.bytes[random.nextInt(encoded.bytes.length)] = (byte) random.nextInt();
      }
      int[] places = places(random, count);
      try {
        decoder.gather(places, places.length, new long[places.length]);
      } catch (IllegalArgumentException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertTrue(refused > 0, "some damage must show");
  }
}
