package org.flowmon.ingest.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlowFilesTest {
  @TempDir Path folder;

  @Test
  void formatsAreKnownByTheirContentWhateverTheNameSays() throws IOException {
    Map<String, InputFormat> files =
        Map.of(
            "netflow-from-pcap/many-protocols/export.v9.pcap", InputFormat.PCAP,
            "netflow-from-pcap/many-protocols/source.pcap.gz", InputFormat.PCAP,
            "fixtures/ipfixcol2/doc/data/ipfix/example_flows.ipfix", InputFormat.IPFIX,
            "zeek/m57/conn.log.gz", InputFormat.ZEEK_TSV,
            "zeek/zat/conn_date_issue.log.gz", InputFormat.ZEEK_TSV,
            "labelled/slips/test10-mixed-zeek-dir/conn.log", InputFormat.ZEEK_TSV,
            "labelled/slips/test9-mixed-zeek-dir/conn.log.gz", InputFormat.ZEEK_JSON,
            "zeek/zeek-btest/core.erspanI/conn.log", InputFormat.ZEEK_TSV);
    for (Map.Entry<String, InputFormat> file : files.entrySet()) {
      assertEquals(file.getValue(), detect(TestData.path(file.getKey())), file.getKey());
    }
  }

  @Test
  void whatIsNotReadIsRefusedSayingWhatWasSeenAndWhatIsSupported() throws IOException {
    assertRefused("StartTime,Dur\n1,2\n", "text that begins with 'StartTime,Dur");
    assertRefused("", "it is empty");
    assertRefused("# only\n# comments\n", "nothing but comments");
    assertRefused(
        "### comment\n1.5\tCabc\t10.0.0.1\n", "'1.5\\tCabc\\t10.0.0.1\\n', tab-separated");
    assertRefused("\u0000\u0001\u0002\u0003abc", "the bytes 00 01 02 03 61 62 63");
    assertThrows(UnknownFormatException.class, () -> FlowFiles.open(folder));
    assertThrows(NoSuchFileException.class, () -> FlowFiles.open(folder.resolve("none")));
  }

  private void assertRefused(String content, String seen) throws IOException {
    Path file = input(content);
    UnknownFormatException e =
        assertThrows(UnknownFormatException.class, () -> FlowFiles.open(file));
    assertTrue(e.getMessage().contains(seen), e.getMessage());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    assertTrue(
        content.startsWith("PAR1")
            || content.startsWith("PARE")
            || e.getMessage().contains("supported are pcap"),
        e.getMessage());
  }

  @Test
  void aFileIsParquetOnlyWhereItEndsAsOneToo() throws IOException {
    assertEquals(InputFormat.PARQUET, detect(input("PAR1\u0015\u0004rows1234PAR1")));
    assertEquals(InputFormat.PARQUET, detect(input("PARE\u0015\u0004rows1234PARE")));
    assertEquals(InputFormat.CSV, detect(input("PAR1,src_addr\n1,192.0.2.1\n")));
    assertEquals(InputFormat.CSV, detect(input("PAR1;src_addr;x")));
    assertRefused("PAR1,x\n12345,2\n", "with PAR1 as Parquet files do, and its 15 bytes do not");
    assertRefused("PAR1,x\n12345,2\n", "but with the bytes 35 2c 32 0a");
    assertRefused("PAR1", "its 4 bytes do not end so but with the bytes 50 41 52 31");
    assertRefused("PARE1234PAR1", "begins with PARE as Parquet files do");
    assertRefused("PARQUET1234PAR1", "text that begins with 'PARQUET");
    Path gzip = folder.resolve("gzip");
    for (String content : List.of("PAR1,src_addr\n1,192.0.2.1\n", "PAR1\u0015\u0004")) {
      try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gzip))) {
        out.write(content.getBytes(StandardCharsets.UTF_8));
      }
      InputFormat expected = content.contains(",") ? InputFormat.CSV : InputFormat.PARQUET;
      assertEquals(expected, detect(gzip), content);
    }
    UnknownFormatException e =
        assertThrows(UnknownFormatException.class, () -> FlowFiles.open(gzip));
    assertTrue(e.getMessage().contains("begins as Parquet files do"), e.getMessage());
    assertTrue(e.getMessage().contains("not gzipped"), e.getMessage());
  }

  private Path input(String content) throws IOException {
    return Files.writeString(folder.resolve("input"), content);
  }

  @Test
  void capturesOfExportsGiveAllTheirFlows() throws IOException {
    for (Path capture : TestData.list("netflow-from-pcap")) {
      for (String version : List.of("v5", "v9", "v10")) {
        FlowRecorder recorder = new FlowRecorder(100);
        Path file = capture.resolve("export." + version + ".pcap");
        FileSummary summary = FlowFiles.open(file).read(recorder);
        long expected =
            new String(
                    TestData.read(capture.resolve("expected." + version + ".csv.gz")),
                    StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .count();
        assertEquals(expected, summary.rows(), file.toString());
        assertEquals(expected, recorder.rows().size());
        assertEquals(Map.of(), summary.rejected(), file.toString());
        assertTrue(summary.firstArrival() <= summary.lastArrival());
      }
    }
  }

  @Test
  void aCaptureWithoutExportsIsRefusedAndSaysWhatWasLeftOut() throws IOException {
    Path file = TestData.path("netflow-from-pcap/ndpi-1kxun/source.pcap.gz");
    IOException refused =
        assertThrows(IOException.class, () -> FlowFiles.open(file).read(new FlowRecorder(10)));
    String left = "{datagrams_dropped_unknown_version=342, packets_skipped_not_udp=1381}";
    assertTrue(refused.getMessage().contains(left), refused.getMessage());
  }

  @Test
  void batchesInAFileAreReadBackRowForRow() throws IOException {
    Path log = TestData.path("zeek/rita-odd/open_conns/closed/conn.log");
    FlowRecorder expected = new FlowRecorder(1000);
    FlowFiles.open(log).read(expected);
    List<FlowBatch> batches = new ArrayList<>();
    try (BatchCollectingSink sink = new BatchCollectingSink(7, batches::add)) {
      FlowFiles.open(log).read(sink);
      assertEquals(59, sink.flows());
    }
    assertEquals(9, batches.size());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long flows = 0;
    for (FlowBatch batch : batches) {
      flows += batch.rows();
      assertEquals(flows, batch.cumulativeFlows());
      assertEquals(batches.indexOf(batch), batch.sequence());
      assertEquals(batches.get(0).producerId(), batch.producerId());
      bytes.write(batch.bytes());
      bytes.write(Heartbeat.of(1, 0, 0, 0, 5));
    }
    Path file = folder.resolve("flows.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(bytes.toByteArray());
    }
    FlowRecorder recorder = new FlowRecorder(10);
    FileSummary summary = FlowFiles.open(file).read(recorder);
    assertEquals(InputFormat.FLOW_BATCHES, summary.format());
    assertEquals(null, summary.damage());
    assertEquals(expected.rows(), recorder.rows());
  }

  @Test
  void batchesAreReadUpToTheDamage() throws IOException {
    List<FlowBatch> batches = new ArrayList<>();
    try (BatchCollectingSink sink = new BatchCollectingSink(20, batches::add)) {
      FlowFiles.open(TestData.path("zeek/rita-odd/open_conns/closed/conn.log")).read(sink);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (FlowBatch batch : batches) {
      all.write(batch.bytes());
    }
    byte[] bytes = all.toByteArray();
    int first = batches.get(0).bytes().length;
    Path file = folder.resolve("flows");
    for (int cut = first + 4; cut < bytes.length; cut += 13) {
      Files.write(file, Arrays.copyOf(bytes, cut));
      FileSummary summary = FlowFiles.open(file).read(new FlowRecorder(10));
      long whole = 20L * (cut < first + batches.get(1).bytes().length ? 1 : 2);
      assertEquals(whole, summary.rows(), "cut at " + cut);
      // A cut between two batches is not visible.
      assertEquals(cut == first + batches.get(1).bytes().length, summary.damage() == null);
    }
  }

  private static InputFormat detect(Path file) throws IOException {
    return InputFormat.detect(file, ColumnNames.DEFAULTS);
  }
}
