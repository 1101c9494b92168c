package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Reads an IPFIX file (RFC 5655): consecutive messages, plain or compressed by gzip.
 *
 * <p>Used like {@link PcapReader}; a message is a datagram's payload.
 */
public final class IpfixFileReader implements Closeable {
  private static final int VERSION = 10;
  private static final int HEADER_BYTES = 16;

  private final CaptureInput in;
  private final byte[] bytes = new byte[1 << 16];
  private int length;

  private IpfixFileReader(CaptureInput in) {
    this.in = in;
  }

  public static IpfixFileReader open(Path file) throws IOException {
    return new IpfixFileReader(CaptureInput.open(file));
  }

  /** Whether a file's first four bytes, in big-endian order, begin an IPFIX message. */
  static boolean isMagic(int magic) {
    return magic >>> 16 == VERSION && (magic & 0xFFFF) >= HEADER_BYTES;
  }

  /**
   * Moves to the next message.
   *
   * @return false at the end
   * @throws IOException naming the file and the place if no message begins there or one is cut
   *     short
   */
  public boolean next() throws IOException {
    int read = in.read(bytes, 0, HEADER_BYTES);
    if (read == 0) {
      return false;
    }
    if (read < HEADER_BYTES || !isMagic(ByteBuffer.wrap(bytes).getInt())) {
      throw in.bad("expected an IPFIX message: version 10, then its length of 16 or more");
    }
    length = ByteBuffer.wrap(bytes).getShort(2) & 0xFFFF;
    int body = in.read(bytes, HEADER_BYTES, length - HEADER_BYTES);
    if (body < length - HEADER_BYTES) {
      throw in.bad("an IPFIX message of " + length + " bytes is cut short");
    }
    return true;
  }

  /** The buffer of the message, from 0; the reader's own, valid until the next {@link #next}. */
  public byte[] bytes() {
    return bytes;
  }

  /** The number of bytes of the message. */
  public int length() {
    return length;
  }

  /** The export time of the message, µs since 1970 (whole seconds). */
  public long exportMicros() {
    return (ByteBuffer.wrap(bytes).getInt(4) & 0xFFFF_FFFFL) * 1_000_000;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
