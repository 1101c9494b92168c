package org.flowmon.ingest.decode;

import java.io.ByteArrayOutputStream;

/** Export datagrams written byte by byte, for tests. */
final class ExportBytes {
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

  ExportBytes u64(long value) {
    return u32(value >>> 32).u32(value);
  }

  /** The low {@code length} bytes of a value. */
  ExportBytes number(long value, int length) {
    for (int i = length - 1; i >= 0; i--) {
      u8(i > 7 ? 0 : value >>> (8 * i));
    }
    return this;
  }

  ExportBytes bytes(byte[] bytes) {
    out.writeBytes(bytes);
    return this;
  }

  /** A set: its header, then its body. */
  ExportBytes set(int id, byte[] body) {
    return u16(id).u16(body.length + 4).bytes(body);
  }

  /** Bytes so far. */
  int size() {
    return out.size();
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  static byte[] v9(int count, long uptime, long seconds, long sequence, long source, byte[] sets) {
    return new ExportBytes()
        .u16(9)
        .u16(count)
        .u32(uptime)
        .u32(seconds)
        .u32(sequence)
        .u32(source)
        .bytes(sets)
        .toBytes();
  }

  static byte[] ipfix(long seconds, long sequence, long domain, byte[] sets) {
    return new ExportBytes()
        .u16(10)
        .u16(sets.length + 16)
        .u32(seconds)
        .u32(sequence)
        .u32(domain)
        .bytes(sets)
        .toBytes();
  }

  /** The definition of a template of (element, length) pairs. */
  static byte[] template(int id, int... elementsAndLengths) {
    ExportBytes bytes = new ExportBytes().u16(id).u16(elementsAndLengths.length / 2);
    for (int value : elementsAndLengths) {
      bytes.u16(value);
    }
    return bytes.toBytes();
  }
}
