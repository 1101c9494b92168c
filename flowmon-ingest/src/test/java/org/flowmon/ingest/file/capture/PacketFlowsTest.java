package org.flowmon.ingest.file.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.Tool;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flows made of real captures, against tshark's packets and softflowd's flows of them. */
class PacketFlowsTest {
  @TempDir Path directory;

  private static FileReadOptions made(TunnelHeaders tunnels) {
    return FileReadOptions.defaults()
        .withPackets(new PacketReading(tunnels, Optional.of(MeterOptions.DEFAULTS)));
  }

  private static List<Map<FlowColumn, Object>> flows(Path file, TunnelHeaders tunnels)
      throws IOException {
    FlowRecorder out = new FlowRecorder(100);
    FileSummary summary = FlowFiles.open(file, made(tunnels)).read(out);
    assertEquals(summary.rows(), out.rows().size());
    assertEquals(null, summary.damage());
    return out.rows();
  }

  private static String key(Map<FlowColumn, Object> row) {
    return row.get(FlowColumn.SRC_ADDR)
        + " "
        + row.get(FlowColumn.DST_ADDR)
        + " "
        + row.get(FlowColumn.PROTOCOL)
        + " "
        + row.getOrDefault(FlowColumn.SRC_PORT, 0L)
        + " "
        + row.getOrDefault(FlowColumn.DST_PORT, 0L);
  }

  /** Packets and bytes by addresses, protocol and ports, of the outermost header. */
  private static Map<String, long[]> sums(List<Map<FlowColumn, Object>> flows) {
    Map<String, long[]> sums = new TreeMap<>();
    for (Map<FlowColumn, Object> row : flows) {
      long[] sum = sums.computeIfAbsent(key(row), k -> new long[2]);
      sum[0] += (Long) row.get(FlowColumn.PACKETS);
      sum[1] += (Long) row.get(FlowColumn.BYTES);
    }
    return sums;
  }

  private static Map<String, String> texts(Map<String, long[]> sums) {
    Map<String, String> texts = new TreeMap<>();
    sums.forEach((key, sum) -> texts.put(key, sum[0] + " packets, " + sum[1] + " bytes"));
    return texts;
  }

