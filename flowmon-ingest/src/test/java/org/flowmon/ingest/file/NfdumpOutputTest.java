package org.flowmon.ingest.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the real nfdump writes, against the decoder and against nfdump itself. */
class NfdumpOutputTest {
  private static final List<FlowColumn> COMPARED =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.PACKETS,
          FlowColumn.BYTES,
          FlowColumn.TCP_FLAGS,
          FlowColumn.TOS);

  @TempDir Path folder;

  private static List<Map<FlowColumn, Object>> rows(Path file) throws IOException {
    FlowRecorder recorder = new FlowRecorder(1000);
    FileSummary summary = FlowFiles.open(file).read(recorder);
    assertEquals(Map.of(), summary.rejected(), file.toString());
    assertEquals(null, summary.damage());
    return recorder.rows();
  }

  /** Without ICMP's ports and others' TCP flags, which nfdump writes whether it has them or not. */
  private static List<String> flows(List<Map<FlowColumn, Object>> rows) {
    List<String> flows = new ArrayList<>();
    for (Map<FlowColumn, Object> row : rows) {
      boolean isIcmp =
          row.get(FlowColumn.PROTOCOL).equals(1L) || row.get(FlowColumn.PROTOCOL).equals(58L);
      StringBuilder flow = new StringBuilder();
      for (FlowColumn column : COMPARED) {
        boolean isPort = column == FlowColumn.SRC_PORT || column == FlowColumn.DST_PORT;
        boolean isFlags =
            column == FlowColumn.TCP_FLAGS && !row.get(FlowColumn.PROTOCOL).equals(6L);
        flow.append((isIcmp && isPort) || isFlags ? "-" : row.get(column)).append(' ');
      }
      flows.add(flow.toString());
    }
    Collections.sort(flows);
    return flows;
  }

  @Test
  void nfdumpsCsvOfACaptureHasTheFlowsThatTheDecoderReads() throws IOException {
    for (Path capture : TestData.list("netflow-from-pcap")) {
      for (String version : List.of("v5", "v9", "v10")) {
        Path csv = capture.resolve("expected." + version + ".csv.gz");
        List<Map<FlowColumn, Object>> decoded =
            rows(capture.resolve("export." + version + ".pcap"));
        assertEquals(flows(decoded), flows(rows(csv)), csv.toString());
      }
    }
  }

  @Test
  void filesOfNfcapdAreReadByNfdump() throws IOException, InterruptedException {
    for (Path file : nfcapdFiles()) {
      Path json = folder.resolve("flows.json");
      Files.writeString(json, run("nfdump", "-r", file.toString(), "-o", "json"));
      List<Map<FlowColumn, Object>> read = rows(file);
      assertTrue(read.size() > 5, file + ": " + read.size());
      assertEquals(flows(rows(json)), flows(read));
      assertEquals(times(rows(json)), times(read));
    }
  }

  private List<Path> nfcapdFiles() throws IOException, InterruptedException {
    require("nfpcapd");
    Path pcap = folder.resolve("source.pcap");
    Files.write(
        pcap, TestData.read(TestData.path("netflow-from-pcap/many-protocols/source.pcap.gz")));
    Path made = Files.createDirectory(folder.resolve("made"));
    run("nfpcapd", "-r", pcap.toString(), "-w", made.toString());
    List<Path> files;
    try (Stream<Path> list = Files.list(made)) {
      files = list.sorted().toList();
    }
    assertTrue(files.size() > 1, files.toString());
    return files;
  }

  private static List<String> times(List<Map<FlowColumn, Object>> rows) {
    return rows.stream()
        .map(row -> row.get(FlowColumn.START_TIME) + " " + row.get(FlowColumn.END_TIME))
        .sorted()
        .toList();
  }

  @Test
  void aDamagedFileOfNfcapdSaysWhatNfdumpSaid() throws IOException, InterruptedException {
    List<Path> files = nfcapdFiles();
    byte[] whole = Files.readAllBytes(files.get(files.size() - 1));
    Path file = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, whole.length / 2));
    FileSummary summary = FlowFiles.open(file).read(new FlowRecorder(10));
    assertTrue(
        summary.damage() != null && summary.damage().contains("nfdump ended with code"),
        "damage: " + summary.damage());
  }

  private String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("TZ", "UTC");
    Path out = folder.resolve("out");
    Process process =
        builder.redirectOutput(out.toFile()).redirectError(folder.resolve("err").toFile()).start();
    assertEquals(0, process.waitFor(), () -> List.of(command).toString());
    return Files.readString(out);
  }

  private static void require(String program) {
    boolean there =
        Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!there && "1".equals(System.getenv("FLOWMON_REQUIRE_TOOLS"))) {
      fail(program + " is not installed, and FLOWMON_REQUIRE_TOOLS=1");
    }
    if (!there) {
      abort(program + " is not installed");
    }
  }
}
