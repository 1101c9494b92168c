package org.flowmon.ingest.file.binary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares files of flow-tools with a plain reader of their records. */
class FlowToolsReaderTest {
  private static final String FOLDER = "fixtures/spark-netflow-flowtools/src/test/resources/";

  @TempDir Path folder;

  private static List<Map<FlowColumn, Object>> rows(Path file) throws IOException {
    FlowRecorder recorder = new FlowRecorder(1000);
    FileSummary summary = FlowFiles.open(file).read(recorder);
    assertEquals("flow_tools", summary.label());
    assertEquals(null, summary.damage());
    recorder.rows().forEach(row -> row.remove(FlowColumn.ARRIVAL));
    return recorder.rows();
  }

  @Test
  void recordsOfVersions5And7AreThoseOfAPlainReader() throws IOException {
    for (int version : new int[] {5, 7}) {
      String name = version == 5 ? "ftv5.2016-01-13" : "ftv7.2016-02-14";
      Path file = TestData.path(FOLDER + "correct/" + name + ".nocompress.bigend.sample");
      assertEquals(plain(Files.readAllBytes(file), version == 5 ? 64 : 68), rows(file), name);
    }
  }

  @Test
  void compressionAndByteOrderDoNotMatter() throws IOException {
    List<Map<FlowColumn, Object>> five =
        rows(TestData.path(FOLDER + "correct/ftv5.2016-01-13.nocompress.bigend.sample"));
    assertEquals(1000, five.size());
    assertEquals(five, rows(TestData.path(FOLDER + "correct/ftv5.2016-01-13.compress.9.sample")));
    List<Map<FlowColumn, Object>> seven =
        rows(TestData.path(FOLDER + "correct/ftv7.2016-02-14.nocompress.bigend.sample"));
    for (String order : List.of("bigend", "litend")) {
      String name = "correct/ftv7.2016-02-14.compress.9." + order + ".sample";
      assertEquals(seven, rows(TestData.path(FOLDER + name)));
    }
    assertEquals(
        1000,
        rows(TestData.path(FOLDER + "anomaly/ftv5.2016-04-09.compress9.large-byte-start")).size());
  }

  @Test
  void emptyFilesAreReadAndEmpty() throws IOException {
    for (String kind : List.of("compress2", "compress9", "nocompress")) {
      Path file = TestData.path(FOLDER + "anomaly/ftv5.2016-03-15." + kind + ".bigend.empty");
      assertEquals(List.of(), rows(file));
    }
  }

  @Test
  void aFileThatBreaksOffKeepsItsFirstFlowsAndNamesTheDamage() throws IOException {
    Path file = TestData.path(FOLDER + "corrupt/ftv5.2016-01-13.compress.9.sample-00");
    FlowRecorder recorder = new FlowRecorder(1000);
    FileSummary summary = FlowFiles.open(file).read(recorder);
    assertEquals(553, summary.rows());
    assertTrue(summary.damage().contains("after record 553: the compressed data is damaged"));
  }

  @Test
  void otherVersionsAreRefusedByTheirNumber() {
    Path file = TestData.path(FOLDER + "unsupport/ftv8.2016-01-17.compress.7.bigend.sample");
    UnknownFormatException e =
        assertThrows(
            UnknownFormatException.class, () -> FlowFiles.open(file).read(new FlowRecorder(10)));
    assertTrue(e.getMessage().contains("flows of version 8, expected 5 or 7"), e.getMessage());
  }

  @Test
  void mutatedFilesAreReadOrRefused() throws IOException {
    byte[] whole =
        Files.readAllBytes(
            TestData.path(FOLDER + "anomaly/ftv5.2016-03-15.compress9.bigend.records1"));
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = whole.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      Path file = Files.write(folder.resolve("input"), bytes);
      try {
        FlowFiles.open(file).read(new FlowRecorder(10));
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("input"), "seed " + seed + ", " + round + ": " + e);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  /** Records from byte 48 on, big-endian, field by field as ftlib.h names them. */
  private static List<Map<FlowColumn, Object>> plain(byte[] file, int size) {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.BIG_ENDIAN);
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    for (int at = 48; at + size <= file.length; at += size) {
      long nanos = in.getInt(at + 4) & 0xFFFFFFFFL;
      long export =
          (in.getInt(at) & 0xFFFFFFFFL) * 1_000_000 + (nanos < 1_000_000_000 ? nanos / 1000 : 0);
      long start = export - (in.getInt(at + 8) - in.getInt(at + 40)) * 1000L;
      long end = export - (in.getInt(at + 8) - in.getInt(at + 44)) * 1000L;
      Map<FlowColumn, Object> row = new TreeMap<>();
      row.put(FlowColumn.EXPORT_TIME, export);
      row.put(FlowColumn.SYS_UPTIME, in.getInt(at + 8) & 0xFFFFFFFFL);
      row.put(FlowColumn.START_TIME, start);
      row.put(FlowColumn.END_TIME, end);
      if (end >= start) {
        row.put(FlowColumn.DURATION, end - start);
      }
      if (in.getInt(at + 12) != 0) {
        row.put(FlowColumn.EXPORTER, IpAddress.ofIpv4(in.getInt(at + 12)));
      }
      row.put(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(in.getInt(at + 16)));
      row.put(FlowColumn.DST_ADDR, IpAddress.ofIpv4(in.getInt(at + 20)));
      if (in.getInt(at + 24) != 0) {
        row.put(FlowColumn.NEXT_HOP, IpAddress.ofIpv4(in.getInt(at + 24)));
      }
      row.put(FlowColumn.INPUT_IF, in.getShort(at + 28) & 0xFFFFL);
      row.put(FlowColumn.OUTPUT_IF, in.getShort(at + 30) & 0xFFFFL);
      row.put(FlowColumn.PACKETS, in.getInt(at + 32) & 0xFFFFFFFFL);
      row.put(FlowColumn.BYTES, in.getInt(at + 36) & 0xFFFFFFFFL);
      row.put(FlowColumn.SRC_PORT, in.getShort(at + 48) & 0xFFFFL);
      row.put(FlowColumn.DST_PORT, in.getShort(at + 50) & 0xFFFFL);
      row.put(FlowColumn.PROTOCOL, in.get(at + 52) & 0xFFL);
      if (in.get(at + 52) == 1) {
        row.put(FlowColumn.ICMP_TYPE_CODE, in.getShort(at + 50) & 0xFFFFL);
      }
      row.put(FlowColumn.TOS, in.get(at + 53) & 0xFFL);
      row.put(FlowColumn.TCP_FLAGS, in.get(at + 54) & 0xFFL);
      row.put(FlowColumn.ENGINE_TYPE, in.get(at + 56) & 0xFFL);
      row.put(FlowColumn.ENGINE_ID, in.get(at + 57) & 0xFFL);
      row.put(FlowColumn.SRC_MASK, in.get(at + 58) & 0xFFL);
      row.put(FlowColumn.DST_MASK, in.get(at + 59) & 0xFFL);
      if (in.getShort(at + 60) != 0) {
        row.put(FlowColumn.SRC_AS, in.getShort(at + 60) & 0xFFFFL);
      }
      if (in.getShort(at + 62) != 0) {
        row.put(FlowColumn.DST_AS, in.getShort(at + 62) & 0xFFFFL);
      }
      row.put(FlowColumn.SOURCE_KIND, 1L);
      rows.add(row);
    }
    return rows;
  }
}
