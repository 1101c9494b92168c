package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;

/** The packets of a capture file, one after the other. */
interface CapturedPackets extends Closeable {
  /** The most bytes of a packet or block of a capture file. */
  int MAX_BYTES = 1 << 20;

  /**
   * Moves to the next packet.
   *
   * @return false at the end of the file, even if it ends within a packet
   * @throws IOException naming the file and the place if the file is no capture from there on
   */
  boolean next() throws IOException;

  /** The bytes of the packet, from 0; the reader's own, valid until the next {@link #next}. */
  byte[] bytes();

  /** The number of captured bytes. */
  int length();

  /** The type of the packet's first header (tcpdump's LINKTYPE_ values). */
  int linkType();

  /** When it was captured, µs since 1970. */
  long timeMicros();

  /** Whether the file ended within a packet. */
  boolean endedShort();
}
