package org.flowmon.bench.hostile;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** An attack by datagrams of strangers on a collector. */
enum DatagramAttack {
  /** Each from another exporter: an address, or an observation domain of one. */
  EXPORTERS("a new exporter with each datagram", 50_000, 10) {
    @Override
    void write(ByteBuffer out, long number, Random random, List<byte[]> good) {
      ipfix(out, (int) number);
      template(set(out, TEMPLATE_SET), 256, 8, 4, 12, 4, 1, 4);
      close(out);
      set(out, 256).putInt(random.nextInt()).putInt(random.nextInt()).putInt(40);
      close(out);
    }
  },
  /** Only template definitions, each different from the previous one of its id. */
  TEMPLATES("a hundred templates in each datagram", 10_000, 2_000) {
    @Override
    void write(ByteBuffer out, long number, Random random, List<byte[]> good) {
      ipfix(out, (int) (number % 7));
      set(out, TEMPLATE_SET);
      int first = 256 + random.nextInt(60_000);
      for (int i = 0; out.remaining() >= 20; i++) {
        template(out, first + i, 8, 4, 1, 1 + random.nextInt(8));
      }
      close(out);
    }
  },
  /** Samplers with rates, all different. */
  OPTIONS("two hundred samplers in each datagram", 5_000, 2_000) {
    @Override
    void write(ByteBuffer out, long number, Random random, List<byte[]> good) {
      ipfix(out, (int) (number % 7));
      set(out, OPTIONS_TEMPLATE_SET).putShort((short) 300).putShort((short) 2).putShort((short) 1);
      out.putShort((short) 302).putShort((short) 4).putShort((short) 34).putShort((short) 2);
      close(out);
      set(out, 300);
      while (out.remaining() >= 6) {
        out.putInt(random.nextInt()).putShort((short) (1 + random.nextInt(1000)));
      }
      close(out);
    }
  },
  /** Random bytes, and mutated datagrams of real exporters. */
  GARBAGE("random and mutated datagrams", 1_000, 10) {
    @Override
    void write(ByteBuffer out, long number, Random random, List<byte[]> good) {
      if (number % 2 == 0) {
        byte[] bytes = new byte[random.nextInt(1_400)];
        random.nextBytes(bytes);
        if (bytes.length > 1 && number % 4 == 0) { // so that not all fail at the version
          bytes[0] = 0;
          bytes[1] = (byte) List.of(5, 9, 10).get(random.nextInt(3)).intValue();
        }
        out.put(bytes);
        return;
      }
      byte[] bytes = good.get(random.nextInt(good.size())).clone();
      for (int i = random.nextInt(8); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
      }
      out.put(bytes, 0, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length);
    }
  };

  /** The largest size without fragments, which would cost the attacker, too. */
  static final int BYTES = 1_400;

  private static final int TEMPLATE_SET = 2;
  private static final int OPTIONS_TEMPLATE_SET = 3;

  final String words;

  /** Datagrams a second, if the collector keeps up. */
  final int perSecond;

  /** Datagrams from one address before the next one sends. */
  final int perAddress;

  DatagramAttack(String words, int perSecond, int perAddress) {
    this.words = words;
    this.perSecond = perSecond;
    this.perAddress = perAddress;
  }

  /**
   * Writes a datagram into an empty buffer of {@value #BYTES} bytes.
   *
   * @param number of the datagram, 0 first
   * @param good datagrams of good exporters
   */
  abstract void write(ByteBuffer out, long number, Random random, List<byte[]> good);

  /** Writes a datagram and makes it ready to be sent. */
  final void next(ByteBuffer out, long number, Random random, List<byte[]> good) {
    out.clear();
    write(out, number, random, good);
    out.flip();
    if (out.limit() >= 16 && out.getShort(0) == 10 && this != GARBAGE) {
      out.putShort(2, (short) out.limit());
    }
  }

  private static void ipfix(ByteBuffer out, int domain) {
    int seconds = (int) (System.currentTimeMillis() / 1000);
    out.putShort((short) 10).putShort((short) 0).putInt(seconds).putInt(0).putInt(domain);
  }

  /** Begins a set; {@link #close} writes its length. */
  private static ByteBuffer set(ByteBuffer out, int id) {
    out.mark();
    return out.putShort((short) id).putShort((short) 0);
  }

  private static void close(ByteBuffer out) {
    int end = out.position();
    out.reset();
    int begin = out.position();
    out.putShort(begin + 2, (short) (end - begin)).position(end);
  }

  private static void template(ByteBuffer out, int id, int... elementsAndLengths) {
    out.putShort((short) id).putShort((short) (elementsAndLengths.length / 2));
    for (int value : elementsAndLengths) {
      out.putShort((short) value);
    }
  }
}
