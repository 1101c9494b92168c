package org.flowmon.ingest.file.zeek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares real Zeek logs with exact counts and the naive reader. */
class ZeekRealLogsTest {
  @TempDir Path folder;

  @Test
  void m57IsReadToTheLastByteOfEachOriginator() throws IOException {
    assertExact(List.of(TestData.path("zeek/m57/conn.log.gz")), "zeek/m57/exact.tsv.gz", 8462);
  }

  @Test
  void twoDaysOfRitaAreReadToTheLastByteOfEachOriginator() throws IOException {
    for (Map.Entry<String, Integer> day :
        Map.of("2024-04-19", 31_367, "2024-04-20", 39_073).entrySet()) {
      assertExact(
          TestData.list("zeek/rita-missing-host/" + day.getKey()),
          "zeek/rita-missing-host/exact-" + day.getKey() + ".tsv.gz",
          day.getValue());
    }
  }

  /** Reads several files with one clock, like an import. */
  private static void assertExact(List<Path> files, String expectedFile, int connections)
      throws IOException {
    FlowRecorder recorder = new FlowRecorder(1000);
    FileReadOptions options = FileReadOptions.defaults();
    long rows = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (Path file : files) {
      FileSummary summary = FlowFiles.open(file, options).read(recorder);
      assertEquals(Map.of(), summary.rejected(), file.toString());
      assertEquals(InputFormat.ZEEK_TSV, summary.format());
      assertEquals(null, summary.damage());
      rows += summary.rows();
      first = Math.min(first, summary.firstEndTime());
      last = Math.max(last, summary.lastEndTime());
    }
    assertEquals(connections, rows);
    assertEquals(connections, recorder.rows().size());
    assertEquals(expected(expectedFile), perOriginator(recorder.rows()), expectedFile);
    assertEquals(first, times(recorder, FlowColumn.END_TIME).stream().min(Long::compare).get());
    assertEquals(last, times(recorder, FlowColumn.END_TIME).stream().max(Long::compare).get());
    List<Long> arrivals = times(recorder, FlowColumn.ARRIVAL);
    assertEquals(arrivals.stream().sorted().toList(), arrivals, "arrival goes back");
    assertEquals(last, arrivals.get(arrivals.size() - 1));
  }

  private static List<Long> times(FlowRecorder recorder, FlowColumn column) {
    return recorder.rows().stream().map(row -> (Long) row.get(column)).toList();
  }

  /** Originator → connections, orig_ip_bytes, resp_ip_bytes, responders, services. */
  private static Map<String, List<Long>> expected(String name) {
    Map<String, List<Long>> expected = new TreeMap<>();
    text(TestData.path(name))
        .lines()
        .filter(line -> !line.startsWith("#") && !line.startsWith("orig_h"))
        .forEach(
            line -> {
              String[] values = line.split("\t", -1);
              List<Long> counts = new ArrayList<>();
              for (int i = 1; i < values.length; i++) {
                counts.add(Long.valueOf(values[i]));
              }
              expected.put(values[0], counts);
            });
    return expected;
  }

  private static Map<String, List<Long>> perOriginator(List<Map<FlowColumn, Object>> rows) {
    Map<String, List<Map<FlowColumn, Object>>> byOriginator =
        rows.stream()
            .collect(Collectors.groupingBy(row -> row.get(FlowColumn.SRC_ADDR).toString()));
    Map<String, List<Long>> counts = new TreeMap<>();
    byOriginator.forEach(
        (originator, own) -> {
          Set<String> responders = new TreeSet<>();
          Set<String> services = new TreeSet<>();
          for (Map<FlowColumn, Object> row : own) {
            String responder = row.get(FlowColumn.DST_ADDR).toString();
            Object port =
                row.containsKey(FlowColumn.ICMP_TYPE_CODE)
                    ? (Long) row.get(FlowColumn.ICMP_TYPE_CODE) & 0xFF
                    : row.get(FlowColumn.DST_PORT);
            responders.add(responder);
            services.add(responder + " " + port + " " + row.get(FlowColumn.PROTOCOL));
          }
          counts.put(
              originator,
              List.of(
                  (long) own.size(),
                  sum(own, FlowColumn.BYTES),
                  sum(own, FlowColumn.REVERSE_BYTES),
                  (long) responders.size(),
                  (long) services.size()));
        });
    return counts;
  }

  private static long sum(List<Map<FlowColumn, Object>> rows, FlowColumn column) {
    return rows.stream().mapToLong(row -> (Long) row.getOrDefault(column, 0L)).sum();
  }

  @Test
  void everyTsvLogEqualsTheNaiveReading() throws IOException {
    List<Path> files = new ArrayList<>(TestData.walk("zeek"));
    files.addAll(TestData.walk("labelled"));
    int compared = 0;
    for (Path file : files) {
      if (!file.getFileName().toString().contains("conn") || isJson(file)) {
        continue;
      }
      // Baselines of Zeek's own tests have masked times: each gets one, so that all lines are read.
      String log = text(file).replace("XXXXXXXXXX.XXXXXX", "1700000000.123456").stripLeading();
      ReadLog read = ReadLog.of(log, folder);
      NaiveZeekLog naive = new NaiveZeekLog(log.getBytes(StandardCharsets.UTF_8));
      assertEquals(naive.rows, read.rows(), file.toString());
      assertEquals(naive.rejectedLines, read.rejectedLines(), file.toString());
      assertEquals(naive.rows.size(), read.summary().rows());
      compared += naive.rows.size();
    }
    assertTrue(compared > 90_000, compared + " rows were compared");
  }

