package org.flowmon.ingest.file.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.file.reader.RejectedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares CSV and JSON lines with the rows of a naive writer. */
class TextFileReaderTest {
  private static final String COMPARISON =
      "ts,src_ip,dst_ip,src_port,dst_port,protocol,bytes_sent,bytes_recv,outgoing,state,duration";

  @TempDir Path folder;

  /** The result of reading. */
  private record Read(List<Map<FlowColumn, Object>> rows, FileSummary summary, String rejects) {}

  private Read read(String text, int threads) throws IOException {
    return read(text.getBytes(StandardCharsets.UTF_8), threads, FileReadOptions.defaults());
  }

  private Read read(byte[] bytes, int threads, FileReadOptions options) throws IOException {
    Path file = Files.write(folder.resolve("flows"), bytes);
    Path rejectsFile = folder.resolve("rejects");
    Files.deleteIfExists(rejectsFile);
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    FileSummary summary;
    try (RejectedLines rejects = RejectedLines.to(rejectsFile, () -> {})) {
      FlowFileReader reader = FlowFiles.open(file, options.withRejects(rejects));
      summary = ((ParallelFlowReader) reader).read(threads, batch -> rows.addAll(rows(batch)));
    }
    assertEquals(summary.rows(), rows.size());
    return new Read(rows, summary, Files.exists(rejectsFile) ? Files.readString(rejectsFile) : "");
  }

  private static List<Map<FlowColumn, Object>> rows(FlowBatch batch) {
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    for (int r = 0; r < batch.rows(); r++) {
      Map<FlowColumn, Object> row = new TreeMap<>();
      for (FlowColumn column : FlowColumn.all()) {
        if (!batch.isNull(column, r)) {
          row.put(
              column,
              switch (column.type()) {
                case ADDRESS -> batch.getAddress(column, r);
                case TEXT -> batch.text(column, r);
                default -> batch.getLong(column, r);
              });
        }
      }
      rows.add(row);
    }
    return rows;
  }

