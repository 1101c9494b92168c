package org.flowmon.it.detection;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
import org.flowmon.it.ProjectFiles;

/**
 * Flows of labelled sets: of what flowmon reads itself, captured packets included, of which it
 * makes a flow for each direction of a connection; and, for these tests, of Argus's tables.
 */
final class LabelledFlows {
  private static final int ROWS = 1000;
  private static final DateTimeFormatter ARGUS_TIME =
      DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss.SSSSSS");

  private static final PacketReading PACKETS =
      new PacketReading(TunnelHeaders.INNER, Optional.of(MeterOptions.DEFAULTS));

  private final List<FlowBatch> batches = new ArrayList<>();
  private final FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);

  private LabelledFlows() {}

  static List<FlowBatch> read(List<Path> files) throws IOException {
    LabelledFlows flows = new LabelledFlows();
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (name.contains(".binetflow")) {
        flows.addArgus(file);
      } else {
        flows.addExports(file);
      }
    }
    flows.flush();
    return flows.batches;
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
    boolean isOfExports = file.getFileName().toString().startsWith("export.");
    FileReadOptions options = FileReadOptions.defaults();
    FlowFiles.open(file, isOfExports ? options : options.withPackets(PACKETS))
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

  /** Lines of a table with a header; the separator is a comma. */
  private void addArgus(Path file) throws IOException {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(ProjectFiles.open(file), StandardCharsets.UTF_8))) {
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

  /**
   * The flows of files as an exporter gives them that puts both ways into one row, whichever host
   * has the lower address first.
   */
  static List<FlowBatch> bothWays(List<Path> files) throws IOException {
    Map<FiveTuple, Way> ways = new LinkedHashMap<>();
    for (FlowBatch batch : read(files)) {
      for (int row = 0; row < batch.rows(); row++) {
        ways.computeIfAbsent(FiveTuple.of(batch, row), key -> new Way()).add(batch, row);
      }
    }
    LabelledFlows flows = new LabelledFlows();
    Set<FiveTuple> done = new HashSet<>();
    for (FiveTuple key : ways.keySet()) {
      if (done.contains(key)) {
        continue;
      }
      FiveTuple other = key.reversed();
      done.add(other);
      boolean isFirst = !ways.containsKey(other) || key.source().compareTo(other.source()) < 0;
      flows.addBothWays(isFirst ? key : other, ways);
    }
    flows.flush();
    return flows.batches;
  }

  /**
   * The flows of files as an exporter gives them that sees one direction alone, what clients send,
   * with the flags of TCP.
   */
  static List<FlowBatch> oneWay(List<Path> files) throws IOException {
    LabelledFlows flows = new LabelledFlows();
    for (FlowBatch batch : read(files)) {
      for (int row = 0; row < batch.rows(); row++) {
        if (isOfClient(batch, row)) {
          flows.addOneWay(batch, row);
        }
      }
    }
    flows.flush();
    return flows.batches;
  }

  /** Logs have clients as sources; of captured packets, of one way each, the higher port tells. */
  private static boolean isOfClient(FlowBatch batch, int row) {
    if (!batch.isNull(FlowColumn.STATE, row) || !batch.isNull(FlowColumn.REVERSE_PACKETS, row)) {
      return true;
    }
    return batch.isNull(FlowColumn.SRC_PORT, row)
        || batch.getLong(FlowColumn.SRC_PORT, row) > batch.getLong(FlowColumn.DST_PORT, row);
  }

  private void addOneWay(FlowBatch batch, int row) {
    builder.beginRow();
    long end = batch.getLong(FlowColumn.END_TIME, row);
    boolean hasStart = !batch.isNull(FlowColumn.START_TIME, row);
    times(hasStart ? batch.getLong(FlowColumn.START_TIME, row) : end, end);
    builder.setAddress(FlowColumn.SRC_ADDR, batch.getAddress(FlowColumn.SRC_ADDR, row));
    builder.setAddress(FlowColumn.DST_ADDR, batch.getAddress(FlowColumn.DST_ADDR, row));
    for (FlowColumn column :
        List.of(
            FlowColumn.PROTOCOL,
            FlowColumn.SRC_PORT,
            FlowColumn.DST_PORT,
            FlowColumn.ICMP_TYPE_CODE,
            FlowColumn.PACKETS,
            FlowColumn.BYTES,
            FlowColumn.TCP_FLAGS)) {
      if (!batch.isNull(column, row)) {
        builder.set(column, batch.getLong(column, row));
      }
    }
    boolean isTcp = batch.getLong(FlowColumn.PROTOCOL, row) == 6;
    if (isTcp && batch.isNull(FlowColumn.TCP_FLAGS, row)) {
      builder.set(FlowColumn.TCP_FLAGS, clientFlags(batch, row));
    }
    rowEnded();
  }

  /** SYN alone where Zeek's state (S0, REJ, RSTOS0, SH) says that no connection came about. */
  private static int clientFlags(FlowBatch batch, int row) {
    long state = batch.isNull(FlowColumn.STATE, row) ? 0 : batch.getLong(FlowColumn.STATE, row);
    return state == 1 || state == 4 || state == 9 || state == 11 ? 0x02 : 0x1B;
  }

  private record FiveTuple(
      IpAddress source,
      long sourcePort,
      IpAddress target,
      long targetPort,
      long protocol,
      long icmp) {
    static FiveTuple of(FlowBatch batch, int row) {
      return new FiveTuple(
          batch.getAddress(FlowColumn.SRC_ADDR, row),
          batch.getLong(FlowColumn.SRC_PORT, row),
          batch.getAddress(FlowColumn.DST_ADDR, row),
          batch.getLong(FlowColumn.DST_PORT, row),
          batch.getLong(FlowColumn.PROTOCOL, row),
          batch.getLong(FlowColumn.ICMP_TYPE_CODE, row));
    }

    FiveTuple reversed() {
      return new FiveTuple(target, targetPort, source, sourcePort, protocol, icmp);
    }
  }

  /** One direction. */
  private static final class Way {
    private long first = Long.MAX_VALUE;
    private long last;
    private long packets;
    private long bytes;
    private long flags;

    void add(FlowBatch batch, int row) {
      first = Math.min(first, batch.getLong(FlowColumn.START_TIME, row));
      last = Math.max(last, batch.getLong(FlowColumn.END_TIME, row));
      packets += batch.getLong(FlowColumn.PACKETS, row);
      bytes += batch.getLong(FlowColumn.BYTES, row);
      flags |= batch.getLong(FlowColumn.TCP_FLAGS, row);
    }
  }

  private void addBothWays(FiveTuple key, Map<FiveTuple, Way> ways) {
    Way way = ways.get(key);
    Way back = ways.getOrDefault(key.reversed(), new Way());
    builder.beginRow();
    times(Math.min(way.first, back.first), Math.max(way.last, back.last));
    builder.setAddress(FlowColumn.SRC_ADDR, key.source());
    builder.setAddress(FlowColumn.DST_ADDR, key.target());
    builder.set(FlowColumn.PROTOCOL, key.protocol());
    builder.set(FlowColumn.PACKETS, way.packets);
    builder.set(FlowColumn.BYTES, way.bytes);
    builder.set(FlowColumn.REVERSE_PACKETS, back.packets);
    builder.set(FlowColumn.REVERSE_BYTES, back.bytes);
    if (key.protocol() == 1) {
      builder.set(FlowColumn.ICMP_TYPE_CODE, key.icmp());
    } else {
      builder.set(FlowColumn.SRC_PORT, key.sourcePort());
      builder.set(FlowColumn.DST_PORT, key.targetPort());
    }
    if (key.protocol() == 6) {
      builder.set(FlowColumn.TCP_FLAGS, way.flags);
      builder.set(FlowColumn.REVERSE_TCP_FLAGS, back.flags);
    }
    rowEnded();
  }

  /**
   * How many pairs of destination and port each source tried that a log's labels call malicious.
   */
  static Map<String, Integer> maliciousSources(Path log) throws IOException {
    Map<String, Set<String>> tried = new HashMap<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(ProjectFiles.open(log), StandardCharsets.UTF_8))) {
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
    Map<String, Integer> targets = new TreeMap<>();
    tried.forEach((source, pairs) -> targets.put(source, pairs.size()));
    return targets;
  }
}
