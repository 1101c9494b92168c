package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Reads the UDP datagrams of a capture file: pcap or pcapng, plain or compressed by gzip; Ethernet
 * with VLAN tags, Linux "cooked" (SLL, SLL2), loopback and raw IP; IPv4 and IPv6. Other packets and
 * fragments are counted and left out.
 *
 * <pre>{@code
 * try (PcapReader reader = PcapReader.open(file, counters)) {
 *   while (reader.next()) {
 *     decoder.decode(reader.bytes(), reader.offset(), reader.length(), ...);
 *   }
 * }
 * }</pre>
 */
public final class PcapReader implements Closeable {
  private final CapturedPackets packets;
  private final IngestCounters counters;
  private final UdpPacket datagram = new UdpPacket();

  private PcapReader(CapturedPackets packets, IngestCounters counters) {
    this.packets = packets;
    this.counters = counters;
  }

  /**
   * Opens a capture file.
   *
   * @throws IOException naming the file if it is no capture
   */
  public static PcapReader open(Path file, IngestCounters counters) throws IOException {
    CaptureInput in = CaptureInput.open(file);
    try {
      byte[] magic = new byte[4];
      int read = in.read(magic, 0, 4);
      int number = ByteBuffer.wrap(magic).getInt();
      if (read == 4 && number == PcapngPackets.SECTION_HEADER) {
        return new PcapReader(new PcapngPackets(in), counters);
      }
      if (read == 4 && PcapPackets.isMagic(number)) {
        return new PcapReader(new PcapPackets(in, number), counters);
      }
      throw in.bad("not a capture file: it begins neither as pcap nor as pcapng does");
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** Whether a file's first four bytes, in big-endian order, are those of a capture file. */
  static boolean isMagic(int magic) {
    return magic == PcapngPackets.SECTION_HEADER || PcapPackets.isMagic(magic);
  }

  /**
   * Moves to the next UDP datagram.
   *
   * @return false at the end, or at a packet that the file cuts short, which is counted
   * @throws IOException naming the file and the place if the file is no capture from there on
   */
  public boolean next() throws IOException {
    while (packets.next()) {
      counters.increment(IngestCounter.PACKETS_READ);
      IngestCounter skipped = datagram.parse(packets.bytes(), packets.length(), packets.linkType());
      if (skipped == null) {
        return true;
      }
      counters.increment(skipped);
    }
    if (packets.endedShort()) {
      counters.increment(IngestCounter.PACKETS_READ);
      counters.increment(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
    }
    return false;
  }

  /** The buffer of the payload, the reader's own, valid until the next {@link #next}. */
  public byte[] bytes() {
    return packets.bytes();
  }

  /** Where the payload begins in {@link #bytes}. */
  public int offset() {
    return datagram.payloadAt();
  }

  /** The number of bytes of the payload. */
  public int length() {
    return datagram.payloadLength();
  }

  public IpAddress source() {
    return datagram.source();
  }

  public int sourcePort() {
    return datagram.sourcePort();
  }

  public IpAddress destination() {
    return datagram.destination();
  }

  public int destinationPort() {
    return datagram.destinationPort();
  }

  /** The capture time of the packet, µs since 1970. */
  public long timeMicros() {
    return packets.timeMicros();
  }

  @Override
  public void close() throws IOException {
    packets.close();
  }
}