  /** The same by tshark's fields of each IPv4 packet; captures with other lengths are left out. */
  private static Map<String, String> tshark(Path file) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            "tshark",
            "-n",
            "-r",
            file.toString(),
            "-Y",
            "ip",
            "-T",
            "fields",
            "-E",
            "separator=/t",
            "-E",
            "occurrence=f",
            "-o",
            "ip.defragment:FALSE",
            "-e",
            "ip.src",
            "-e",
            "ip.dst",
            "-e",
            "ip.proto",
            "-e",
            "ip.len",
            "-e",
            "tcp.srcport",
            "-e",
            "tcp.dstport",
            "-e",
            "udp.srcport",
            "-e",
            "udp.dstport",
            "-e",
            "ip.frag_offset");
    Map<String, long[]> sums = new TreeMap<>();
    for (String line : Tool.run(command)) {
      String[] f = line.split("\t", -1);
      boolean tcp = f[2].equals("6") && !f[4].isEmpty();
      boolean udp = f[2].equals("17") && !f[6].isEmpty();
      String from = tcp ? f[4] : udp ? f[6] : "0";
      String to = tcp ? f[5] : udp ? f[7] : "0";
      String key = String.join(" ", f[0], f[1], f[2], from, to);
      long[] sum = sums.computeIfAbsent(key, k -> new long[2]);
      sum[0]++;
      sum[1] += Long.parseLong(f[3]);
    }
    return texts(sums);
  }

  private static List<Path> captures() {
    List<Path> captures = new ArrayList<>();
    for (String folder : List.of("pcap", "labelled/tunnels", "netflow-from-pcap")) {
      for (Path file : TestData.walk(folder)) {
        String name = file.getFileName().toString();
        if (name.matches(".*\\.(pcap|pcapng|trace)(\\.gz)?") && !name.startsWith("export.")) {
          captures.add(file);
        }
      }
    }
    return captures;
  }

  @Test
  void packetsAndBytesOfEachFlowAreThoseOfTshark() throws Exception {
    int compared = 0;
    for (Path file : captures()) {
      List<Map<FlowColumn, Object>> flows = new ArrayList<>(flows(file, TunnelHeaders.OUTER));
      flows.removeIf(row -> !((IpAddress) row.get(FlowColumn.SRC_ADDR)).isIpv4());
      flows.removeIf(row -> row.get(FlowColumn.PROTOCOL).equals(132L)); // tshark has other fields
      Map<String, String> expected = tshark(file);
      expected.keySet().removeIf(key -> key.contains(" 132 "));
      assertEquals(expected, texts(sums(flows)), file.toString());
      compared += expected.size();
    }
    assertTrue(compared > 4000, compared + " flows");
  }

  /** softflowd also counts the padding of short frames: at most 18 bytes of each packet. */
  @Test
  void packetsAndBytesOfEachFlowAreThoseOfSoftflowd() throws Exception {
    int compared = 0;
    for (Path folder : TestData.list("netflow-from-pcap")) {
      Path source = folder.resolve("source.pcap.gz");
      if (!Files.exists(source)) {
        continue;
      }
      Map<String, long[]> made = sums(flows(source, TunnelHeaders.OUTER));
      Map<String, long[]> expected = new TreeMap<>();
      readNfdump(folder.resolve("expected.v9.csv.gz"), expected);
      for (Map.Entry<String, long[]> flow : expected.entrySet()) {
        long[] found = made.getOrDefault(flow.getKey(), new long[2]);
        String where = folder + ": " + flow.getKey();
        assertEquals(flow.getValue()[0], found[0], where + ": packets");
        long beyond = flow.getValue()[1] - found[1];
        assertTrue(beyond >= 0 && beyond <= 18 * found[0], where + ": bytes beyond " + beyond);
      }
      compared += expected.size();
    }
    assertTrue(compared > 2000, compared + " flows");
  }

  private static void readNfdump(Path file, Map<String, long[]> sums) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new ByteArrayInputStream(TestData.read(file)), StandardCharsets.UTF_8))) {
      // ts, te, td, sa, da, sp, dp, pr, flg, fwd, stos, ipkt, ibyt, …
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] f = line.split(",", -1);
        boolean isTcp = f.length > 12 && f[7].strip().equals("TCP");
        boolean isUdp = f.length > 12 && f[7].strip().equals("UDP");
        if (!isTcp && !isUdp) {
          continue;
        }
        String key =
            String.join(
                " ",
                IpAddress.parse(f[3].strip()).toString(),
                IpAddress.parse(f[4].strip()).toString(),
                isTcp ? "6" : "17",
                f[5].strip(),
                f[6].strip());
        long[] sum = sums.computeIfAbsent(key, k -> new long[2]);
        sum[0] += Long.parseLong(f[11].strip());
        sum[1] += Long.parseLong(f[12].strip());
      }
    }
  }

  @Test
  void flowsInTunnelsAreTheInnerOnes() throws IOException {
    Path file = TestData.path("labelled/tunnels/6in4tunnel.pcap");
    List<Map<FlowColumn, Object>> inner = flows(file, TunnelHeaders.INNER);
    assertTrue(
        inner.stream()
            .anyMatch(
                row ->
                    !((IpAddress) row.get(FlowColumn.SRC_ADDR)).isIpv4()
                        && row.containsKey(FlowColumn.DST_PORT)));
    List<Map<FlowColumn, Object>> outer = flows(file, TunnelHeaders.OUTER);
    assertTrue(outer.stream().allMatch(row -> ((IpAddress) row.get(FlowColumn.SRC_ADDR)).isIpv4()));
    assertTrue(outer.stream().anyMatch(row -> row.get(FlowColumn.PROTOCOL).equals(41L)));
  }

  @Test
  void aCaptureOfOtherTrafficIsRefusedWithTheReasonAndAdvice() {
    Path file = TestData.path("pcap/bro-simple-scan/port_scan.pcap");
    IOException refused =
        assertThrows(IOException.class, () -> FlowFiles.open(file).read(new FlowRecorder(10)));
    assertTrue(refused.getMessage().contains("is NetFlow, IPFIX or sFlow"), refused.getMessage());
    assertTrue(refused.getMessage().contains("--from-packets"), refused.getMessage());
  }

  @Test
  void aCaptureWithoutPacketsIsRefused() throws IOException {
    Path file = directory.resolve("empty.pcap");
    byte[] header = new byte[24];
    header[0] = (byte) 0xD4;
    header[1] = (byte) 0xC3;
    header[2] = (byte) 0xB2;
    header[3] = (byte) 0xA1;
    header[20] = 1;
    Files.write(file, header);
    for (FileReadOptions options : List.of(FileReadOptions.defaults(), made(TunnelHeaders.INNER))) {
      IOException refused =
          assertThrows(
              IOException.class, () -> FlowFiles.open(file, options).read(new FlowRecorder(10)));
      assertTrue(refused.getMessage().contains("without packets"), refused.getMessage());
    }
  }
}
