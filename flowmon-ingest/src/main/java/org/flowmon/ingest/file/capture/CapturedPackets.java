package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;

/** The packets of a capture file, one after the other. Between them, a reader's state. */
interface CapturedPackets extends Closeable {
  /** No packet, and no block of a capture file, is longer (bytes). */
  int MAX_BYTES = 1 << 20;

  /**
   * Moves to the next packet.
   *
   * @return false at the end of the file, also where it ends within a packet
   * @throws IOException naming the file and the place where it is no capture file any more
   */
  boolean next() throws IOException;

  /** The bytes of the packet, from 0; the reader's own, until the next {@link #next}. */
  byte[] bytes();

  /** Bytes that were captured. */
  int length();

  /** The number that says what the packet begins with (tcpdump's LINKTYPE_ values). */
  int linkType();

  /** When it was captured, µs since 1970. */
  long timeMicros();

  /** Whether the file ended within a packet. */
  boolean endedShort();
}
