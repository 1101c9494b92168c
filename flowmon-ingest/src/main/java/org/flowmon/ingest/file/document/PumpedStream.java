package org.flowmon.ingest.file.document;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** Text that is made while it is read. */
abstract class PumpedStream extends InputStream {
  final TextBuffer out = new TextBuffer();

  /** What has been made and not yet been read. */
  static final class TextBuffer {
    private byte[] bytes = new byte[1 << 13];
    private int from;
    private int to;

    void put(int b) {
      if (to == bytes.length) {
        bytes = java.util.Arrays.copyOf(bytes, 2 * to);
      }
      bytes[to++] = (byte) b;
    }

    void put(byte[] some, int at, int length) {
      while (bytes.length - to < length) {
        bytes = java.util.Arrays.copyOf(bytes, 2 * bytes.length);
      }
      System.arraycopy(some, at, bytes, to, length);
      to += length;
    }

    private int take(byte[] into, int at, int most) {
      int length = Math.min(most, to - from);
      System.arraycopy(bytes, from, into, at, length);
      from += length;
      if (from == to) {
        from = 0;
        to = 0;
      }
      return length;
    }
  }

  /** Makes some more text; false at the end. */
  abstract boolean pump() throws IOException;

  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public final int read(byte[] into, int at, int most) throws IOException {
    Objects.checkFromIndexSize(at, most, into.length);
    while (out.from == out.to) {
      if (!pump()) {
        return -1;
      }
    }
    return out.take(into, at, most);
  }
}