  private static Map<FlowColumn, Object> row(Object... pairs) {
    Map<FlowColumn, Object> row = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      row.put((FlowColumn) pairs[i], pairs[i + 1] instanceof Integer n ? (long) n : pairs[i + 1]);
    }
    return row;
  }

  @Test
  void theComparisonsFileIsReadInItsOwnUnitsAndCodes() throws Exception {
    Read read = read(COMPARISON + "\n1767225600,167772161,3232235777,1,2,6,3,4,1,0,1500\n", 1);
    assertEquals(
        List.of(
            row(
                FlowColumn.START_TIME,
                1_767_225_598_500_000L,
                FlowColumn.END_TIME,
                1_767_225_600_000_000L,
                FlowColumn.ARRIVAL,
                1_767_225_600_000_000L,
                FlowColumn.DURATION,
                1_500_000L,
                FlowColumn.SRC_ADDR,
                IpAddress.parse("10.0.0.1"),
                FlowColumn.DST_ADDR,
                IpAddress.parse("192.168.1.1"),
                FlowColumn.SRC_PORT,
                1,
                FlowColumn.DST_PORT,
                2,
                FlowColumn.PROTOCOL,
                6,
                FlowColumn.BYTES,
                3,
                FlowColumn.REVERSE_BYTES,
                4,
                FlowColumn.OUTGOING,
                1,
                FlowColumn.STATE,
                1,
                FlowColumn.SOURCE_KIND,
                SourceKind.CSV.code())),
        read.rows());
    assertEquals(InputFormat.CSV, read.summary().format());
  }

  @Test
  void namesOfOtherToolsSemicolonsAndGivenNamesAreUnderstood() throws Exception {
    ColumnNames names =
        ColumnNames.DEFAULTS
            .with("Start", "start_time:ms")
            .with("note", "")
            .with("D", "duration:s");
    String text =
        "\uFEFFStart;\"D\";sa;da;proto;note\r\n1000;0.5;2001:db8::1;10.0.0.1;tcp;\"a;b\n c\"\r\n";
    Read read =
        read(
            text.getBytes(StandardCharsets.UTF_8),
            1,
            FileReadOptions.defaults()
                .withColumns(names)
                .withNetworks(ProtectedNetworks.parse(List.of("2001:db8::/32"))));
    assertEquals(
        List.of(
            row(
                FlowColumn.START_TIME,
                1_000_000,
                FlowColumn.END_TIME,
                1_500_000,
                FlowColumn.ARRIVAL,
                1_500_000,
                FlowColumn.DURATION,
                500_000,
                FlowColumn.SRC_ADDR,
                IpAddress.parse("2001:db8::1"),
                FlowColumn.DST_ADDR,
                IpAddress.parse("10.0.0.1"),
                FlowColumn.PROTOCOL,
                6,
                FlowColumn.OUTGOING,
                1,
                FlowColumn.SOURCE_KIND,
                SourceKind.CSV.code())),
        read.rows());
  }

  @Test
  void aColumnThatIsUnknownOrThereTwiceRefusesTheFileByName() {
    IOException unknown =
        assertThrows(IOException.class, () -> read("end_time,src_addr,colour\n1,::1,red\n", 1));
    assertTrue(unknown.getMessage().contains("'colour' is no column"), unknown.getMessage());
    IOException twice =
        assertThrows(IOException.class, () -> read("end_time,src_addr,sa\n1,::1,::2\n", 1));
    assertTrue(twice.getMessage().contains("both src_addr"), twice.getMessage());
  }

  @Test
  void everyLineThatIsNoFlowIsKeptWithItsNumberAndReasonAndNothingElseIsLost() throws Exception {
    String text =
        """
        end_time,src_addr,src_port,bytes,uid
        1,10.0.0.1,1,1,good
        1,10.0.0.1,65536,1,port
        1,10.0.0.256,1,1,address

        1,10.0.0.1,1,-1,number
        tomorrow,10.0.0.1,1,1,time
        1,10.0.0.1,1,1
        1,10.0.0.1,1,1,more,fields
        ,10.0.0.1,1,1,no time
        1,10.0.0.1,1,1,"never closed
        2,10.0.0.1,1,1,"two
        lines ""quoted"", one row"
        1,10.0.0.1,1,1,"closed" too soon
        3,10.0.0.1,1,9223372036854775807,%s
        4,::1,,,""
        """
            .formatted("x".repeat(1025));
    Read read = read(text, 1);
    assertEquals(
        List.of("good", "two\nlines \"quoted\", one row", ""),
        read.rows().stream().map(row -> row.get(FlowColumn.UID)).toList());
    List<String> kept = read.rejects().lines().toList();
    List<String> expected =
        List.of(
            "3,\"reason\":\"bad_port",
            "4,\"reason\":\"bad_address",
            "6,\"reason\":\"bad_number",
            "7,\"reason\":\"bad_time",
            "8,\"reason\":\"wrong_field_count",
            "9,\"reason\":\"wrong_field_count",
            "10,\"reason\":\"missing_time",
            "11,\"reason\":\"bad_quotes",
            "14,\"reason\":\"bad_quotes",
            "15,\"reason\":\"text_too_long");
    assertEquals(expected.size(), kept.size(), read.rejects());
    for (int i = 0; i < expected.size(); i++) {
      assertTrue(kept.get(i).contains("\"line\":" + expected.get(i)), kept.get(i));
    }
    assertEquals(10, read.summary().rejectedTotal());
  }

  @Test
  void aLineThatIsTooLongIsKeptToItsFirstMebibyteAndTheNextIsRead() throws Exception {
    for (int length : new int[] {LineReader.MAX_LINE_BYTES, 3 * LineReader.MAX_LINE_BYTES}) {
      String text = "end_time,src_addr\n1,::1\n1,%s\n2,::2\n".formatted("9".repeat(length));
      Read read = read(text, 2);
      assertEquals(2, read.rows().size(), length + " bytes");
      assertTrue(read.rejects().contains("\"line\":3,\"reason\":\"line_too_long"), length + "");
      assertTrue(read.rejects().contains("\"truncated\":true"), length + " bytes");
    }
  }

  @Test
  void compressedDataThatBreaksOffKeepsWhatCameBefore() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("end_time,bytes\n".getBytes(StandardCharsets.UTF_8));
      Random random = new Random(5);
      for (int i = 0; i < 20_000; i++) {
        gzip.write((i + "," + random.nextInt(1_000_000) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    byte[] all = packed.toByteArray();
    Read read = read(java.util.Arrays.copyOf(all, all.length / 2), 2, FileReadOptions.defaults());
    assertTrue(read.summary().damage().contains("compressed data is damaged"));
    assertTrue(read.rows().size() > 5_000, read.rows().size() + " rows");
    assertTrue(read.rejects().contains("cut_short"), read.rejects());
  }

  @Test
  void theSameBatchesComeWhateverTheNumberOfThreads() throws Exception {
    for (long seed = 1; seed <= 4; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder("end_time,start_time,src_addr,bytes,history\n");
      int rows = 120_000;
      for (int i = 0; i < rows; i++) {
        text.append(random.nextInt(10) == 0 ? "" : 1_000_000 + random.nextInt(i + 1))
            .append(',')
            .append(random.nextInt(10) == 0 ? "" : 900_000 + random.nextInt(i + 1))
            .append(random.nextBoolean() ? ",2001:db8::" : ",10.0.0.")
            .append(random.nextInt(300)) // some are no IPv4 address
            .append(',')
            .append(random.nextInt())
            .append(
                switch (random.nextInt(2000) + (seed == 1 ? 10 : 0)) {
                  case 0 -> ",\"open";
                  case 1 -> ",\"two\nlines\"";
                  case 2 -> ",\"\"\"\"";
                  case 3 -> ",a\"b";
                  case 4 -> "";
                  default -> ",ShADadFf";
                })
            .append('\n');
      }
      Read one = read(text.toString(), 1);
      Read four = read(text.toString(), 4);
      assertEquals(one.rows(), four.rows(), "seed " + seed);
      assertEquals(one.summary(), four.summary(), "seed " + seed);
      assertEquals(one.rejects(), four.rejects(), "seed " + seed);
      assertTrue(one.rows().size() > rows / 3, "seed " + seed);
      assertTrue(one.summary().rejectedTotal() > rows / 10, "seed " + seed);
      long now = Long.MIN_VALUE;
      for (Map<FlowColumn, Object> row : one.rows()) {
        Long end = (Long) row.get(FlowColumn.END_TIME);
        now = Math.max(now, end != null ? end : (Long) row.get(FlowColumn.START_TIME));
        assertEquals(now, row.get(FlowColumn.ARRIVAL), "seed " + seed);
      }
    }
  }

  @Test
  void jsonLinesAreReadByTheirKeysAndOddOnesKept() throws Exception {
    String text =
        """
        {"arrival":"2026-11-21T08:00:00.000001Z","end_time":null,"src_addr":"::1","bytes":7,"uid":"é\\n"}
        {"end_time":"1969-12-31T23:59:59.5Z","outgoing":true,"colour":"red"}
        {"end_time":5,"bytes":[1]}
        {"end_time":5} {}
        {"end_time":5,"end_time":6}
        nonsense
        {"end_time":5.25,"outgoing":false,"state":"SF","source_kind":"zeek","protocol":"udp"}
        """;
    Read read = read(text, 2);
    assertEquals(InputFormat.JSON, read.summary().format());
    assertEquals(
        List.of(
            row(
                FlowColumn.ARRIVAL,
                1_795_248_000_000_001L,
                FlowColumn.SRC_ADDR,
                IpAddress.parse("::1"),
                FlowColumn.BYTES,
                7,
                FlowColumn.UID,
                "é\n"),
            row(
                FlowColumn.END_TIME,
                5_250_000,
                FlowColumn.ARRIVAL,
                1_795_248_000_000_001L,
                FlowColumn.OUTGOING,
                0,
                FlowColumn.STATE,
                3,
                FlowColumn.SOURCE_KIND,
                5,
                FlowColumn.PROTOCOL,
                17)),
        read.rows());
    assertEquals(
        Map.of("unknown_column", 1L, "bad_json", 4L), read.summary().rejected(), read.rejects());
  }

  @Test
  void theDurationFollowsFromStartAndEndUnlessTheRowIsFlowmonsOwn() throws Exception {
    String text =
        """
        start_time,end_time,duration,arrival
        1,3.5,,
        3,3,,
        4,3,,
        1,3.5,7,
        1,3.5,,4
        """;
    Read read = read(text, 1);
    assertEquals(Map.of(), read.summary().rejected(), read.rejects());
    assertEquals(
        java.util.Arrays.asList(2_500_000L, 0L, null, 7L, null),
        read.rows().stream().map(row -> row.get(FlowColumn.DURATION)).toList());
  }

  @Test
  void protectedNetworksSayNothingOfRowsThatHaveAnArrivalOrADirection() throws Exception {
    String text =
        """
        end_time,src_addr,outgoing,arrival
        1,10.0.0.1,,
        1,11.0.0.1,,
        1,10.0.0.1,false,
        1,10.0.0.1,,2
        1,10.0.0.1,false,2
        1,,,
        """;
    Read read =
        read(
            text.getBytes(StandardCharsets.UTF_8),
            1,
            FileReadOptions.defaults()
                .withNetworks(ProtectedNetworks.parse(List.of("10.0.0.0/8"))));
    assertEquals(
        java.util.Arrays.asList(1L, 0L, 0L, null, 0L, null),
        read.rows().stream().map(row -> row.get(FlowColumn.OUTGOING)).toList());
  }

  @Test
  void aJsonLineOfAnyBytesIsRejectedByItselfAndTheOthersAreRead() throws Exception {
    int[] first = {0, '{', ' ', '"', 'x', 0xEF, 0xBB, 0xBF, 0xFE, 0xFF};
    List<byte[]> odd = new ArrayList<>();
    odd.add(new byte[512]);
    for (int i = 0; i < 10_000; i++) {
      odd.add(
          new byte[] {
            (byte) first[i % 10],
            (byte) first[i / 10 % 10],
            (byte) first[i / 100 % 10],
            (byte) first[i / 1000],
            'x',
            'y',
            'z'
          });
    }
    Random random = new Random(11);
    for (int i = 0; i < 5_000; i++) {
      byte[] line = new byte[1 + random.nextInt(40)];
      random.nextBytes(line);
      for (int at = 0; at < line.length; at++) {
        line[at] = line[at] == '\n' ? 0 : line[at];
      }
      line[0] = random.nextBoolean() ? (byte) '{' : line[0];
      line[line.length - 1] = 'x'; // no blank line
      odd.add(line);
    }
    assertOnlyOddLinesAreLeftOut(odd, InputFormat.JSON, "{\"end_time\":1}");
    assertOnlyOddLinesAreLeftOut(
        odd.stream().filter(line -> line[0] != '#').toList(),
        InputFormat.ZEEK_JSON,
        "{\"_path\":\"conn\",\"ts\":1,\"id.orig_h\":\"::1\",\"id.resp_h\":\"::2\"}");
  }

  private void assertOnlyOddLinesAreLeftOut(List<byte[]> odd, InputFormat format, String good)
      throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    text.writeBytes((good + "\n").getBytes(StandardCharsets.US_ASCII));
    for (byte[] line : odd) {
      text.writeBytes(line);
      text.write('\n');
    }
    text.writeBytes(good.getBytes(StandardCharsets.US_ASCII));
    Path file = Files.write(folder.resolve("odd"), text.toByteArray());
    FlowRecorder recorder = new FlowRecorder(64);
    FileSummary summary = FlowFiles.open(file).read(recorder);
    assertEquals(format, summary.format());
    assertEquals(2, recorder.rows().size());
    assertEquals(odd.size(), summary.rejectedTotal(), summary.rejected().toString());
  }

  @Test
  void randomBytesNeverBreakTheReader() throws Exception {
    byte[] letters = "0123456789,,,\"\"\n\n\r.:abT-e".getBytes(StandardCharsets.US_ASCII);
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      text.writeBytes("end_time,src_addr,uid\n".getBytes(StandardCharsets.US_ASCII));
      int lines = 0;
      for (int i = random.nextInt(400); i > 0; i--) {
        int letter =
            random.nextInt(50) == 0 ? random.nextInt(256) : letters[random.nextInt(letters.length)];
        text.write(letter);
        lines += letter == '\n' ? 1 : 0;
      }
      Read read = read(text.toByteArray(), 1, FileReadOptions.defaults());
      assertTrue(
          read.summary().rows() + read.summary().rejectedTotal() <= lines + 1, "seed " + seed);
    }
  }

  @Test
  void aSinkOfFlowsGetsTheSameRowsAsBatches() throws Exception {
    String text = "end_time,src_addr,uid\n3,::1,a\n1,10.0.0.1,\n";
    Read read = read(text, 1);
    FlowRecorder recorder = new FlowRecorder(64);
    FlowFiles.open(folder.resolve("flows")).read(recorder);
    assertEquals(read.rows(), recorder.rows());
    assertEquals(2, read.rows().size());
  }
}
