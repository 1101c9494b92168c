package org.flowmon.ingest.file.format;

/**
 * Knows GoFlow2's protobuf by its first message: its length, then fields of a {@code FlowMessage}
 * that fill it, with addresses and counts among them.
 */
public final class GoFlowHead {
  private static final int SOURCE_ADDRESS = 6;
  private static final int BYTES = 9;

  private final byte[] head;
  private int at;

  private GoFlowHead(byte[] head) {
    this.head = head;
  }

  /** Whether the bytes begin with a whole message that follows its length; text never does. */
  public static boolean begins(byte[] head) {
    return new GoFlowHead(head).isMessage();
  }

  private boolean isMessage() {
    long length = varint();
    long end = at + length;
    if (length <= 0 || end > head.length) {
      return false;
    }
    boolean hasAddress = false;
    boolean hasBytes = false;
    while (at >= 0 && at < end) {
      long tag = varint();
      int field = (int) (tag >>> 3);
      int wire = (int) tag & 7;
      if (at < 0 || field < 1 || tag >>> 3 > 4096) {
        return false;
      }
      if (wire == 0) {
        varint();
        hasBytes |= field == BYTES;
      } else if (wire == 2) {
        long size = varint();
        if (at < 0 || size < 0 || size > end - at) {
          return false;
        }
        hasAddress |= field == SOURCE_ADDRESS && (size == 4 || size == 16);
        at += (int) size;
      } else {
        return false; // the message has no field of fixed length
      }
    }
    return at == end && hasAddress && hasBytes;
  }

  /** The place is −1 if there is none. */
  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64 && at >= 0 && at < head.length; shift += 7) {
      int b = head[at++];
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    at = -1;
    return -1;
  }
}
