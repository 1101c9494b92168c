package org.flowmon.archive.directory;

import java.io.IOException;

/** Takes addresses in ascending order, each with the segments that hold it. */
interface HostSink {
  /**
   * Takes an address greater than all before.
   *
   * @param places ascending, as {@link HostStream#place}; reused
   * @param count number of places, at least 1
   */
  void add(long high, long low, int[] places, int count) throws IOException;
}
