package org.flowmon.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;

/**
 * Packet sections: the first byte says how one begins, the rest is its bytes. What is read must not
 * depend on what lies around them.
 */
final class PacketsFuzz implements FuzzTarget {
  private static final int MARGIN = 64;

  @Override
  public String name() {
    return "packets";
  }

  @Override
  public String about() {
    return "sections of packets: Ethernet, MPLS, PPP, IP, tunnels";
  }

  /** An Ethernet frame of 42 bytes with UDP in IPv4. */
  static byte[] frame() {
    return new ExportBytes()
        .u32(0x02000000L)
        .u32(0x00020200L)
        .u32(1)
        .u16(0x0800)
        .u32(0x45000000L | 28)
        .u32(0)
        .u32(0x40110000L)
        .u32(0x0A000001L)
        .u32(0x0A000002L)
        .u32(53L << 16 | 4789)
        .u32(8L << 16)
        .toBytes();
  }

  @Override
  public List<byte[]> seeds() {
    byte[] ip = Arrays.copyOfRange(frame(), 14, 42);
    byte[] six =
        new ExportBytes()
            .u32(0x60000000L)
            .u16(8)
            .u8(43)
            .u8(64)
            .u32(0)
            .u32(0)
            .u32(0)
            .u32(1)
            .u32(0)
            .u32(0)
            .u32(0)
            .u32(2)
            .u32(0x04000400L)
            .u32(0)
            .toBytes();
    byte[] vxlan =
        new ExportBytes()
            .u32(0x45000000L | 36)
            .u32(0)
            .u32(0x40110000L)
            .u32(1)
            .u32(2)
            .u32(9L << 16 | 4789)
            .u32(0)
            .u32(0x08000000L)
            .u32(7 << 8)
            .toBytes();
    byte[] gre =
        new ExportBytes()
            .u32(0x45000000L | 32)
            .u32(0)
            .u32(0x402F0000L)
            .u32(1)
            .u32(2)
            .u32(0x20006558L)
            .u32(5)
            .toBytes();
    List<byte[]> seeds = new ArrayList<>();
    seeds.add(join(new byte[] {0}, frame()));
    seeds.add(join(new byte[] {1}, ip));
    seeds.add(join(new byte[] {1}, six));
    seeds.add(join(new byte[] {1}, vxlan, frame()));
    seeds.add(join(new byte[] {1}, gre, frame()));
    seeds.add(join(new byte[] {2, 0, 1, 1, 64}, ip));
    seeds.add(join(new byte[] {3, 0, 0x21}, ip));
    return seeds;
  }

  private static byte[] join(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  @Override
  public void run(byte[] input) {
    if (input.length == 0) {
      return;
    }
    for (TunnelHeaders prefer : TunnelHeaders.values()) {
      String read = read(prefer, input, (byte) 0);
      ExportsFuzz.require(
          read.equals(read(prefer, input, (byte) 0xFF)), "bytes around are read: " + read);
    }
  }

  private static String read(TunnelHeaders prefer, byte[] input, byte around) {
    int length = input.length - 1;
    byte[] all = new byte[2 * MARGIN + length];
    Arrays.fill(all, around);
    System.arraycopy(input, 1, all, MARGIN, length);
    PacketHeaders found = new PacketHeaders();
    PacketParser parser = new PacketParser(prefer);
    switch (input[0] & 3) {
      case 0 -> parser.parseFrame(all, MARGIN, length, found);
      case 1 -> parser.parseIp(all, MARGIN, length, found);
      case 2 -> parser.parseMpls(all, MARGIN, length, found);
      default -> parser.parsePpp(all, MARGIN, length, found);
    }
    IpHeader ip = found.ip();
    IpHeader outer = found.outer();
    ExportsFuzz.require(
        outer.segments == 0 || outer.segmentsAt + 16 * outer.segments <= MARGIN + length,
        outer.segments + " segments run past the section");
    return "macs %s %x %x, type %d, vlans %d %d, labels %s, tunnel %s, vni %d, cut off %s, ip %s, outer %s"
        .formatted(
            found.hasMacs,
            found.srcMac,
            found.dstMac,
            found.etherType,
            found.vlan,
            found.innerVlan,
            Arrays.toString(Arrays.copyOf(found.mpls, found.labels)),
            found.tunnel,
            found.vni,
            found.isIpCutOff(),
            told(ip),
            found.hasOuter() ? told(outer) : "the same");
  }

  private static String told(IpHeader ip) {
    return Arrays.toString(
        new long[] {
          ip.version,
          ip.srcHi,
          ip.srcLo,
          ip.dstHi,
          ip.dstLo,
          ip.protocol,
          ip.tos,
          ip.ttl,
          ip.flowLabel,
          ip.length,
          ip.fragmentId,
          ip.fragmentOffset,
          ip.fragmentFlags,
          ip.srcPort,
          ip.dstPort,
          ip.tcpFlags,
          ip.icmpTypeCode,
          ip.segments,
          ip.segmentsAt,
          ip.segmentsLeft,
          ip.transportAt,
          ip.end
        });
  }
}
