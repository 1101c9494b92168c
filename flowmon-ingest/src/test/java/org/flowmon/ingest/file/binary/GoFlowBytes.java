package org.flowmon.ingest.file.binary;

import java.io.ByteArrayOutputStream;

/** Writes a message of protobuf, field by field. */
public final class GoFlowBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  public GoFlowBytes number(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  public GoFlowBytes bytes(int field, byte... value) {
    varint((long) field << 3 | 2);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  public GoFlowBytes fixed32(int field) {
    varint((long) field << 3 | 5);
    out.writeBytes(new byte[4]);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }

  /** The message after its length. */
  public byte[] delimited() {
    GoFlowBytes whole = new GoFlowBytes();
    whole.varint(out.size());
    whole.out.writeBytes(out.toByteArray());
    return whole.toBytes();
  }

  /** A TCP flow as GoFlow2 2.x writes it. */
  public static GoFlowBytes flow(int port) {
    return new GoFlowBytes()
        .number(1, 3)
        .number(110, 1_700_000_010_000_000_000L)
        .number(4, 77)
        .number(3, 512)
        .bytes(11, new byte[] {10, 0, 0, 1})
        .number(111, 1_700_000_000_000_000_500L)
        .number(112, 1_700_000_001_500_000_000L)
        .number(9, 1500)
        .number(10, 2)
        .bytes(6, new byte[] {10, 0, 0, 2})
        .bytes(7, new byte[] {10, 0, 0, 3})
        .number(30, 0x800)
        .number(20, 6)
        .number(21, port)
        .number(22, 443)
        .number(26, 24)
        .number(14, 65001)
        .number(16, 24);
  }
}
