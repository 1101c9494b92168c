package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** The export datagrams of a file, one after the other. */
interface Datagrams extends Closeable {
  /** False at the end; errors name file and place if it does not continue in its format. */
  boolean next() throws IOException;

  /** Valid until the next {@link #next}. */
  byte[] bytes();

  int offset();

  int length();

  /** Null if unknown. */
  @Nullable IpAddress source();

  int sourcePort();

  /** The type of the first header of a whole packet; −1 of the payload of UDP. */
  default int linkType() {
    return -1;
  }

  /** The time of capture or export, µs since 1970. */
  long timeMicros();
}
