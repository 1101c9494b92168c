package org.flowmon.ingest.collect;

import java.nio.ByteBuffer;

/** Datagrams and messages of NetFlow v9 and IPFIX with one template. */
final class Exports {
  static final int TEMPLATE = 256;
  static final int DOMAIN = 7;

  private Exports() {}

  /** A template of two fields (source address, bytes), flows by it, or both. */
  static byte[] of(int version, int sequence, boolean template, int flows) {
    int head = version == 9 ? 20 : 16;
    int data = flows == 0 ? 0 : 4 + 8 * flows;
    int length = head + (template ? 16 : 0) + data;
    ByteBuffer out = ByteBuffer.allocate(length).putShort((short) version);
    out.putShort((short) (version == 9 ? flows + (template ? 1 : 0) : length));
    if (version == 9) {
      out.putInt(0);
    }
    out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(sequence).putInt(DOMAIN);
    if (template) {
      out.putShort((short) (version == 9 ? 0 : 2)).putShort((short) 16);
      out.putShort((short) TEMPLATE).putShort((short) 2);
      out.putShort((short) 8).putShort((short) 4).putShort((short) 1).putShort((short) 4);
    }
    if (flows > 0) {
      out.putShort((short) TEMPLATE).putShort((short) data);
      for (int i = 0; i < flows; i++) {
        out.putInt(0x0A00_0001 + i).putInt(100 + i);
      }
    }
    return out.array();
  }
}
