package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where the datagrams of simulated routers go. */
public interface DatagramOutput {
  /**
   * {@code router} by number; the datagram is valid during the call, {@code now} never goes back.
   */
  void send(int router, ByteBuffer datagram, long nowMillis) throws IOException;
}
