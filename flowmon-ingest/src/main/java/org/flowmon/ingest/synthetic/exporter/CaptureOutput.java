package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes a capture (pcap, big-endian, microseconds) of Ethernet frames. Each router has its own
 * address and port; the collector, 198.51.100.1, listens on the usual ports: 2055 for NetFlow, 4739
 * for IPFIX, 6343 for sFlow.
 *
 * <pre>
 * packet  0 seconds 4 microseconds 8 captured length 12 length
 *         16 Ethernet: MACs 12, type 2 | 30 IPv4, 20 bytes | 50 UDP: ports 4, length 2, checksum 2 (0)
 *         58 the datagram
 * </pre>
 */
public final class CaptureOutput implements DatagramOutput {
  private static final int MAGIC = 0xA1B2_C3D4;
  private static final int ETHERNET = 1;
  private static final int SNAP_LENGTH = 1 << 16;
  private static final int COLLECTOR = 0xC633_6401;
  private static final int FIRST_PORT = 50_000;
  private static final int FRAME = 14;
  private static final int IPV4 = 20;
  private static final int UDP = 8;
  private static final int HEADERS = 16 + FRAME + IPV4 + UDP;

  private final List<SimulatedRouter> routers;
  private final OutputStream out;
  private final ByteBuffer buffer = ByteBuffer.allocate(1 << 18);

  /** Writes the file's header; the caller closes the stream, after {@link #flush}. */
  public CaptureOutput(List<SimulatedRouter> routers, OutputStream out) {
    this.routers = List.copyOf(routers);
    this.out = out;
    buffer.putInt(MAGIC).putShort((short) 2).putShort((short) 4).putLong(0);
    buffer.putInt(SNAP_LENGTH).putInt(ETHERNET);
  }

  @Override
  public void send(int router, ByteBuffer datagram, long nowMillis) throws IOException {
    int bytes = datagram.remaining();
    if (buffer.remaining() < HEADERS + bytes) {
      flush();
    }
    int length = FRAME + IPV4 + UDP + bytes;
    buffer.putInt((int) Math.floorDiv(nowMillis, 1000L));
    buffer.putInt((int) Math.floorMod(nowMillis, 1000L) * 1000);
    buffer.putInt(length).putInt(length);
    buffer.putInt(0x0200_0000).putShort((short) 1); // to the collector's MAC from the router's
    buffer.putInt(0x0200_0001).putShort((short) router).putShort((short) 0x0800);
    int source = (int) routers.get(router).address().lo();
    int total = IPV4 + UDP + bytes;
    buffer.putShort((short) 0x4500).putShort((short) total).putInt(0).putShort((short) 0x4011);
    int checksum = InternetChecksum.of(0x4500 + total + 0x4011, source, COLLECTOR);
    buffer.putShort((short) checksum).putInt(source).putInt(COLLECTOR);
    buffer.putShort((short) (FIRST_PORT + router)).putShort((short) port(router));
    buffer.putShort((short) (UDP + bytes)).putShort((short) 0).put(datagram);
  }

  private int port(int router) {
    return switch (routers.get(router).version()) {
      case IPFIX -> 4739;
      case SFLOW -> 6343;
      default -> 2055;
    };
  }

  public void flush() throws IOException {
    out.write(buffer.array(), 0, buffer.position());
    buffer.clear();
  }
}
