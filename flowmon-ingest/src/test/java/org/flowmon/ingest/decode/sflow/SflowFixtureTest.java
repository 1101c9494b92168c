package org.flowmon.ingest.decode.sflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.Tool;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.flowmon.ingest.file.capture.PcapReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real datagrams of switches, against Wireshark and telegraf. */
class SflowFixtureTest {
  private static final IpAddress SENDER = IpAddress.parse("192.0.2.1");
  private static final String TELEGRAF = "fixtures/telegraf/plugins/inputs/netflow/testcases/";

  @TempDir Path directory;

  private IngestCounters counters;
  private ExportDecoder decoder;

  private List<Map<FlowColumn, Object>> decode(byte[] datagram) {
    counters = new IngestCounters();
    decoder =
        new ExportDecoder(
            counters,
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults().withEstablishedAfter(0));
    FlowRecorder recorder = new FlowRecorder(2);
    decoder.decode(datagram, 0, datagram.length, SENDER, 6343, 1_700_000_000_000_000L, recorder);
    return recorder.rows();
  }

  private static List<byte[]> datagrams() throws IOException {
    List<byte[]> datagrams = new ArrayList<>();
    for (Path file : TestData.walk("fixtures/tcpdump-sflow")) {
      String name = file.getFileName().toString();
      if (name.startsWith("sflow") && name.endsWith(".pcap")) {
        try (PcapReader reader = PcapReader.open(file, new IngestCounters())) {
          while (reader.next()) {
            datagrams.add(
                Arrays.copyOfRange(
                    reader.bytes(), reader.offset(), reader.offset() + reader.length()));
          }
        }
      }
    }
    for (Path file : TestData.walk(TELEGRAF)) {
      if (file.getParent().getFileName().toString().startsWith("sflow")
          && file.toString().endsWith(".bin")) {
        datagrams.add(TestData.read(file));
      }
    }
    return datagrams;
  }

  private static final List<String> FIELDS =
      List.of(
          "ip.src",
          "ip.dst",
          "ip.len",
          "ipv6.src",
          "ipv6.plen",
          "sflow.flow_sample.sampling_rate",
          "sflow.flow_sample.input_interface",
          "sflow_245.ifindex",
          "sflow_245.ifinoct",
          "sflow_245.ifoutpkt",
          "sflow_245.sub_agent_id");

  /**
   * Fields of each datagram, all their values in order; the first IP header is the datagram's. One
   * run of tshark reads them all, as its start takes long.
   */
  private List<Map<String, List<String>>> tshark(List<byte[]> datagrams)
      throws IOException, InterruptedException {
    Path file = directory.resolve("datagrams.pcap");
    List<byte[]> packets = new ArrayList<>();
    for (byte[] datagram : datagrams) {
      packets.add(
          new PacketBytes()
              .ethernet(0x0800)
              .ipv4("192.0.2.1", "192.0.2.2", 17, PacketBytes.udp(6343, 6343, datagram))
              .toBytes());
    }
    Files.write(file, PacketBytes.pcap(packets));
    List<String> command =
        new ArrayList<>(
            List.of("tshark", "-n", "-r", file.toString(), "-T", "fields", "-E", "separator=/t"));
    FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
    List<Map<String, List<String>>> all = new ArrayList<>();
    for (String line : Tool.run(command)) {
      String[] values = line.split("\t", -1);
      Map<String, List<String>> found = new LinkedHashMap<>();
      for (int i = 0; i < FIELDS.size(); i++) {
        found.put(
            FIELDS.get(i),
            values[i].isEmpty() ? List.of() : Arrays.asList(values[i].split(",", -1)));
      }
      all.add(found);
    }
    assertEquals(datagrams.size(), all.size());
    return all;
  }

