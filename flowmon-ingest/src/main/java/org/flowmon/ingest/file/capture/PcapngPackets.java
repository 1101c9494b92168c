package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * pcapng (draft-ietf-opsawg-pcapng): blocks, each in the byte order of its section.
 *
 * <pre>
 * block: type 4 | length 4, all of the block | body | length 4
 * </pre>
 */
final class PcapngPackets extends CapturedPackets {
  static final int SECTION_HEADER = 0x0A0D0D0A;
  private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int PACKET = 2; // obsolete, but still in use
  private static final int SIMPLE_PACKET = 3;
  private static final int ENHANCED_PACKET = 6;
  private static final int IF_TSRESOL = 9;
  private static final int IF_TSOFFSET = 14;
  private static final int MAX_INTERFACES = 4096;
  private static final int FRAME = 12; // type and both lengths

  /** An interface and its unit of time: 10^-n or 2^-n seconds, from an offset in seconds. */
  private record Interface(int linkType, boolean binary, int exponent, long offsetSeconds) {
    long micros(long time) {
      long micros;
      if (binary) {
        // Split to avoid overflow: whole seconds, then the fraction in at most 32 bits.
        long fraction = time & ((1L << exponent) - 1);
        int cut = Math.max(0, exponent - 32);
        micros =
            (time >>> exponent) * 1_000_000
                + (((fraction >>> cut) * 1_000_000) >>> (exponent - cut));
      } else if (exponent <= 6) {
        micros = time * pow10(6 - exponent);
      } else {
        micros = Long.divideUnsigned(time, pow10(exponent - 6));
      }
      return micros + offsetSeconds * 1_000_000;
    }

    private static long pow10(int exponent) {
      long power = 1;
      for (int i = 0; i < exponent; i++) {
        power *= 10;
      }
      return power;
    }
  }

  private final byte[] head = new byte[8];
  private final List<Interface> interfaces = new ArrayList<>();
  private ByteOrder order = ByteOrder.LITTLE_ENDIAN;
  private byte[] block = new byte[4096];
  private boolean first = true;

  /** {@code in} is after the type of the first block. */
  PcapngPackets(CaptureInput in) {
    super(in);
  }

  @Override
  public boolean next() throws IOException {
    while (true) {
      int type = nextType();
      if (type == 0) {
        return false;
      }
      if (type == SECTION_HEADER) {
        if (!readSection()) {
          return false;
        }
        continue;
      }
      int body = readBody(ByteBuffer.wrap(head).order(order).getInt(4));
      if (body < 0) {
        return false;
      }
      ByteBuffer fields = ByteBuffer.wrap(block, 0, body).order(order);
      if (type == INTERFACE_DESCRIPTION) {
        readInterface(fields);
      } else if (readPacket(type, fields)) {
        return true;
      }
    }
  }

  /** Leaves the block's length in head; 0 at the end. */
  private int nextType() throws IOException {
    int from = first ? 4 : 0; // the type of the first block was already read
    int read = in.read(head, from, 8 - from);
    if (read < 8 - from) {
      endedShort = read > 0 || first;
      return 0;
    }
    if (first) {
      first = false;
      return SECTION_HEADER;
    }
    int type = ByteBuffer.wrap(head).order(order).getInt(0);
    if (type == 0) {
      throw in.bad("a block of type 0");
    }
    return type;
  }

  private boolean readSection() throws IOException {
    byte[] magic = new byte[4];
    if (in.read(magic, 0, 4) < 4) {
      endedShort = true;
      return false;
    }
    int bigEndian = ByteBuffer.wrap(magic).getInt();
    if (bigEndian != BYTE_ORDER_MAGIC && Integer.reverseBytes(bigEndian) != BYTE_ORDER_MAGIC) {
      throw in.bad("the section has no byte order, expected 1A2B3C4D");
    }
    order = bigEndian == BYTE_ORDER_MAGIC ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    interfaces.clear();
    int blockLength = ByteBuffer.wrap(head).order(order).getInt(4);
    if (blockLength < FRAME + 4 || blockLength > MAX_BYTES) {
      throw in.bad("a section header of " + blockLength + " bytes");
    }
    in.skip(blockLength - FRAME);
    return true;
  }

  /** Into {@link #block}; returns its length, −1 if the file ends within it. */
  private int readBody(int blockLength) throws IOException {
    if (blockLength < FRAME || blockLength > MAX_BYTES || blockLength % 4 != 0) {
      throw in.bad("a block of " + (blockLength & 0xFFFF_FFFFL) + " bytes");
    }
    int rest = blockLength - 8;
    if (block.length < rest) {
      block = new byte[rest];
    }
    if (in.read(block, 0, rest) < rest) {
      endedShort = true;
      return -1;
    }
    return rest - 4;
  }

  private void readInterface(ByteBuffer fields) throws IOException {
    if (fields.limit() < 8 || interfaces.size() >= MAX_INTERFACES) {
      throw in.bad("a bad or a " + (MAX_INTERFACES + 1) + "th description of an interface");
    }
    boolean binary = false;
    int exponent = 6;
    long offset = 0;
    int at = 8;
    while (fields.limit() - at >= 4) {
      int code = fields.getShort(at) & 0xFFFF;
      int size = fields.getShort(at + 2) & 0xFFFF;
      at += 4;
      if (code == 0 || size > fields.limit() - at) {
        break;
      }
      if (code == IF_TSRESOL && size == 1) {
        binary = fields.get(at) < 0;
        exponent = fields.get(at) & 0x7F;
      } else if (code == IF_TSOFFSET && size == 8) {
        offset = fields.getLong(at);
      }
      at += (size + 3) & ~3;
    }
    if (exponent > (binary ? 63 : 18)) {
      throw in.bad("times in units of " + (binary ? "2^-" : "10^-") + exponent + " seconds");
    }
    interfaces.add(new Interface(fields.getShort(0) & 0xFFFF, binary, exponent, offset));
  }

  private boolean readPacket(int type, ByteBuffer fields) throws IOException {
    int fixed = type == SIMPLE_PACKET ? 4 : 20;
    if (type != SIMPLE_PACKET && type != ENHANCED_PACKET && type != PACKET) {
      return false;
    }
    if (fields.limit() < fixed) {
      throw in.bad("a packet block of " + fields.limit() + " bytes");
    }
    int number =
        type == SIMPLE_PACKET ? 0 : type == PACKET ? fields.getShort(0) & 0xFFFF : fields.getInt(0);
    if (number < 0 || number >= interfaces.size()) {
      throw in.bad("a packet of interface " + number + " of " + interfaces.size());
    }
    Interface from = interfaces.get(number);
    linkType = from.linkType();
    long captured;
    if (type == SIMPLE_PACKET) {
      captured = Math.min(fields.getInt(0) & 0xFFFF_FFFFL, fields.limit() - fixed);
    } else {
      captured = fields.getInt(12) & 0xFFFF_FFFFL;
      timeMicros = from.micros(((long) fields.getInt(4) << 32) | (fields.getInt(8) & 0xFFFF_FFFFL));
    }
    if (captured > fields.limit() - fixed) {
      throw in.bad("a packet of " + captured + " bytes in a block of " + fields.limit());
    }
    reserve((int) captured);
    fields.get(fixed, bytes, 0, length);
    return true;
  }
}
