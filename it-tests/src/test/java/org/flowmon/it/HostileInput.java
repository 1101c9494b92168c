package org.flowmon.it;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.flowmon.flow.Heartbeat;

/**
 * Makes hostile input from good input, as anyone could who has seen some of it. The same seed gives
 * the same sequence.
 */
final class HostileInput {
  private static final long YEAR_2100 = 4_102_444_800_000_000L;
  // Of docs/format/flow.md.
  private static final int ROWS_AT = 8;
  private static final int COLUMNS_AT = 12;
  private static final int PRODUCER_AT = 16;
  private static final int SEQUENCE_AT = 24;
  private static final int MAX_ARRIVAL_AT = 72;
  private static final int HEADER_BYTES = 88;

  /** A domain that no simulated router has. */
  private static final int FORGED_DOMAIN = 0x4000_0000;

  private final Random random;

  HostileInput(long seed) {
    this.random = new Random(seed);
  }

  /**
   * A message for the topic of flows, from one that is there: a copy as it is, cut short or, most
   * often, with bytes changed under a new producer id, of which many are batches that can be read;
   * a header that counts too much or is of the year 2100; garbage.
   */
  byte[] message(byte[] good) {
    long producer = random.nextLong();
    return switch (random.nextInt(9)) {
      case 0 -> garbage(1 + random.nextInt(2_000));
      case 1 -> absurd(ofProducer(good, producer));
      case 2 -> inTheYear2100(good, producer);
      case 3 -> Arrays.copyOf(good, random.nextInt(good.length));
      case 4 -> good.clone();
      default -> changed(ofProducer(good, producer));
    };
  }

  private static byte[] ofProducer(byte[] good, long producer) {
    byte[] copy = good.clone();
    little(copy).putLong(PRODUCER_AT, producer);
    return copy;
  }

  /** A header that counts more than there can be. */
  private byte[] absurd(byte[] batch) {
    ByteBuffer header = little(batch);
    switch (random.nextInt(4)) {
      case 0 -> header.putInt(ROWS_AT, Integer.MAX_VALUE);
      case 1 -> header.putInt(ROWS_AT, 1 << 16);
      case 2 -> header.putShort(COLUMNS_AT, (short) 0xFFFF);
      default -> header.putLong(SEQUENCE_AT, Long.MAX_VALUE);
    }
    return batch;
  }

  private byte[] inTheYear2100(byte[] good, long producer) {
    return switch (random.nextInt(3)) {
      case 0 -> Heartbeat.of(producer, 0, 0, 0, YEAR_2100);
      case 1 -> Heartbeat.endOfInput(producer, 0, 0, 0, YEAR_2100);
      default -> {
        byte[] batch = ofProducer(good, producer);
        if (batch.length >= HEADER_BYTES) {
          little(batch).putLong(MAX_ARRIVAL_AT, YEAR_2100);
        }
        yield batch;
      }
    };
  }

  /**
   * A datagram for a collector, from one that a router sends, of a domain that no router has: with
   * bytes changed, cut short, repeated as it is, a flood of templates or of options, or garbage.
   */
  byte[] datagram(byte[] good) {
    return switch (random.nextInt(8)) {
      case 0 -> garbage(1 + random.nextInt(1_400));
      case 1 -> Arrays.copyOf(good, random.nextInt(good.length));
      case 2 -> ofForgedDomain(templates(2, 100));
      case 3 -> ofForgedDomain(templates(3, 100));
      case 4 -> ofForgedDomain(good.clone());
      default -> ofForgedDomain(changed(good.clone()));
    };
  }

  private byte[] garbage(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] changed(byte[] bytes) {
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
    }
    return bytes;
  }

  /** An IPFIX message (RFC 7011) of templates (set 2) or options templates (3), each another. */
  private byte[] templates(int set, int count) {
    ByteBuffer out = ByteBuffer.allocate(16 + 4 + count * (set == 3 ? 14 : 12));
    out.putShort((short) 10).putShort((short) out.capacity());
    out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(random.nextInt()).putInt(0);
    out.putShort((short) set).putShort((short) (out.capacity() - 16));
    for (int i = 0; i < count; i++) {
      out.putShort((short) (256 + random.nextInt(60_000))).putShort((short) 2);
      if (set == 3) {
        out.putShort((short) 1);
      }
      out.putShort((short) 8).putShort((short) (set == 3 ? 4 : 1 + random.nextInt(8)));
      out.putShort((short) 34).putShort((short) 4);
    }
    return out.array();
  }

  private byte[] ofForgedDomain(byte[] datagram) {
    int version = datagram.length < 2 ? 0 : ByteBuffer.wrap(datagram).getShort(0);
    int at = version == 9 ? 16 : version == 10 ? 12 : version == 5 ? 20 : Integer.MAX_VALUE - 4;
    if (at + 4 <= datagram.length) {
      int domain = FORGED_DOMAIN | random.nextInt(1_000);
      ByteBuffer.wrap(datagram).putInt(at, version == 5 ? 0x7F00_0000 | domain : domain);
    }
    return datagram;
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
