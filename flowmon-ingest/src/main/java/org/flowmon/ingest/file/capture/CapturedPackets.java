package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;

/** The packets of a capture file, one after the other. The fields describe the current packet. */
abstract class CapturedPackets implements Closeable {
  static final int MAX_BYTES = 1 << 20;

  /** The bytes of the packet, from 0; valid until the next {@link #next}. */
  byte[] bytes = new byte[2048];

  int length;

  /** The type of the packet's first header (tcpdump's LINKTYPE_ values). */
  int linkType;

  /** µs since 1970. */
  long timeMicros;

  boolean endedShort;

  final CaptureInput in;

  CapturedPackets(CaptureInput in) {
    this.in = in;
  }

  /** False at the file's end, even within a packet; errors name file and place of no capture. */
  abstract boolean next() throws IOException;

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
