package org.flowmon.it.detection;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.FlowFiles;

/**
 * Flows of labelled sets: of what flowmon reads itself, and, for these tests, of captured packets
 * (one flow for each direction of a connection, as a router exports it) and of Argus's tables.
 */
final class LabelledFlows {
  private static final int ROWS = 1000;
  private static final DateTimeFormatter ARGUS_TIME =
      DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss.SSSSSS");

  private final List<FlowBatch> batches = new ArrayList<>();
  private final FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);

  private LabelledFlows() {}

  static List<FlowBatch> read(List<Path> files) throws IOException {
    LabelledFlows flows = new LabelledFlows();
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (name.contains(".binetflow")) {
        flows.addArgus(file);
      } else if (isPackets(name)) {
        flows.addPackets(file);
      } else {
        flows.addExports(file);
      }
    }
    flows.flush();
    return flows.batches;
  }

  private static boolean isPackets(String name) {
    return name.contains(".trace") || (name.endsWith(".pcap") && !name.startsWith("export"));
  }

  private void flush() {
    if (!builder.isEmpty()) {
      batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
      builder.clear();
    }
  }

  private void rowEnded() {
    builder.endRow();
    if (builder.isFull()) {
      flush();
    }
  }

  private void addExports(Path file) throws IOException {
    FlowFiles.open(file)
        .read(
            new FlowSink() {
              @Override
              public FlowBatchBuilder builder() {
                return builder;
              }

              @Override
              public void rowsEnded(int rows) {
                if (builder.isFull()) {
                  flush();
                }
              }
            });
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }

  /** Lines of a table with a header; the separator is a comma. */
  private void addArgus(Path file) throws IOException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8))) {
      List<String> names = List.of(in.readLine().split(",", -1));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Map<String, String> cells = new HashMap<>();
        String[] values = line.split(",", -1);
        for (int i = 0; i < Math.min(values.length, names.size()); i++) {
          cells.put(names.get(i), values[i]);
        }
        addArgus(cells);
      }
    }
  }

  private void addArgus(Map<String, String> cells) {
    int protocol = Map.of("tcp", 6, "udp", 17).getOrDefault(cells.get("Proto"), 0);
    if (protocol == 0) {
      return;
    }
    long start =
        ChronoUnit.MICROS.between(
            LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC),
            LocalDateTime.parse(cells.get("StartTime"), ARGUS_TIME));
    long end = start + Math.round(Double.parseDouble(cells.get("Dur")) * 1e6);
    long packets = Long.parseLong(cells.get("TotPkts"));
    long own = Long.parseLong(cells.get("SrcPkts"));
    builder.beginRow();
    times(start, end);
    addresses(cells.get("SrcAddr"), cells.get("DstAddr"), protocol);
    builder.set(FlowColumn.SRC_PORT, Long.decode(cells.get("Sport")));
    builder.set(FlowColumn.DST_PORT, Long.decode(cells.get("Dport")));
    builder.set(FlowColumn.PACKETS, own);
    builder.set(FlowColumn.REVERSE_PACKETS, packets - own);
    Integer state = Map.of("S0", 1, "SF", 3, "REJ", 4).get(cells.get("State"));
    if (state != null) {
      builder.set(FlowColumn.STATE, state);
    }
    rowEnded();
  }

  private void times(long start, long end) {
    builder.set(FlowColumn.START_TIME, start);
    builder.set(FlowColumn.END_TIME, end);
    builder.set(FlowColumn.ARRIVAL, end);
  }

  private void addresses(String source, String target, int protocol) {
    builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(source));
    builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(target));
    builder.set(FlowColumn.PROTOCOL, protocol);
  }

  /** One direction of a connection. */
  private static final class PacketFlow {
    private long first;
    private long last;
    private long packets;
    private int flags;
  }

  private record FiveTuple(
      String source, int sourcePort, String target, int targetPort, int protocol) {}

  /** Packets of Ethernet and IPv4 in a capture of little-endian microseconds. */
  private void addPackets(Path file) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream in = open(file)) {
      in.transferTo(bytes);
    }
    ByteBuffer capture = ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    if (capture.getInt(0) != 0xa1b2c3d4 || capture.getInt(20) != 1) {
      throw new IOException(
          file + ": expected a capture of Ethernet in little-endian microseconds");
    }
    Map<FiveTuple, PacketFlow> flows = new LinkedHashMap<>();
    int at = 24;
    while (at + 16 <= capture.capacity()) {
      long time = capture.getInt(at) * 1_000_000L + capture.getInt(at + 4);
      int length = capture.getInt(at + 8);
      addPacket(flows, capture.slice(at + 16, length), time);
      at += 16 + length;
    }
    flows.forEach(this::addFlow);
  }

  private static void addPacket(Map<FiveTuple, PacketFlow> flows, ByteBuffer frame, long time) {
    boolean isTagged = frame.capacity() > 18 && (frame.getShort(12) & 0xffff) == 0x8100;
    ByteBuffer packet = isTagged ? frame.slice(4, frame.capacity() - 4) : frame; // of a VLAN
    if (packet.capacity() < 42 || packet.getShort(12) != 0x0800) {
      return; // not IPv4
    }
    int header = 14 + (packet.get(14) & 15) * 4;
    int protocol = packet.get(23) & 255;
    boolean hasPorts = protocol == 6 || protocol == 17;
    if (packet.capacity() < header + 4 || (protocol == 6 && packet.capacity() < header + 14)) {
      return;
    }
    // Of ICMP the type and the code stand where ports do.
    int from = hasPorts ? packet.getShort(header) & 0xffff : 0;
    int to = packet.getShort(hasPorts ? header + 2 : header) & 0xffff;
    FiveTuple key = new FiveTuple(address(packet, 26), from, address(packet, 30), to, protocol);
    PacketFlow flow = flows.computeIfAbsent(key, k -> new PacketFlow());
    flow.first = flow.packets == 0 ? time : Math.min(flow.first, time);
    flow.last = Math.max(flow.last, time);
    flow.packets++;
    flow.flags |= protocol == 6 ? packet.get(header + 13) & 255 : 0;
  }

  private static String address(ByteBuffer packet, int at) {
    List<String> bytes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      bytes.add(Integer.toString(packet.get(at + i) & 255));
    }
    return String.join(".", bytes);
  }

  private void addFlow(FiveTuple key, PacketFlow flow) {
    builder.beginRow();
    times(flow.first, flow.last);
    addresses(key.source(), key.target(), key.protocol());
    builder.set(FlowColumn.PACKETS, flow.packets);
    if (key.protocol() == 1) {
      builder.set(FlowColumn.ICMP_TYPE_CODE, key.targetPort());
    } else {
      builder.set(FlowColumn.SRC_PORT, key.sourcePort());
      builder.set(FlowColumn.DST_PORT, key.targetPort());
    }
    if (key.protocol() == 6) {
      builder.set(FlowColumn.TCP_FLAGS, flow.flags);
    }
    rowEnded();
  }

  /**
   * The sources of a connection log that its labels call malicious and that tried at least so many
   * pairs of destination and port.
   */
  static Set<String> maliciousSources(Path log, int targets) throws IOException {
    Map<String, Set<String>> tried = new HashMap<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(open(log), StandardCharsets.UTF_8))) {
      List<String> names = List.of();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("#fields\t")) {
          names = List.of(line.substring("#fields\t".length()).split("\t", -1));
        } else if (!line.startsWith("#")) {
          String[] cells = line.split("\t", -1);
          if (cells[names.indexOf("label")].equals("Malicious")) {
            tried
                .computeIfAbsent(cells[names.indexOf("id.orig_h")], s -> new HashSet<>())
                .add(cells[names.indexOf("id.resp_h")] + " " + cells[names.indexOf("id.resp_p")]);
          }
        }
      }
    }
    tried.values().removeIf(pairs -> pairs.size() < targets);
    return new TreeSet<>(tried.keySet());
  }
}
