package org.flowmon.ingest.file.zeek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.line.LineReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZeekReaderTest {
  private static final String FIELDS =
      "#fields\tts\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tduration\torig_ip_bytes\n";
  private static final String LINE = "10.5\t10.0.0.1\t1000\t10.0.0.2\t53\tudp\t1.25\t100\n";

  @TempDir Path folder;

  private static Object only(ReadLog read, FlowColumn column) {
    assertEquals(1, read.rows().size(), read.toString());
    return read.rows().get(0).get(column);
  }

  @Test
  void timesNearZeroAreRelativeTo1970AsTheyStand() throws IOException {
    ReadLog read = ReadLog.of(FIELDS + LINE, folder);
    assertEquals(10_500_000L, only(read, FlowColumn.START_TIME));
    assertEquals(11_750_000L, only(read, FlowColumn.END_TIME));
    assertEquals(1_250_000L, only(read, FlowColumn.DURATION));
  }

  @Test
  void arrivalIsTheLogsClockAndNeverGoesBack() throws IOException {
    ReadLog read =
        ReadLog.of(
            FIELDS + LINE + LINE.replace("10.5", "3") + LINE.replace("10.5", "11.5"), folder);
    assertEquals(
        List.of(11_750_000L, 11_750_000L, 12_750_000L),
        read.rows().stream().map(row -> row.get(FlowColumn.ARRIVAL)).toList());
  }

  @Test
  void aNewHeaderAnywhereReplacesTheOneBefore() throws IOException {
    String log =
        FIELDS
            + LINE
            + "#close\t2024\n#separator \\x7c\n#unset_field|*\n#path|conn\n"
            + "#fields|id_resp_h|ts|id_orig_h|orig_ip_bytes\n#types|addr|time|addr|count\n"
            + "10.0.0.9|12|10.0.0.8|*\n"
            + LINE;
    ReadLog read = ReadLog.of(log, folder);
    assertEquals(2, read.rows().size());
    assertEquals(IpAddress.parse("10.0.0.9"), read.rows().get(1).get(FlowColumn.DST_ADDR));
    assertEquals(IpAddress.parse("10.0.0.8"), read.rows().get(1).get(FlowColumn.SRC_ADDR));
    assertEquals(null, read.rows().get(1).get(FlowColumn.BYTES));
    assertEquals(List.of(10), read.rejectedLines());
    assertEquals(List.of("wrong_field_count"), read.reasons());
  }

  @Test
  void portsOfIcmpAreTypeAndCodeAndTheFamilyDecidesTheProtocol() throws IOException {
    ReadLog four = ReadLog.of(FIELDS + "1\t10.0.0.1\t8\t10.0.0.2\t3\ticmp\t-\t1\n", folder);
    assertEquals(8 * 256 + 3L, only(four, FlowColumn.ICMP_TYPE_CODE));
    assertEquals(1L, only(four, FlowColumn.PROTOCOL));
    assertEquals(null, only(four, FlowColumn.SRC_PORT));
    ReadLog six = ReadLog.of(FIELDS + "1\tfe80::1\t135\tff02::1\t136\ticmp\t-\t1\n", folder);
    assertEquals(58L, only(six, FlowColumn.PROTOCOL));
    assertEquals(135 * 256 + 136L, only(six, FlowColumn.ICMP_TYPE_CODE));
    ReadLog bad = ReadLog.of(FIELDS + "1\t10.0.0.1\t256\t10.0.0.2\t3\ticmp\t-\t1\n", folder);
    assertEquals(List.of("bad_port"), bad.reasons());
  }

  @Test
  void outgoingIsDecidedByTheProtectedNetworksAndElseByTheLog() throws IOException {
    String log =
        "#fields\tts\tid.orig_h\tid.resp_h\tlocal_orig\tconn_state\n"
            + "1\t10.0.0.1\t192.0.2.1\tF\tSF\n1\t192.0.2.1\t10.0.0.1\t-\tSF\n";
    Path file = Files.writeString(folder.resolve("conn.log"), log);
    Path rejects = folder.resolve("rejects.jsonl");
    ReadLog byLog = ReadLog.of(file, rejects, ProtectedNetworks.NONE);
    assertEquals(0L, byLog.rows().get(0).get(FlowColumn.OUTGOING));
    assertEquals(null, byLog.rows().get(1).get(FlowColumn.OUTGOING));
    ReadLog byNetworks = ReadLog.of(file, rejects, ProtectedNetworks.parse(List.of("10.0.0.0/8")));
    assertEquals(1L, byNetworks.rows().get(0).get(FlowColumn.OUTGOING));
    assertEquals(0L, byNetworks.rows().get(1).get(FlowColumn.OUTGOING));
  }

  @Test
  void escapedBytesOfTextsAreUnescapedAndEmptyIsNotUnset() throws IOException {
    String log =
        "#fields\tts\tid.orig_h\tid.resp_h\tuid\tservice\thistory\tconn_state\n"
            + "1\t10.0.0.1\t192.0.2.1\t\\x2d\ta\\x09b\\x5cx\t(empty)\tSF\n";
    ReadLog read = ReadLog.of(log, folder);
    assertEquals("-", only(read, FlowColumn.UID));
    assertEquals("a\tb\\x", only(read, FlowColumn.SERVICE));
    assertEquals("", only(read, FlowColumn.HISTORY));
  }

  @Test
  void jsonIsTakenWithNestedIdWrappedAndWithIsoTimes() throws IOException {
    String values = "\"duration\":1e-06,\"orig_ip_bytes\":7,\"service\":null";
    String log =
        "{\"ts\":\"2011-08-15T03:37:17.700519Z\",\"id\":{\"orig_h\":\"10.0.0.1\",\"resp_h\":\"::1\"},"
            + values
            + "}\n{\"conn\": {\"ts\":1313379437.700519,\"id.orig_h\":\"10.0.0.1\","
            + "\"id_resp_h\":\"::1\",\"tunnel_parents\":[{\"ts\":1}],"
            + values
            + "}}\n";
    ReadLog read = ReadLog.of(log, folder);
    assertEquals(2, read.rows().size(), read.rejects().toString());
    assertEquals(read.rows().get(0), read.rows().get(1));
    assertEquals(1_313_379_437_700_520L, read.rows().get(0).get(FlowColumn.END_TIME));
  }

  @Test
  void whatIsWrongWithALineIsSaidAndTheLineIsKept() throws IOException {
    Map<String, String> lines =
        Map.ofEntries(
            Map.entry("x\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t1", "bad_time"),
            Map.entry("-\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t1", "missing_time"),
            Map.entry("1\t10.0.0\t1\t10.0.0.2\t2\ttcp\t-\t1", "bad_address"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.256\t2\ttcp\t-\t1", "bad_address"),
            Map.entry("1\t10.0.0.1\t65536\t10.0.0.2\t2\ttcp\t-\t1", "bad_port"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\ttcpx\t-\t1", "bad_protocol"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\t256\t-\t1", "bad_number"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t9223372036854775808", "bad_number"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t-1", "bad_number"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t1s\t1", "bad_time"),
            Map.entry("1\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-", "wrong_field_count"),
            Map.entry("999999999999999999\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t1", "bad_time"));
    for (Map.Entry<String, String> line : lines.entrySet()) {
      ReadLog read = ReadLog.of(FIELDS + LINE + line.getKey() + "\r\n" + LINE, folder);
      assertEquals(2, read.rows().size(), line.getKey());
      assertEquals(List.of(line.getValue()), read.reasons(), line.getKey());
      assertEquals(List.of(3), read.rejectedLines());
      assertEquals(line.getKey(), read.rejects().get(0).get("raw"));
    }
  }

  @Test
  void theLargestCountIsTaken() throws IOException {
    ReadLog read =
        ReadLog.of(FIELDS + "1\t10.0.0.1\t1\t10.0.0.2\t2\ttcp\t-\t9223372036854775807\n", folder);
    assertEquals(Long.MAX_VALUE, only(read, FlowColumn.BYTES));
  }

  @Test
  void logsWithoutTimeOrAddressesOrOfOtherThingsAreRejectedAsSuch() throws IOException {
    ReadLog cut = ReadLog.of("#path\tconn\n#fields\tuid\nCx\n", folder);
    assertEquals(List.of("missing_fields"), cut.reasons());
    ReadLog dns =
        ReadLog.of(
            "#path\tdns\n#fields\tts\tid.orig_h\tid.resp_h\tquery\n1\t10.0.0.1\t10.0.0.2\tx\n",
            folder);
    assertEquals(List.of("other_log"), dns.reasons());
    ReadLog separator = ReadLog.of("#separator \\x09\\x09\n" + LINE, folder);
    assertEquals(List.of("bad_header", "bad_header"), separator.reasons());
    ReadLog types = ReadLog.of(FIELDS + "#types\ttime\n" + LINE, folder);
    assertEquals(List.of("bad_header", "bad_header"), types.reasons());
  }

  @Test
  void linesThatAreTooLongAreRejectedWithTheirBeginning() throws IOException {
    for (int length : new int[] {LineReader.MAX_LINE_BYTES + 1, 5 * LineReader.MAX_LINE_BYTES}) {
      String longLine = "7".repeat(length);
      ReadLog read = ReadLog.of(FIELDS + LINE + longLine + "\n" + LINE + longLine, folder);
      assertEquals(2, read.rows().size());
      assertEquals(List.of("line_too_long", "line_too_long"), read.reasons());
      assertEquals(List.of(3, 5), read.rejectedLines());
      Map<String, String> reject = read.rejects().get(0);
      assertEquals("true", reject.get("truncated"));
      assertEquals(longLine.substring(0, LineReader.MAX_LINE_BYTES), reject.get("raw"));
    }
  }

  @Test
  void linesThatAreNoUtf8AreKeptByteByByte() throws IOException {
    byte[] bad = {'1', '\t', (byte) 0xC3, (byte) 0x28};
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    log.write(FIELDS.getBytes(StandardCharsets.UTF_8));
    log.write(bad);
    ReadLog read = ReadLog.of(log.toByteArray(), folder);
    assertEquals(
        new String(bad, StandardCharsets.ISO_8859_1), read.rejects().get(0).get("raw_base64"));
  }

  @Test
  void aDamagedGzipGivesWhatStandsBeforeTheDamage() throws IOException {
    String log = FIELDS + LINE.repeat(20_000);
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(log.getBytes(StandardCharsets.UTF_8));
    }
    byte[] bytes = compressed.toByteArray();
    ReadLog whole = ReadLog.of(bytes, folder);
    assertEquals(20_000, whole.rows().size());
    assertEquals(null, whole.summary().damage());
    ReadLog half = ReadLog.of(Arrays.copyOf(bytes, bytes.length / 2), folder);
    assertTrue(half.summary().damage().contains("damaged"), half.summary().damage());
    assertTrue(half.rows().size() > 1000 && half.rows().size() < 20_000, "" + half.rows().size());
    assertTrue(half.rejects().size() <= 1, half.reasons().toString());
  }
}
