package org.flowmon.ingest.file.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.Tool;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wireshark reads the same headers from the same packets. */
class TsharkPacketsTest {
  private static final List<String> FIELDS =
      List.of(
          "frame.protocols",
          "eth.src",
          "eth.dst",
          "vlan.id",
          "mpls.label",
          "ip.src",
          "ip.dst",
          "ip.proto",
          "ip.ttl",
          "ip.dsfield",
          "ip.len",
          "ip.frag_offset",
          "ipv6.src",
          "ipv6.dst",
          "ipv6.hlim",
          "ipv6.plen",
          "ipv6.flow",
          "ipv6.tclass",
          "tcp.srcport",
          "tcp.dstport",
          "tcp.flags",
          "udp.srcport",
          "udp.dstport",
          "icmp.type",
          "icmp.code",
          "icmpv6.type",
          "icmpv6.code",
          "vxlan.vni");

  // What tshark reads through and the parser does not.
  private static final Set<String> OTHER_TUNNELS =
      Set.of("teredo", "gtp", "l2tp", "ayiya", "ipcomp", "capwap", "wlan", "openvpn", "lisp");

  @TempDir Path directory;

  @Test
  void tunnelsOfAllKindsAreReadAsByTshark() throws Exception {
    Path file = directory.resolve("tunnels.pcap");
    Files.write(file, PacketBytes.pcap(PacketBytes.packets()));
    assertEquals(PacketBytes.packets().size(), compare(file));
  }

  @Test
  void realCapturesAreReadAsByTshark() throws Exception {
    int compared = 0;
    for (String folder : List.of("pcap", "labelled/tunnels", "netflow-from-pcap")) {
      for (Path file : TestData.walk(folder)) {
        String name = file.getFileName().toString();
        if (name.matches(".*\\.(pcap|pcapng|trace)(\\.gz)?") && !name.startsWith("export.")) {
          compared += compare(file);
        }
      }
    }
    assertTrue(compared > 20_000, compared + " packets");
  }

