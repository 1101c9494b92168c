package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** Export datagrams written byte by byte: NetFlow v5, v9 (RFC 3954) and IPFIX (RFC 7011). */
final class ExportBytes {
  private static final long SECONDS = 1_790_000_000L;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  ExportBytes u8(long value) {
    out.write((int) value);
    return this;
  }

  ExportBytes u16(long value) {
    return u8(value >>> 8).u8(value);
  }

  ExportBytes u32(long value) {
    return u16(value >>> 16).u16(value);
  }

  ExportBytes set(int id, byte[] body) {
    u16(id).u16(body.length + 4);
    out.writeBytes(body);
    return this;
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  static byte[] v5(int records) {
    ExportBytes bytes =
        new ExportBytes().u16(5).u16(records).u32(60_000).u32(SECONDS).u32(0).u32(77).u32(0);
    for (int i = 0; i < records; i++) {
      bytes.u32(0x0A000001 + i).u32(0xC0000201L).u32(0).u16(1).u16(2);
      bytes.u32(3 + i).u32(1000 + i).u32(10_000).u32(20_000);
      bytes.u16(1024 + i).u16(443).u8(0).u8(0x1B).u8(6).u8(0).u16(64512).u16(64513).u32(0);
    }
    return bytes.toBytes();
  }

  static byte[] v9(byte[] sets) {
    ExportBytes bytes = new ExportBytes().u16(9).u16(3).u32(60_000).u32(SECONDS).u32(7).u32(1);
    bytes.out.writeBytes(sets);
    return bytes.toBytes();
  }

  static byte[] ipfix(byte[] sets) {
    ExportBytes bytes = new ExportBytes().u16(10).u16(sets.length + 16).u32(SECONDS).u32(7).u32(1);
    bytes.out.writeBytes(sets);
    return bytes.toBytes();
  }

  /** A flow sample with a frame's header and its way, and a sample of an interface's counters. */
  static byte[] sflow() {
    ExportBytes bytes = new ExportBytes().u32(5).u32(1).u32(0xC0000201L).u32(0).u32(9).u32(60_000);
    bytes.u32(2);
    bytes.u32(1).u32(32 + 8 + 16 + 44 + 8 + 40).u32(1).u32(7).u32(512).u32(5120).u32(0);
    bytes.u32(7).u32(8).u32(2);
    bytes.u32(1).u32(16 + 44).u32(1).u32(1518).u32(4).u32(42);
    bytes.out.writeBytes(PacketsFuzz.frame());
    bytes.u16(0);
    bytes.u32(1003).u32(40).u32(1).u32(0xCB007101L).u32(64500).u32(64501).u32(64502);
    bytes.u32(1).u32(2).u32(1).u32(64512).u32(0);
    bytes.u32(2).u32(12 + 8 + 88).u32(1).u32(7).u32(1).u32(1).u32(88);
    for (int i = 0; i < 22; i++) {
      bytes.u32(i);
    }
    return bytes.toBytes();
  }

  /** Source, destination, ports, protocol, bytes, packets, and the uptime at first and last. */
  static byte[] flowTemplate(int id) {
    int[] fields = {8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 1, 4, 2, 4, 22, 4, 21, 4};
    ExportBytes bytes = new ExportBytes().u16(id).u16(fields.length / 2);
    for (int field : fields) {
      bytes.u16(field);
    }
    return bytes.toBytes();
  }

  static byte[] flowRecord(int i) {
    return new ExportBytes()
        .u32(0x0A000001 + i)
        .u32(0xC0000201L)
        .u16(1024)
        .u16(53)
        .u8(17)
        .u32(900 + i)
        .u32(1)
        .u32(10_000)
        .u32(11_000)
        .toBytes();
  }

  /** Whole conversations: template and data together, apart, options, variable length, reverse. */
  static List<byte[]> conversations() {
    byte[] template = flowTemplate(256);
    byte[] data = flowRecord(1);
    byte[] v9Options =
        new ExportBytes()
            .u16(257)
            .u16(4)
            .u16(8)
            .u16(1)
            .u16(4)
            .u16(34)
            .u16(4)
            .u16(35)
            .u16(1)
            .toBytes();
    byte[] sampling = new ExportBytes().u32(1).u32(100).u8(1).toBytes();
    byte[] ipfixOptions =
        new ExportBytes().u16(257).u16(2).u16(1).u16(149).u16(4).u16(34).u16(4).toBytes();
    byte[] variable =
        new ExportBytes()
            .u16(258)
            .u16(4)
            .u16(8)
            .u16(4)
            .u16(27)
            .u16(16)
            .u16(371)
            .u16(0xFFFF)
            .u16(0x8001)
            .u16(8)
            .u32(29305)
            .toBytes();
    byte[] variableRecord =
        new ExportBytes()
            .u32(0x0A000009)
            .u32(0x20010db8L)
            .u32(0)
            .u32(0)
            .u32(5)
            .u8(3)
            .u8('b')
            .u8('o')
            .u8('b')
            .u32(0)
            .u32(4711)
            .toBytes();
    byte[] interfaceOptions =
        new ExportBytes().u16(259).u16(2).u16(1).u16(10).u16(4).u16(82).u16(4).toBytes();
    byte[] interfaceName = new ExportBytes().u32(1).u32(0x78652D30).toBytes();
    return List.of(
        Datagrams.input(
            ipfix(new ExportBytes().set(3, interfaceOptions).set(259, interfaceName).toBytes())),
        Datagrams.input(v5(3)),
        Datagrams.input(sflow()),
        Datagrams.input(v9(new ExportBytes().set(0, template).set(256, data).toBytes())),
        Datagrams.input(
            v9(new ExportBytes().set(256, data).toBytes()),
            v9(new ExportBytes().set(1, v9Options).set(257, sampling).toBytes()),
            v9(new ExportBytes().set(0, template).toBytes()),
            v9(new ExportBytes().set(256, data).toBytes())),
        Datagrams.input(
            ipfix(new ExportBytes().set(2, template).set(256, data).toBytes()),
            ipfix(new ExportBytes().set(3, ipfixOptions).set(257, new byte[8]).toBytes()),
            ipfix(new ExportBytes().set(2, variable).set(258, variableRecord).toBytes()),
            ipfix(new ExportBytes().set(2, new ExportBytes().u16(256).u16(0).toBytes()).toBytes()),
            ipfix(new ExportBytes().set(256, data).toBytes())));
  }
}
