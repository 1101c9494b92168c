package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;

/** The packets of a capture file, one after the other. The fields describe the current packet. */
abstract class CapturedPackets implements Closeable {
  /** The most bytes of a packet or block of a capture file. */
  static final int MAX_BYTES = 1 << 20;

  /** The bytes of the packet, from 0; valid until the next {@link #next}. */
  byte[] bytes = new byte[2048];

  /** The number of captured bytes. */
  int length;

  /** The type of the packet's first header (tcpdump's LINKTYPE_ values). */
  int linkType;

  /** When it was captured, µs since 1970. */
  long timeMicros;

  /** Whether the file ended within a packet. */
  boolean endedShort;

  final CaptureInput in;

  CapturedPackets(CaptureInput in) {
    this.in = in;
  }

  /**
   * Moves to the next packet.
   *
   * @return false at the end of the file, even if it ends within a packet
   * @throws IOException naming the file and the place if the file is no capture from there on
   */
  abstract boolean next() throws IOException;

  /** Makes room in {@link #bytes} for the packet. */
  final void reserve(int size) {
    length = size;
    if (bytes.length < size) {
      bytes = new byte[size];
    }
  }

  @Override
  public final void close() throws IOException {
    in.close();
  }
}
