package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.jspecify.annotations.Nullable;

/** Messages in order (RFC 5655), plain or gzip; no senders or ports, export time in seconds. */
final class IpfixFileReader implements Datagrams {
  private static final int VERSION = 10;
  private static final int HEADER_BYTES = 16;

  private final CaptureInput in;
  private final byte[] bytes = new byte[1 << 16];
  private int length;

  private IpfixFileReader(CaptureInput in) {
    this.in = in;
  }

  static IpfixFileReader open(Path file) throws IOException {
    return new IpfixFileReader(CaptureInput.open(file));
  }

  /** The first four bytes of a file, in big-endian order. */
  static boolean isMagic(int magic) {
    return magic >>> 16 == VERSION && (magic & 0xFFFF) >= HEADER_BYTES;
  }

  @Override
  public boolean next() throws IOException {
    int read = in.read(bytes, 0, HEADER_BYTES);
    if (read == 0) {
      return false;
    }
    if (read < HEADER_BYTES || !isMagic(BigEndian.getInt(bytes, 0))) {
      throw in.bad("expected an IPFIX message: version 10, then its length of 16 or more");
    }
    length = BigEndian.getU16(bytes, 2);
    int body = in.read(bytes, HEADER_BYTES, length - HEADER_BYTES);
    if (body < length - HEADER_BYTES) {
      throw in.bad("an IPFIX message of " + length + " bytes is cut short");
    }
    return true;
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int offset() {
    return 0;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public @Nullable IpAddress source() {
    return null;
  }

  @Override
  public int sourcePort() {
    return 0;
  }

  @Override
  public long timeMicros() {
    return BigEndian.getU32(bytes, 4) * 1_000_000;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
