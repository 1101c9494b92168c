package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * The UDP datagrams of a pcap or pcapng capture, plain or gzip; Ethernet with VLAN tags, Linux
 * "cooked" (SLL, SLL2), loopback and raw IP; IPv4 and IPv6. Other packets and fragments are counted
 * and left out.
 */
public final class PcapReader implements Datagrams {
  private final CapturedPackets packets;
  private final IngestCounters counters;
  private final UdpPacket datagram = new UdpPacket();

  private PcapReader(CapturedPackets packets, IngestCounters counters) {
    this.packets = packets;
    this.counters = counters;
  }

  /** Throws {@link IOException} naming the file if it is no capture. */
  public static PcapReader open(Path file, IngestCounters counters) throws IOException {
    return new PcapReader(CapturedPackets.open(file), counters);
  }

  /** False at the end, or at a packet that the file cuts short, which is counted. */
  @Override
  public boolean next() throws IOException {
    while (packets.next()) {
      counters.increment(IngestCounter.PACKETS_READ);
      Optional<IngestCounter> skipped =
          datagram.parse(packets.bytes, packets.length, packets.linkType);
      if (skipped.isEmpty()) {
        return true;
      }
      counters.increment(skipped.get());
    }
    if (packets.endedShort) {
      counters.increment(IngestCounter.PACKETS_READ);
      counters.increment(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
    }
    return false;
  }

  @Override
  public byte[] bytes() {
    return packets.bytes;
  }

  @Override
  public int offset() {
    return datagram.payloadAt();
  }

  @Override
  public int length() {
    return datagram.payloadLength();
  }

  @Override
  public IpAddress source() {
    return datagram.source();
  }

  @Override
  public int sourcePort() {
    return datagram.sourcePort();
  }

  @Override
  public long timeMicros() {
    return packets.timeMicros;
  }

  @Override
  public void close() throws IOException {
    packets.close();
  }
}