  private static int compare(Path file) throws Exception {
    List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString()));
    for (String preference :
        List.of("ip.defragment", "ipv6.defragment", "tcp.desegment_tcp_streams")) {
      command.addAll(List.of("-o", preference + ":FALSE"));
    }
    command.addAll(List.of("-T", "fields", "-E", "separator=/t", "-E", "occurrence=a"));
    FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
    List<String> lines = Tool.run(command);
    PacketParser inner = new PacketParser(TunnelHeaders.INNER);
    PacketParser outer = new PacketParser(TunnelHeaders.OUTER);
    PacketHeaders found = new PacketHeaders();
    int number = 0;
    try (CapturedPackets packets = CapturedPackets.open(file)) {
      while (packets.next()) {
        Map<String, String[]> fields = fields(lines.get(number));
        number++;
        String where = file + ", packet " + number + ": " + lines.get(number - 1);
        parse(packets, outer, found);
        check(fields, found, false, where);
        parse(packets, inner, found);
        check(fields, found, true, where);
      }
    }
    assertEquals(lines.size(), number, file + ": packets");
    return number;
  }

  private static Map<String, String[]> fields(String line) {
    Map<String, String[]> fields = new LinkedHashMap<>();
    String[] parts = line.split("\t", -1);
    for (int i = 0; i < FIELDS.size(); i++) {
      fields.put(FIELDS.get(i), parts[i].isEmpty() ? new String[0] : parts[i].split(",", -1));
    }
    return fields;
  }

  /** The names of the layers up to an ICMP message, which may quote another packet. */
  private static List<String> layers(Map<String, String[]> fields) {
    List<String> layers = new ArrayList<>();
    for (String layer : fields.get("frame.protocols")[0].split(":", -1)) {
      if (OTHER_TUNNELS.contains(layer)) {
        break;
      }
      layers.add(layer);
      if (layer.startsWith("icmp")) {
        break;
      }
    }
    return layers;
  }

  private static void check(
      Map<String, String[]> fields, PacketHeaders found, boolean innermost, String where) {
    if (fields.get("eth.src").length > 0) {
      assertEquals(fields.get("eth.src")[0], mac(found.srcMac), where);
      assertEquals(fields.get("eth.dst")[0], mac(found.dstMac), where);
    }
    assertEquals(fields.get("mpls.label").length > 0 ? 1 : 0, Math.min(1, found.labels), where);
    for (int i = 0; i < found.labels; i++) {
      assertEquals(fields.get("mpls.label")[i], String.valueOf(found.mpls[i] >>> 12), where);
    }
    if (fields.get("vxlan.vni").length > 0) {
      assertEquals(fields.get("vxlan.vni")[0], String.valueOf(found.vni), where);
    }
    List<String> layers = layers(fields);
    if (layers.contains("pwethheuristic")) {
      return; // tshark guesses whether there is a control word, and takes made up MACs for one
    }
    List<String> ips = layers.stream().filter(l -> l.equals("ip") || l.equals("ipv6")).toList();
    assertEquals(!ips.isEmpty(), found.hasIp(), where);
    if (ips.isEmpty()) {
      return;
    }
    int depth = innermost ? ips.size() - 1 : 0;
    boolean six = ips.get(depth).equals("ipv6");
    int at = (int) ips.subList(0, depth).stream().filter(ips.get(depth)::equals).count();
    checkIp(fields, found.ip(), six, at, where);
    if (depth == ips.size() - 1) {
      checkTransport(fields, found.ip(), new HashSet<>(layers), where);
    }
  }

  private static void checkIp(
      Map<String, String[]> fields, IpHeader ip, boolean six, int at, String where) {
    String family = six ? "ipv6." : "ip.";
    assertEquals(
        IpAddress.parse(fields.get(family + "src")[at]), new IpAddress(ip.srcHi, ip.srcLo), where);
    assertEquals(
        IpAddress.parse(fields.get(family + "dst")[at]), new IpAddress(ip.dstHi, ip.dstLo), where);
    assertEquals(number(fields, six ? "ipv6.hlim" : "ip.ttl", at), ip.ttl, where);
    assertEquals(number(fields, six ? "ipv6.tclass" : "ip.dsfield", at), ip.tos, where);
    int length = number(fields, six ? "ipv6.plen" : "ip.len", at);
    assertEquals(length == 0 ? 0 : length + (six ? 40 : 0), ip.length, where);
    if (six) {
      assertEquals(number(fields, "ipv6.flow", at), ip.flowLabel, where);
    } else {
      assertEquals(number(fields, "ip.proto", at), ip.protocol, where);
      assertEquals(number(fields, "ip.frag_offset", at), ip.fragmentOffset, where);
    }
  }

  private static void checkTransport(
      Map<String, String[]> fields, IpHeader ip, Set<String> layers, String where) {
    for (String transport : List.of("tcp", "udp")) {
      String[] from = fields.get(transport + ".srcport");
      String[] to = fields.get(transport + ".dstport");
      if (layers.contains(transport) && ip.fragmentOffset == 0) {
        assertEquals(from[from.length - 1], String.valueOf(ip.srcPort), where);
        assertEquals(to[to.length - 1], String.valueOf(ip.dstPort), where);
        assertEquals(transport.equals("tcp") ? 6 : 17, ip.protocol, where);
      }
    }
    if (layers.contains("tcp") && fields.get("tcp.flags").length > 0) {
      assertEquals(number(fields, "tcp.flags", 0), ip.tcpFlags, where);
    }
    for (String icmp : List.of("icmp", "icmpv6")) {
      if (layers.contains(icmp) && fields.get(icmp + ".code").length > 0) {
        int expected = number(fields, icmp + ".type", 0) << 8 | number(fields, icmp + ".code", 0);
        assertEquals(expected, ip.icmpTypeCode, where);
      }
    }
  }

  private static int number(Map<String, String[]> fields, String name, int at) {
    assertTrue(at < fields.get(name).length, name + " " + Arrays.toString(fields.get(name)));
    return Integer.decode(fields.get(name)[at]);
  }

  private static String mac(long mac) {
    return String.format("%012x", mac).replaceAll("..(?!$)", "$0:");
  }

  private static void parse(CapturedPackets packets, PacketParser parser, PacketHeaders into) {
    LinkLayer.parse(parser, packets.linkType, packets.bytes, 0, packets.length, into);
  }
}
