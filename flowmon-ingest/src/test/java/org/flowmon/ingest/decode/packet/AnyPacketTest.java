package org.flowmon.ingest.decode.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** For any bytes: nothing is thrown, and no byte outside the section is read. */
class AnyPacketTest {
  private static final long SEED = 20261125;
  private static final int MARGIN = 64;

  @Test
  void mutatedPacketsGiveTheSameWhateverLiesAround() {
    List<byte[]> packets = PacketBytes.packets();
    for (int round = 0; round < 50_000; round++) {
      Random random = new Random(SEED + round);
      byte[] packet = packets.get(random.nextInt(packets.size())).clone();
      for (int flips = random.nextInt(5); flips > 0; flips--) {
        packet[random.nextInt(packet.length)] = (byte) random.nextInt(256);
      }
      check(packet, random.nextInt(packet.length + 1), random, "seed " + (SEED + round));
    }
  }

  @Test
  void randomBytesGiveTheSameWhateverLiesAround() {
    for (int round = 0; round < 50_000; round++) {
      Random random = new Random(SEED + round);
      byte[] packet = new byte[random.nextInt(120)];
      random.nextBytes(packet);
      if (packet.length > 20 && random.nextBoolean()) {
        packet[12] = 8;
        packet[13] = 0;
        packet[14] = 0x45;
      }
      check(packet, packet.length, random, "seed " + (SEED + round));
    }
  }

  /** With a section that is cut off, what is known is what the whole packet says. */
  @Test
  void everyBeginningGivesWhatItHas() {
    PacketParser parser = new PacketParser(TunnelHeaders.OUTER);
    for (byte[] packet : PacketBytes.packets()) {
      PacketHeaders whole = new PacketHeaders();
      PacketHeaders part = new PacketHeaders();
      parser.parseFrame(packet, 0, packet.length, whole);
      for (int length = 0; length < packet.length; length++) {
        parser.parseFrame(packet, 0, length, part);
        IpHeader known = part.ip();
        IpHeader all = whole.ip();
        if (part.hasIp()) {
          assertEquals(all.srcLo, known.srcLo);
          assertEquals(all.dstHi, known.dstHi);
          assertEquals(all.length, known.length);
          assertTrue(known.protocol == all.protocol || known.protocol == IpHeader.NONE);
          assertTrue(known.srcPort == all.srcPort || known.srcPort == IpHeader.NONE);
          assertTrue(known.tcpFlags == all.tcpFlags || known.tcpFlags == IpHeader.NONE);
          assertTrue(known.segments <= all.segments);
        }
        assertTrue(part.labels <= whole.labels);
        assertTrue(part.vlan == whole.vlan || part.vlan == PacketHeaders.NONE);
      }
    }
  }

  private static void check(byte[] packet, int length, Random random, String seed) {
    TunnelHeaders prefer = random.nextBoolean() ? TunnelHeaders.INNER : TunnelHeaders.OUTER;
    String first = read(prefer, packet, length, (byte) 0, seed);
    String second = read(prefer, packet, length, (byte) 0xFF, seed);
    assertEquals(first, second, seed);
  }

  private static String read(
      TunnelHeaders prefer, byte[] packet, int length, byte around, String seed) {
    byte[] all = new byte[2 * MARGIN + length];
    Arrays.fill(all, around);
    System.arraycopy(packet, 0, all, MARGIN, length);
    PacketHeaders found = new PacketHeaders();
    new PacketParser(prefer).parseFrame(all, MARGIN, length, found);
    IpHeader ip = found.ip();
    assertTrue(ip.segments <= 0 || ip.segmentsAt + 16 * ip.segments <= MARGIN + length, seed);
    return text(found) + text(ip) + text(found.outer());
  }

  private static String text(PacketHeaders h) {
    return h.hasMacs
        + " "
        + h.srcMac
        + " "
        + h.dstMac
        + " "
        + h.etherType
        + " "
        + h.vlan
        + " "
        + h.innerVlan
        + " "
        + h.labels
        + Arrays.toString(Arrays.copyOf(h.mpls, h.labels))
        + h.tunnel
        + " "
        + h.vni
        + " "
        + h.hasOuter()
        + h.hasIp()
        + h.isIpCutOff()
        + "; ";
  }

  private static String text(IpHeader ip) {
    return ip.version
        + " "
        + ip.srcHi
        + " "
        + ip.srcLo
        + " "
        + ip.dstHi
        + " "
        + ip.dstLo
        + " "
        + ip.protocol
        + " "
        + ip.tos
        + " "
        + ip.ttl
        + " "
        + ip.flowLabel
        + " "
        + ip.length
        + " "
        + ip.fragmentId
        + " "
        + ip.fragmentOffset
        + " "
        + ip.fragmentFlags
        + " "
        + ip.srcPort
        + " "
        + ip.dstPort
        + " "
        + ip.tcpFlags
        + " "
        + ip.icmpTypeCode
        + " "
        + ip.segments
        + " "
        + ip.segmentsLeft
        + " "
        + ip.complete
        + "; ";
  }
}
