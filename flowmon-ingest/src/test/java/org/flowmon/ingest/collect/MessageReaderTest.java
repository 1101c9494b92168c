package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages cut out of streams that are themselves cut anyhow. */
class MessageReaderTest {
  private static final long SEED = 20261126;

  /** Gives its bytes in pieces of random sizes. */
  private static final class Pieces extends InputStream {
    private final byte[] bytes;
    private final Random random;
    private int at;

    Pieces(byte[] bytes, Random random) {
      this.bytes = bytes;
      this.random = random;
    }

    @Override
    public int read() {
      throw new AssertionError("byte by byte");
    }

    @Override
    public int read(byte[] to, int offset, int most) {
      assertTrue(most > 0, "no room for a byte");
      if (at == bytes.length) {
        return -1;
      }
      int largest = random.nextInt(4) == 0 ? 1 << 16 : 1 + random.nextInt(40);
      int count = Math.min(Math.min(most, largest), bytes.length - at);
      System.arraycopy(bytes, at, to, offset, count);
      at += count;
      return count;
    }
  }

  private static byte[] message(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putShort((short) 10).putShort((short) length);
    return bytes;
  }

  /** Reads to the end; the last element is what it ended with. */
  private static List<Object> read(InputStream in) throws IOException {
    MessageReader reader = new MessageReader();
    List<Object> all = new ArrayList<>();
    while (true) {
      MessageReader.Next next = reader.next();
      switch (next) {
        case MESSAGE ->
            all.add(
                Arrays.copyOfRange(
                    reader.bytes(), reader.offset(), reader.offset() + reader.length()));
        case MORE -> {
          if (!reader.fill(in)) {
            all.add(
                Arrays.copyOfRange(
                    reader.bytes(), reader.partOffset(), reader.partOffset() + reader.partBytes()));
            return all;
          }
        }
        default -> {
          all.add(next);
          return all;
        }
      }
    }
  }

  @Test
  void anyCutsGiveTheSameMessages() throws IOException {
    Random random = new Random(SEED);
    for (int run = 0; run < 300; run++) {
      List<byte[]> messages = new ArrayList<>();
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      for (int i = random.nextInt(20); i >= 0; i--) {
        int length =
            switch (random.nextInt(4)) {
              case 0 -> 16;
              case 1 -> 65_535;
              default -> 16 + random.nextInt(1_500);
            };
        byte[] one = message(random, length);
        messages.add(one);
        stream.write(one);
      }
      byte[] part = Arrays.copyOf(message(random, 1_000), random.nextInt(1_000));
      stream.write(part);
      messages.add(part);
      List<Object> read = read(new Pieces(stream.toByteArray(), random));
      assertEquals(messages.size(), read.size(), "seed " + SEED + ", run " + run);
      for (int i = 0; i < messages.size(); i++) {
        assertArrayEquals(messages.get(i), (byte[]) read.get(i), "seed " + SEED + ", run " + run);
      }
    }
  }

  @Test
  void whatIsNoIpfixIsToldByItsFirstBytes() throws IOException {
    Random random = new Random(SEED);
    byte[] good = message(random, 20);
    for (byte[] bad :
        List.of(
            new byte[] {22}, // a TLS handshake
            new byte[] {'G', 'E', 'T'},
            new byte[] {0, 9},
            new byte[] {0, 5},
            new byte[] {0, 0, 0, 5})) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      stream.write(good);
      stream.write(bad);
      List<Object> read = read(new Pieces(stream.toByteArray(), random));
      assertEquals(MessageReader.Next.NOT_IPFIX, read.get(1), Arrays.toString(bad));
    }
  }

  @Test
  void aLengthBelowThatOfTheHeaderEndsTheStream() throws IOException {
    Random random = new Random(SEED);
    for (int length = 0; length < 16; length++) {
      byte[] bad = {0, 10, 0, (byte) length, 1, 2, 3};
      assertEquals(List.of(MessageReader.Next.BAD_LENGTH), read(new Pieces(bad, random)));
    }
  }

  @Test
  void anyBytesEndOrAreMessages() throws IOException {
    Random random = new Random(SEED);
    for (int run = 0; run < 5_000; run++) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      for (int i = random.nextInt(5); i > 0; i--) {
        stream.write(message(random, 16 + random.nextInt(100)));
      }
      byte[] all = stream.toByteArray();
      for (int i = random.nextInt(4); i > 0 && all.length > 0; i--) {
        all[random.nextInt(all.length)] = (byte) random.nextInt();
      }
      int bytes = 0;
      for (Object one : read(new Pieces(all, random))) {
        bytes += one instanceof byte[] message ? message.length : 0;
      }
      assertTrue(bytes <= all.length, "seed " + SEED + ", run " + run);
    }
  }
}
