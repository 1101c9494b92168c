package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import org.flowmon.flow.SourceKind;
import org.flowmon.flow.bytes.BigEndian;

/**
 * Sends recorded export datagrams (for example from a pcap file) to a UDP port at a steady rate,
 * from one socket, and counts them by the version in their first two bytes. NetFlow v5 datagrams
 * carry their number of flows, which is counted, too. v9 and IPFIX count as datagrams only, because
 * counting their flows takes the templates.
 */
public final class DatagramReplay implements AutoCloseable {
  private static final double CATCH_UP_NANOS = 20e6;
  private static final int V5_HEADER = 24;
  private static final int V5_RECORD = 48;

  private final InetSocketAddress target;
  private final DatagramChannel channel;
  private volatile boolean stopped;

  /**
   * The counts of a replay.
   *
   * @param sent counts of the known versions; bytes and packets of flows are 0, because nothing is
   *     decoded
   * @param otherDatagrams sent datagrams of another version, or too short to have one
   */
  public record Result(SentCounts sent, long otherDatagrams) {}

  public DatagramReplay(InetSocketAddress target) throws IOException {
    this.target = target;
    this.channel = DatagramChannel.open();
  }

  /**
   * Sends until the datagrams end or {@link #stop}.
   *
   * @param datagrams UDP payloads in order
   * @param datagramsPerSecond 0 for as fast as possible
   */
  public Result send(Iterator<byte[]> datagrams, long datagramsPerSecond) throws IOException {
    Pacer pacer = new Pacer(datagramsPerSecond, 1, CATCH_UP_NANOS, System.nanoTime());
    Map<SourceKind, SentCounts.Count> counts = new EnumMap<>(SourceKind.class);
    long others = 0;
    while (!stopped && datagrams.hasNext()) {
      byte[] datagram = datagrams.next();
      channel.send(ByteBuffer.wrap(datagram), target);
      SourceKind version = version(datagram);
      if (version == null) {
        others++;
      } else {
        long flows = version == SourceKind.NETFLOW_V5 ? v5Flows(datagram) : 0;
        counts.merge(
            version, new SentCounts.Count(1, datagram.length, flows, 0, 0), SentCounts.Count::plus);
      }
      pacer.await(1);
    }
    return new Result(new SentCounts(counts), others);
  }

  private static SourceKind version(byte[] datagram) {
    int version = datagram.length < 2 ? 0 : BigEndian.getU16(datagram, 0);
    return switch (version) {
      case 5 -> SourceKind.NETFLOW_V5;
      case 9 -> SourceKind.NETFLOW_V9;
      case 10 -> SourceKind.IPFIX;
      default -> null;
    };
  }

  /**
   * The header's count if the datagram is long enough for it; else 0, because a collector drops it.
   */
  private static long v5Flows(byte[] datagram) {
    if (datagram.length < V5_HEADER) {
      return 0;
    }
    int count = BigEndian.getU16(datagram, 2);
    return datagram.length >= V5_HEADER + count * V5_RECORD ? count : 0;
  }

  /** Ends {@link #send}. */
  public void stop() {
    stopped = true;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