  @Test
  void logsOfZeeksOwnTestsAreReadOrRefusedButNeverThrow() throws IOException {
    int rejected = 0;
    for (Path file : TestData.walk("zeek/zeek-btest")) {
      ReadLog read = ReadLog.of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
      long values = text(file).lines().filter(l -> !l.startsWith("#") && !l.isEmpty()).count();
      assertEquals(values, read.rows().size() + read.rejects().size(), file.toString());
      rejected += read.rejects().size();
    }
    assertTrue(rejected > 2000, "masked times are no times: " + rejected);
  }

  @Test
  void tsvAndJsonOfTheSameLogAreEqual() throws IOException {
    for (String[] pair :
        new String[][] {
          {"open_conns/open/conn.log", "json_with_all_fields/conn.log"},
          {"open_conns/open/open_conn.log", "json_with_all_fields/open_conn.log"},
          {"open_conns/closed/conn.log", "json_with_all_fields/open_conn.log"}
        }) {
      ReadLog tsv =
          ReadLog.of(
              TestData.path("zeek/rita-odd/" + pair[0]),
              folder.resolve("rejects.jsonl"),
              ProtectedNetworks.NONE);
      ReadLog json =
          ReadLog.of(
              TestData.path("zeek/rita-odd/" + pair[1]),
              folder.resolve("rejects.jsonl"),
              ProtectedNetworks.NONE);
      assertEquals(tsv.rows(), json.rows(), pair[0]);
      assertEquals(List.of(), tsv.rejects());
      assertTrue(tsv.rows().size() > 20, tsv.rows().size() + " rows");
    }
  }

  @Test
  void aLineThatTheEndOfTheFileCutsIsRejectedWithItsPlace() throws IOException {
    Path file = TestData.path("zeek/rita-odd/truncated/conn.log");
    ReadLog read = ReadLog.of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
    assertEquals(58, read.rows().size());
    assertEquals(Map.of("wrong_field_count", 1L), read.summary().rejected());
    Map<String, String> reject = read.rejects().get(0);
    assertEquals(file.toString(), reject.get("file"));
    assertEquals("67", reject.get("line"));
    assertEquals("9 values, the header has 21 fields", reject.get("detail"));
    assertTrue(text(file).endsWith(reject.get("raw")), reject.get("raw"));
  }

  @Test
  void aJsonLogWithAPortThatCannotBeAndACutLineKeepsItsOtherLines() throws IOException {
    Path file = TestData.path("zeek/rita-odd/truncated/conn_json.log");
    ReadLog read = ReadLog.of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
    assertEquals(2, read.rows().size());
    assertEquals(List.of(3, 4), read.rejectedLines());
    assertEquals(List.of("bad_port", "bad_json"), read.reasons());
    assertEquals("id.orig_p is '93145', expected 0…65535", read.rejects().get(0).get("detail"));
  }

  @Test
  void whatIsNoLogIsRejectedLineByLineAndRefusedByItsContent() throws IOException {
    for (String name : List.of("text_file/conn.log", "truncated/conn_top.log")) {
      Path file = TestData.path("zeek/rita-odd/" + name);
      ReadLog read = ReadLog.of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
      assertEquals(List.of(), read.rows());
      assertEquals(Set.of("no_header"), read.summary().rejected().keySet(), name);
    }
  }

  @Test
  void logsOfOtherProtocolsInAJsonStreamAreRejectedAsSuch() throws IOException {
    Path file = TestData.path("zeek/metron/bro.out.gz");
    ReadLog read = ReadLog.of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
    assertEquals(Map.of("other_log", 1346L), read.summary().rejected());
    assertEquals(0, read.rows().size());

    Path mixed = TestData.path("labelled/otrf-apt29/day1/combined_zeek.log.gz");
    long connections = text(mixed).lines().filter(l -> l.contains("\"@stream\":\"conn\"")).count();
    ReadLog stream = ReadLog.of(mixed, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
    assertEquals(connections, stream.rows().size());
    assertEquals(Set.of("other_log"), stream.summary().rejected().keySet());
  }

  private static boolean isJson(Path file) {
    return text(file).startsWith("{");
  }

  private static String text(Path file) {
    return new String(TestData.read(file), StandardCharsets.UTF_8);
  }

  @Test
  void theRejectsFileIsMadeOnlyWhereThereIsSomethingToKeep() throws IOException {
    Path rejects = folder.resolve("rejects.jsonl");
    ReadLog.of(TestData.path("zeek/m57/conn.log.gz"), rejects, ProtectedNetworks.NONE);
    assertTrue(Files.notExists(rejects));
  }
}
