package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The classic capture file, in either byte order, with µs or ns.
 *
 * <pre>
 * header, 24 bytes: magic 4 | version 4 | zone 4 | accuracy 4 | snap length 4 | link type 4
 * packet, 16 bytes: seconds 4 | µs or ns 4 | captured bytes 4 | bytes on the wire 4; then the bytes
 * </pre>
 */
final class PcapPackets extends CapturedPackets {
  static final int MICROSECONDS = 0xA1B2C3D4;
  static final int NANOSECONDS = 0xA1B23C4D;
  private static final int HEADER_BYTES = 24;
  private static final int PACKET_HEADER_BYTES = 16;

  private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
  private final boolean nanoseconds;

  /** {@code in} is after the magic number, read in big-endian order. */
  PcapPackets(CaptureInput in, int magic) throws IOException {
    super(in);
    boolean big = magic == MICROSECONDS || magic == NANOSECONDS;
    header.order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    nanoseconds = magic == NANOSECONDS || Integer.reverseBytes(magic) == NANOSECONDS;
    if (in.read(header.array(), 4, HEADER_BYTES - 4) < HEADER_BYTES - 4) {
      throw in.bad("a capture file has a header of 24 bytes");
    }
    linkType = header.getInt(20) & 0x0FFF_FFFF; // the upper bits describe frame check sequences
  }

  static boolean isMagic(int magic) {
    int reversed = Integer.reverseBytes(magic);
    return magic == MICROSECONDS
        || magic == NANOSECONDS
        || reversed == MICROSECONDS
        || reversed == NANOSECONDS;
  }

  @Override
  public boolean next() throws IOException {
    int read = in.read(header.array(), 0, PACKET_HEADER_BYTES);
    if (read < PACKET_HEADER_BYTES) {
      endedShort = read > 0;
      return false;
    }
    long seconds = header.getInt(0) & 0xFFFF_FFFFL;
    long fraction = header.getInt(4) & 0xFFFF_FFFFL;
    long captured = header.getInt(8) & 0xFFFF_FFFFL;
    if (captured > MAX_BYTES) {
      throw in.bad("a packet of " + captured + " bytes, expected at most " + MAX_BYTES);
    }
    timeMicros = seconds * 1_000_000 + (nanoseconds ? fraction / 1000 : fraction);
    reserve((int) captured);
    endedShort = in.read(bytes, 0, length) < length;
    return !endedShort;
  }
}
