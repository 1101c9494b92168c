package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** The export datagrams of a file, one after the other. */
interface Datagrams extends Closeable {
  /**
   * Moves to the next datagram.
   *
   * @return false at the end
   * @throws IOException naming the file and the place if it does not continue in the format of its
   *     beginning
   */
  boolean next() throws IOException;

  /** The buffer of the datagram, valid until the next {@link #next}. */
  byte[] bytes();

  /** Where the datagram begins in {@link #bytes}. */
  int offset();

  /** The number of bytes of the datagram. */
  int length();

  /** The sender, null if unknown. */
  @Nullable IpAddress source();

  int sourcePort();

  /** The time of capture or export, µs since 1970. */
  long timeMicros();
}
