package org.flowmon.ingest.file.binary;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.flowmon.ingest.file.format.UnknownFormatException;

/**
 * The header of a file of flow-tools (ftlib.h, stream version 3).
 *
 * <pre>
 * u8  0xCF 0x10
 * u8  byte order of all that follows: 1 little-endian, 2 big-endian
 * u8  stream version: 3
 * u32 length of the header
 * u16 type, u16 length, value: until the header's end
 * </pre>
 */
record FlowToolsHeader(ByteOrder order, int version, boolean isCompressed) {
  private static final int LONGEST = 1 << 16;
  private static final int EXPORT_VERSION = 2;
  private static final int FLAGS = 8;
  private static final int COMPRESSED = 2;

  static FlowToolsHeader read(InputStream in, Path file) throws IOException {
    byte[] begin = exactly(in, 8, file);
    int stream = begin[3];
    if (begin[2] != 1 && begin[2] != 2) {
      throw new UnknownFormatException(
          file + ": a file of flow-tools in byte order " + begin[2] + ", expected 1 or 2");
    }
    if (stream != 3) {
      throw new UnknownFormatException(
          file
              + ": a file of flow-tools in stream version "
              + stream
              + ", expected 3: flow-cat"
              + " writes that");
    }
    ByteOrder order = begin[2] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    int length = ByteBuffer.wrap(begin).order(order).getInt(4);
    if (length < begin.length || length > LONGEST) {
      throw new UnknownFormatException(
          file + ": a file of flow-tools whose header says it has " + length + " bytes");
    }
    ByteBuffer values = ByteBuffer.wrap(exactly(in, length - begin.length, file)).order(order);
    int version = 0;
    int flags = 0;
    while (values.remaining() >= 4) {
      int type = values.getShort();
      int size = values.getShort() & 0xFFFF;
      if (size > values.remaining()) {
        break;
      }
      if (type == EXPORT_VERSION && size >= 2) {
        version = values.getShort(values.position()) & 0xFFFF;
      } else if (type == FLAGS && size >= 4) {
        flags = values.getInt(values.position());
      }
      values.position(values.position() + size);
    }
    return new FlowToolsHeader(order, version, (flags & COMPRESSED) != 0);
  }

  private static byte[] exactly(InputStream in, int length, Path file) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException(file + ": the header of a file of flow-tools is cut short");
    }
    return bytes;
  }
}