  @Test
  void everySampleIsAsWiresharkReadsIt() throws Exception {
    int flows = 0;
    int interfaces = 0;
    List<byte[]> datagrams = datagrams();
    var read = tshark(datagrams.stream().filter(datagram -> datagram[1] == 0).toList()).iterator();
    for (byte[] datagram : datagrams) {
      List<Map<FlowColumn, Object>> rows = decode(datagram);
      if (datagram[1] != 0) {
        // The switch of this capture also sends NetFlow v5 to the same port, which tshark leaves.
        assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DECODED));
        assertTrue(counters.get(IngestCounter.FLOWS_DECODED) > 0);
        continue;
      }
      Map<String, List<String>> tshark = read.next();
      String where = "a datagram of " + datagram.length + " bytes, " + counters + ", " + tshark;
      List<Map<FlowColumn, Object>> four = new ArrayList<>(rows);
      four.removeIf(row -> row.get(FlowColumn.SRC_ADDR) instanceof IpAddress a && !a.isIpv4());
      List<Map<FlowColumn, Object>> six = new ArrayList<>(rows);
      six.removeAll(four);
      assertEquals(tail(tshark.get("ip.src")), column(four, FlowColumn.SRC_ADDR), where);
      assertEquals(tail(tshark.get("ip.dst")), column(four, FlowColumn.DST_ADDR), where);
      assertEquals(tshark.get("ipv6.src"), column(six, FlowColumn.SRC_ADDR), where);
      for (int i = 0; i < six.size(); i++) {
        long payload = Long.parseLong(tshark.get("ipv6.plen").get(i));
        assertEquals(40 + payload, six.get(i).get(FlowColumn.BYTES), where);
      }
      List<String> rates = tshark.get("sflow.flow_sample.sampling_rate");
      if (!rates.isEmpty()) {
        assertEquals(tail(tshark.get("ip.len")), column(four, FlowColumn.BYTES), where);
        assertEquals(rates, column(rows, FlowColumn.SAMPLING_RATE), where);
        assertEquals(
            tshark.get("sflow.flow_sample.input_interface"),
            column(rows, FlowColumn.INPUT_IF),
            where);
      }
      List<InterfaceCounters> kept = decoder.interfaceCounters(0);
      List<String> octets = tshark.get("sflow_245.ifinoct");
      if (octets.isEmpty()) {
        continue; // tshark 4.0 stops at a record that it does not know (1005)
      }
      assertEquals(octets.size(), kept.size(), where);
      for (InterfaceCounters counted : kept) {
        int at = tshark.get("sflow_245.ifindex").indexOf(String.valueOf(counted.index()));
        assertEquals(octets.get(at), String.valueOf(counted.in().octets()), where);
        assertEquals(
            tshark.get("sflow_245.ifoutpkt").get(at),
            String.valueOf(counted.out().unicast()),
            where);
      }
      flows += rows.size();
      interfaces += kept.size();
    }
    assertTrue(flows >= 5, flows + " flows");
    assertTrue(interfaces > 50, interfaces + " interfaces");
  }

  private static List<String> tail(List<String> values) {
    return values.subList(Math.min(1, values.size()), values.size());
  }

  private static List<String> column(List<Map<FlowColumn, Object>> rows, FlowColumn column) {
    return rows.stream()
        .map(row -> row.get(column))
        .filter(Objects::nonNull)
        .map(Object::toString)
        .toList();
  }

  @Test
  void aDiscardedPacketIsThatOfTelegraf() {
    Path file = TestData.path(TELEGRAF + "sflow_issue_15375/sflow_drop_1036.bin");
    List<Map<FlowColumn, Object>> rows = decode(TestData.read(file));
    assertEquals(1, rows.size(), counters.toString());
    assertEquals(1L, rows.get(0).get(FlowColumn.INPUT_IF));
    assertEquals(2L, rows.get(0).get(FlowColumn.OUTPUT_IF));
    assertEquals(IpAddress.parse("192.168.119.184"), rows.get(0).get(FlowColumn.EXPORTER));
    assertEquals(100_000L, rows.get(0).get(FlowColumn.OBSERVATION_DOMAIN));
  }

  /** tcpdump's sflow_print-segv ends within the header. */
  @Test
  void aDatagramCutOffInItsHeaderIsTruncated() throws IOException {
    boolean found = false;
    for (byte[] datagram : datagrams()) {
      if (datagram.length == 8) {
        decode(datagram);
        assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED));
        found = true;
      }
    }
    assertTrue(found);
  }
}
