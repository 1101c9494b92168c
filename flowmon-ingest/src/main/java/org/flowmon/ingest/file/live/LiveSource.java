package org.flowmon.ingest.file.live;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** Bytes as they come. */
public interface LiveSource extends Closeable {
  /**
   * The next bytes; an array without any if there are none within the time, empty at the end.
   *
   * @param millis to wait at most; 0: not at all
   */
  Optional<byte[]> next(long millis) throws IOException;

  /** Whether each {@link #next} ends with a whole record; else a record may come in parts. */
  default boolean givesWholeRecords() {
    return false;
  }
}
