package org.flowmon.ingest.decode.sflow;

import java.nio.charset.StandardCharsets;
import org.flowmon.ingest.decode.packet.PacketBytes;

/** sFlow datagrams written structure by structure, for tests. */
public final class SflowBytes {
  private static final int AGENT = 0xC000_0263; // 192.0.2.99

  private SflowBytes() {}

  public static byte[] datagram(long sequence, byte[]... samples) {
    return datagram(sequence, 3, samples.length, samples);
  }

  static byte[] datagram(long sequence, long subAgent, long claimed, byte[]... samples) {
    PacketBytes bytes =
        new PacketBytes()
            .u32(5)
            .u32(1)
            .u32(AGENT)
            .u32(subAgent)
            .u32(sequence)
            .u32(60_000)
            .u32(claimed);
    for (byte[] sample : samples) {
      bytes.bytes(sample);
    }
    return bytes.toBytes();
  }

  static byte[] framed(long format, byte[] body) {
    return new PacketBytes().u32(format).u32(body.length).bytes(body).toBytes();
  }

  /** Of interface 7, in by it and out by 8. */
  public static byte[] flow(long sequence, long rate, long pool, long drops, byte[]... records) {
    return flow(sequence, rate, pool, drops, 7, 8, records);
  }

  static byte[] flow(
      long sequence, long rate, long pool, long drops, long in, long out, byte[]... records) {
    PacketBytes body =
        new PacketBytes()
            .u32(sequence)
            .u32(7)
            .u32(rate)
            .u32(pool)
            .u32(drops)
            .u32(in)
            .u32(out)
            .u32(records.length);
    for (byte[] record : records) {
      body.bytes(record);
    }
    return framed(1, body.toBytes());
  }

  static byte[] expanded(long sequence, long inFormat, long in, long outFormat, long out) {
    return framed(
        3,
        new PacketBytes()
            .u32(sequence)
            .u32(0)
            .u32(70_000_000)
            .u32(100)
            .u32(1000)
            .u32(0)
            .u32(inFormat)
            .u32(in)
            .u32(outFormat)
            .u32(out)
            .u32(0)
            .toBytes());
  }

  static byte[] discarded(long sequence, long reason, byte[]... records) {
    PacketBytes body =
        new PacketBytes()
            .u32(sequence)
            .u32(0)
            .u32(7)
            .u32(0)
            .u32(7)
            .u32(0)
            .u32(reason)
            .u32(records.length);
    for (byte[] record : records) {
      body.bytes(record);
    }
    return framed(5, body.toBytes());
  }

  /** The first bytes of a frame of {@code whole} bytes. */
  public static byte[] header(long whole, byte[] first) {
    return header(1, whole, first);
  }

  static byte[] header(int protocol, long whole, byte[] first) {
    return framed(
        1,
        new PacketBytes()
            .u32(protocol)
            .u32(whole)
            .u32(4)
            .u32(first.length)
            .bytes(first)
            .bytes(new byte[-first.length & 3])
            .toBytes());
  }

  static byte[] address(String address) {
    return new PacketBytes().u32(address.indexOf(':') < 0 ? 1 : 2).address(address).toBytes();
  }

  static byte[] counters(long sequence, long index, long octets, byte[]... more) {
    PacketBytes counts = new PacketBytes().u32(index).u32(6).u32(2).u32(0x540B_E400L).u32(1).u32(3);
    for (int direction = 1; direction <= 2; direction++) {
      counts.u32(octets >>> 32).u32(octets);
      for (int i = 1; i <= 6; i++) {
        counts.u32(10 * direction + i);
      }
    }
    PacketBytes body = new PacketBytes().u32(sequence).u32(index).u32(1 + more.length);
    body.bytes(framed(1, counts.toBytes()));
    for (byte[] record : more) {
      body.bytes(record);
    }
    return framed(2, body.toBytes());
  }

  static byte[] portName(String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return framed(
        1005,
        new PacketBytes().u32(text.length).bytes(text).bytes(new byte[-text.length & 3]).toBytes());
  }
}
