package org.flowmon.archive.directory;

import java.io.IOException;

/** Takes addresses in ascending order, each with the segments that hold it. */
interface HostSink {
  /**
   * Takes an address greater than all before; {@code places}, at least one, ascend as {@link
   * HostStream#place} and are reused.
   */
  void add(long high, long low, int[] places, int count) throws IOException;
}
