package org.flowmon.ingest.decode.packet;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import org.flowmon.flow.IpAddress;

/** Packets written header by header, the outermost first, for tests. */
public final class PacketBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  public PacketBytes u8(long value) {
    out.write((int) value);
    return this;
  }

  public PacketBytes u16(long value) {
    return u8(value >>> 8).u8(value);
  }

  public PacketBytes u32(long value) {
    return u16(value >>> 16).u16(value);
  }

  public PacketBytes hex(String text) {
    out.writeBytes(HexFormat.of().parseHex(text.replace(" ", "")));
    return this;
  }

  public PacketBytes bytes(byte[] bytes) {
    out.writeBytes(bytes);
    return this;
  }

  /** MACs 02:…:02 and 02:…:01 without a type. */
  public PacketBytes macs() {
    return hex("020000000002 020000000001");
  }

  public PacketBytes ethernet(int type) {
    return macs().u16(type);
  }

  public PacketBytes tag(int id, int type) {
    return u16(id).u16(type);
  }

  public PacketBytes label(int label, boolean bottom) {
    return u32((long) label << 12 | (bottom ? 0x100 : 0) | 64);
  }

  public PacketBytes pppoe(int protocol, byte[] payload) {
    return u16(0x1100).u16(1).u16(payload.length + 2).u16(protocol).bytes(payload);
  }

  public PacketBytes ipv4(String from, String to, int protocol, byte[] payload) {
    return u16(0x4500 | 0x2E)
        .u16(20 + payload.length)
        .u16(7)
        .u16(0x4000)
        .u8(61)
        .u8(protocol)
        .u16(0)
        .address(from)
        .address(to)
        .bytes(payload);
  }

  public PacketBytes ipv6(String from, String to, int next, byte[] payload) {
    return u32(0x6000_0000L | 0x5C << 20 | 0xABCDE)
        .u16(payload.length)
        .u8(next)
        .u8(59)
        .address(from)
        .address(to)
        .bytes(payload);
  }

  public PacketBytes address(String text) {
    byte[] all = IpAddress.parse(text).toBytes();
    out.write(all, text.indexOf(':') < 0 ? 12 : 0, text.indexOf(':') < 0 ? 4 : 16);
    return this;
  }

  public static byte[] udp(int from, int to, byte[] payload) {
    return new PacketBytes()
        .u16(from)
        .u16(to)
        .u16(8 + payload.length)
        .u16(0)
        .bytes(payload)
        .toBytes();
  }

  public static byte[] tcp(int from, int to, int flags) {
    return new PacketBytes()
        .u16(from)
        .u16(to)
        .u32(1)
        .u32(2)
        .u16(0x5000 | flags)
        .u16(1000)
        .u32(0)
        .toBytes();
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }

  /** A pcap file of Ethernet frames, big-endian, all of 1970-01-01T00:00:01Z. */
  public static byte[] pcap(List<byte[]> frames) {
    PacketBytes file = new PacketBytes().u32(0xA1B2C3D4L).u16(2).u16(4).u32(0).u32(0);
    file.u32(65_535).u32(1);
    for (byte[] frame : frames) {
      file.u32(1).u32(0).u32(frame.length).u32(frame.length).bytes(frame);
    }
    return file.toBytes();
  }

  /** Frames with tags, labels and tunnels of all kinds. */
  public static List<byte[]> packets() {
    byte[] four = new PacketBytes().ipv4("10.1.0.1", "10.1.0.2", 6, tcp(1024, 443, 0x1B)).toBytes();
    byte[] six =
        new PacketBytes().ipv6("fd00::1", "fd00::2", 17, udp(53, 9, new byte[4])).toBytes();
    byte[] frame = new PacketBytes().ethernet(0x8100).tag(5, 0x86DD).bytes(six).toBytes();
    byte[] vxlan = new PacketBytes().u32(0x0800_0000L).u32(77 << 8).bytes(frame).toBytes();
    byte[] geneve =
        new PacketBytes().u16(0x0100).u16(0x6558).u32(7 << 8).u32(0).bytes(frame).toBytes();
    byte[] gre = new PacketBytes().u16(0x3000).u16(0x6558).u32(1).u32(2).bytes(frame).toBytes();
    byte[] routed =
        new PacketBytes()
            .hex("0404040101000000")
            .address("fc00::2")
            .address("fc00::1")
            .bytes(four)
            .toBytes();
    return List.of(
        new PacketBytes().ethernet(0x0800).bytes(four).toBytes(),
        frame,
        new PacketBytes().ethernet(0x8847).label(1, false).label(2, true).bytes(six).toBytes(),
        new PacketBytes().ethernet(0x8847).label(3, true).u32(0).bytes(frame).toBytes(),
        new PacketBytes().ethernet(0x8864).pppoe(0x57, six).toBytes(),
        new PacketBytes().ethernet(0x0800).ipv4("192.0.2.1", "192.0.2.2", 41, six).toBytes(),
        new PacketBytes().ethernet(0x0800).ipv4("192.0.2.1", "192.0.2.2", 47, gre).toBytes(),
        new PacketBytes()
            .ethernet(0x0800)
            .ipv4("192.0.2.1", "192.0.2.2", 17, udp(4, 4789, vxlan))
            .toBytes(),
        new PacketBytes()
            .ethernet(0x86DD)
            .ipv6("fd00::8", "fd00::9", 17, udp(4, 6081, geneve))
            .toBytes(),
        new PacketBytes().ethernet(0x86DD).ipv6("fd00::1", "fc00::1", 43, routed).toBytes());
  }
}
