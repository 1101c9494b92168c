package org.flowmon.ingest.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text of other programs, by the table of sources. */
class SourceTextTest {
  @TempDir Path folder;

  private record Read(List<Map<FlowColumn, Object>> rows, FileSummary summary) {
    /** The values of the row with these names; times in µs. */
    String row(int row, FlowColumn... columns) {
      List<String> values = new ArrayList<>();
      for (FlowColumn column : columns) {
        values.add(String.valueOf(rows.get(row).get(column)));
      }
      return String.join(" ", values);
    }

    String flow(int row) {
      return row(
          row,
          FlowColumn.SRC_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_ADDR,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.PACKETS,
          FlowColumn.BYTES,
          FlowColumn.REVERSE_PACKETS,
          FlowColumn.REVERSE_BYTES);
    }

    String times(int row) {
      return row(row, FlowColumn.START_TIME, FlowColumn.END_TIME, FlowColumn.DURATION);
    }
  }

  private Read read(String text) throws IOException {
    return read(text, FileReadOptions.defaults());
  }

  private Read read(String text, FileReadOptions options) throws IOException {
    return read(text.getBytes(StandardCharsets.UTF_8), options);
  }

  private Read read(byte[] text, FileReadOptions options) throws IOException {
    Path file = Files.write(folder.resolve("input"), text);
    FlowRecorder recorder = new FlowRecorder(1000);
    FileSummary summary = FlowFiles.open(file, options).read(recorder);
    assertEquals(summary.rows(), recorder.rows().size());
    return new Read(recorder.rows(), summary);
  }

  @Test
  void suricataGivesFlowsAndNetflowsAndCountsOtherEvents() throws IOException {
    Read read = read(SampleTexts.SURICATA);
    assertEquals("suricata", read.summary.label());
    assertEquals(Map.of("other_record", 2L), read.summary.rejected());
    assertEquals(Set.of("new_field"), read.summary.unknown());
    assertEquals("192.168.1.5 52000 203.0.113.34 443 6 5 500 4 4000", read.flow(0));
    assertEquals("1709287199000000 1709287204500000 5500000", read.times(0));
    assertEquals(
        "26 10 1 tls 1234567890123456",
        read.row(
            0,
            FlowColumn.TCP_FLAGS,
            FlowColumn.VLAN,
            FlowColumn.FLOW_END_REASON,
            FlowColumn.SERVICE,
            FlowColumn.FLOW_ID));
    assertEquals("fe80::1 null ff02::16 null 58 1 90 null null", read.flow(1));
    assertEquals("1709280000000000 1709280000000000 0", read.times(1));
    assertEquals(143L << 8, read.rows.get(1).get(FlowColumn.ICMP_TYPE_CODE));
  }

  @Test
  void awsLogsAreReadWithTheirHeaderAndInTheDefaultFormatWithoutOne() throws IOException {
    Read read = read(SampleTexts.AWS_DEFAULT);
    assertEquals("aws_vpc", read.summary.label());
    assertEquals(Map.of("other_record", 2L), read.summary.rejected());
    assertEquals("172.31.16.139 20641 172.31.16.21 22 6 20 4249 null null", read.flow(0));
    assertEquals("1418530010000000 1418530070000000 60000000", read.times(0));
    assertEquals(
        "2001:db8:1234:a100::f105 34892 2001:db8:1234:a102::4071 22 6 54 8855 null null",
        read.flow(1));
    Read fields = read(SampleTexts.AWS_FIELDS);
    assertEquals("52.213.180.42 43416 10.0.0.62 5001 6 8 568 null null", fields.flow(0));
    assertEquals(
        "2 0 64",
        fields.row(
            0, FlowColumn.TCP_FLAGS, FlowColumn.FLOW_DIRECTION, FlowColumn.FORWARDING_STATUS));
    assertEquals(Set.of(), fields.summary.unknown());
    Read json = read(SampleTexts.AWS_JSON);
    assertEquals(Map.of("other_record", 1L), json.summary.rejected());
    assertEquals("10.0.0.1 1 10.0.0.2 2 17 3 400 null null", json.flow(0));
  }

  @Test
  void gcpLogsHaveTheirValuesInsideOfThePayload() throws IOException {
    Read read = read(SampleTexts.GCP);
    assertEquals("gcp_vpc", read.summary.label());
    assertEquals(Map.of("other_record", 1L), read.summary.rejected());
    assertEquals("203.0.113.5 51234 10.128.0.3 22 6 23 5342 null null", read.flow(0));
    assertEquals("1561522813454521 1561522873454522 60000001", read.times(0));
    assertEquals("0", read.row(0, FlowColumn.FLOW_DIRECTION));
  }

  @Test
  void azureLogsGiveEachTupleOfNsgAndVnetRecords() throws IOException {
    Read read = read(SampleTexts.AZURE);
    assertEquals("azure", read.summary.label());
    assertEquals(4, read.summary.rows());
    assertEquals(Map.of(), read.summary.rejected());
    assertEquals("10.0.0.6 23956 192.0.2.180 443 6 3 767 2 1580", read.flow(1));
    assertEquals("null 1663146003606000 null", read.times(1));
    assertEquals("1", read.row(1, FlowColumn.FLOW_DIRECTION));
    assertEquals("42.119.146.95 51529 10.1.0.4 5358 6 null null null null", read.flow(2));
    assertEquals("125.5.61.130 59336 10.5.16.4 80 17 1 66 2 132", read.flow(3));
    String oneLine = SampleTexts.AZURE.replace("\n", "");
    assertEquals(read.rows, read(oneLine).rows, "a document on one line");
  }

  @Test
  void anAzureLogWithoutTuplesIsReadAndEmpty() throws IOException {
    Read read = read("{\"records\":[{\"flowRecords\":{\"flows\":[]}}]}");
    assertEquals("azure", read.summary.label());
    assertEquals(0, read.summary.rows());
  }

  @Test
  void goflow2JsonOfBothVersionsIsRead() throws IOException {
    Read read = read(SampleTexts.GOFLOW2);
    assertEquals("goflow2", read.summary.label());
    assertEquals(Set.of(), read.summary.unknown());
    assertEquals("192.168.0.1 443 192.168.0.2 50001 6 1 1500 null null", read.flow(0));
    assertEquals("1681583295157626 1681583295157627 1", read.times(0));
    assertEquals((long) SourceKind.SFLOW.code(), read.rows.get(0).get(FlowColumn.SOURCE_KIND));
    assertEquals(
        "3 null 7 16 65000 null null 24 null 100 192.168.0.1 2999",
        read.row(
            0,
            FlowColumn.INPUT_IF,
            FlowColumn.OUTPUT_IF,
            FlowColumn.VLAN,
            FlowColumn.TCP_FLAGS,
            FlowColumn.SRC_AS,
            FlowColumn.DST_AS,
            FlowColumn.NEXT_HOP,
            FlowColumn.SRC_MASK,
            FlowColumn.DST_MASK,
            FlowColumn.SAMPLING_RATE,
            FlowColumn.EXPORTER,
            FlowColumn.FLOW_SEQUENCE));
    Read first = read(SampleTexts.GOFLOW1);
    assertEquals("2001:db8::1 null 2001:db8::2 null 58 1 90 null null", first.flow(0));
    assertEquals("1600000000000000 1600000005000000 5000000", first.times(0));
    assertEquals(135L << 8 | 1, first.rows.get(0).get(FlowColumn.ICMP_TYPE_CODE));
  }

  @Test
  void pmacctsZeroDatesAreUnknownAndItsBinsServeWithoutTimesOfFlows() throws IOException {
    Read read = read(SampleTexts.PMACCT);
    assertEquals("pmacct", read.summary.label());
    assertEquals(Map.of("other_record", 1L), read.summary.rejected());
    assertEquals("10.118.10.1 null 10.118.10.2 null 1 1 100 null null", read.flow(0));
    assertEquals("1277840495135052 null null", read.times(0));
    assertEquals("118", read.row(0, FlowColumn.VLAN));
    assertEquals("10.0.0.1 4000 10.0.0.2 53 17 2 120 null null", read.flow(1));
    assertEquals("1277840460000000 1277840520000000 60000000", read.times(1));
    assertEquals(
        "65001 null 3 192.0.2.1 null 24 1000",
        read.row(
            1,
            FlowColumn.SRC_AS,
            FlowColumn.DST_AS,
            FlowColumn.INPUT_IF,
            FlowColumn.EXPORTER,
            FlowColumn.NEXT_HOP,
            FlowColumn.SRC_MASK,
            FlowColumn.SAMPLING_RATE));
  }

  @Test
  void argusGivesBothDirectionsAndRejectsWhatIsNotIp() throws IOException {
    Read read = read(SampleTexts.ARGUS);
    assertEquals("argus", read.summary.label());
    assertEquals(Map.of("bad_protocol", 1L), read.summary.rejected());
    assertEquals(Set.of(), read.summary.unknown());
    assertEquals("10.118.10.1 null 10.118.10.2 null 1 1 122 1 122", read.flow(0));
    assertEquals("10", read.row(0, FlowColumn.VLAN));
    assertEquals("10.0.0.1 55202 212.199.202.69 80 6 46 7374 86 109138", read.flow(1));
    assertEquals("1420290298017023 1420290299516173 1499150", read.times(1));
  }

  @Test
  void nfdumpsCsvIsReadInFullWithAndWithoutItsHeader() throws IOException {
    Read read = read(SampleTexts.NFDUMP);
    assertEquals("nfdump", read.summary.label());
    assertEquals(Map.of("other_record", 3L), read.summary.rejected(), "the summary at its end");
    assertEquals(Set.of(), read.summary.unknown());
    assertEquals("fe80::4dc7:f593:1f7b:dc11 59537 ff02::c 1900 17 14 2716 null null", read.flow(0));
    assertEquals("1420290284000000 1420290327000000 43002000", read.times(0));
    assertEquals("10.0.0.1 0 8.8.8.8 2048 1 1 60 7 800", read.flow(1));
    assertEquals(
        "2048 27 4 3 4 65001 65002 24 16 1 10.0.0.9 12 192.0.2.7",
        read.row(
            1,
            FlowColumn.ICMP_TYPE_CODE,
            FlowColumn.TCP_FLAGS,
            FlowColumn.TOS,
            FlowColumn.INPUT_IF,
            FlowColumn.OUTPUT_IF,
            FlowColumn.SRC_AS,
            FlowColumn.DST_AS,
            FlowColumn.SRC_MASK,
            FlowColumn.DST_MASK,
            FlowColumn.FLOW_DIRECTION,
            FlowColumn.NEXT_HOP,
            FlowColumn.VLAN,
            FlowColumn.EXPORTER));
    String headless = SampleTexts.NFDUMP.substring(SampleTexts.NFDUMP.indexOf('\n') + 1);
    assertEquals(read.rows, read(headless).rows);
  }

  @Test
  void nfdumpsLaterCsvAndJsonAreRead() throws IOException {
    Read later = read(SampleTexts.NFDUMP_LATER);
    assertEquals("nfdump", later.summary.label());
    assertEquals("10.0.0.1 1234 10.0.0.2 443 6 5 700 null null", later.flow(0));
    assertEquals("1704287100125000 1704287101250000 1125000", later.times(0));
    Read fast = read(SampleTexts.NFDUMP_FAST);
    assertEquals("1704287100125000 1704287101250000 1125000", fast.times(0));
    assertEquals(3L << 8 | 1, fast.rows.get(0).get(FlowColumn.ICMP_TYPE_CODE));
    Read json = read(SampleTexts.NFDUMP_JSON);
    assertEquals("nfdump", json.summary.label());
    assertEquals("10.0.0.1 null 8.8.8.8 null 1 1 60 null null", json.flow(0));
    assertEquals(8L << 8, json.rows.get(0).get(FlowColumn.ICMP_TYPE_CODE));
    assertEquals("2001:db8::1 53 2001:db8::2 62540 6 2 120 null null", json.flow(1));
    assertEquals("26", json.row(1, FlowColumn.TCP_FLAGS));
  }

  @Test
  void flowExportsTimesFollowFromTheUptime() throws IOException {
    Read read = read(SampleTexts.FLOW_EXPORT);
    assertEquals("flow_export", read.summary.label());
    assertEquals("10.0.0.1 1024 10.0.0.2 80 6 5 300 null null", read.flow(0));
    assertEquals("1086895190500000 1086895195500000 5000000", read.times(0));
    assertEquals(
        "1086895200500000 10.0.0.254 65001 27",
        read.row(
            0,
            FlowColumn.EXPORT_TIME,
            FlowColumn.EXPORTER,
            FlowColumn.DST_AS,
            FlowColumn.TCP_FLAGS));
  }

  @Test
  void aFormatThatIsSaidIsNotDetected() throws IOException {
    FileReadOptions suricata = FileReadOptions.defaults().withFormat("suricata");
    String flow = SampleTexts.SURICATA.lines().skip(1).findFirst().orElseThrow();
    String other = "{\"a\":1}\n" + flow + "\n";
    Read read = read(other, suricata);
    assertEquals(1, read.summary.rows());
    assertEquals(Map.of("other_record", 1L), read.summary.rejected());
    IOException e =
        assertThrows(
            UnknownFormatException.class,
            () -> read("x", FileReadOptions.defaults().withFormat("netfow")));
    assertTrue(e.getMessage().contains("expected one of pcap, pcapng"), e.getMessage());
  }

  @Test
  void aCsvsErrorNamesAllItsColumnsAtOnce() {
    IOException e =
        assertThrows(
            UnknownFormatException.class,
            () -> read("src_addr,sa,colour,shape\n10.0.0.1,10.0.0.1,red,round\n"));
    for (String part :
        List.of(
            "'src_addr' and 'sa' are both src_addr",
            "'colour' is no column",
            "'shape' is no column",
            "none is a start_time, end_time or arrival")) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  @Test
  void aHeaderThatComesAgainIsNoFlow() throws IOException {
    String header = "end_time,src_addr\n";
    Read read = read(header + "1,10.0.0.1\n" + header + "2,10.0.0.2\n");
    assertEquals(2, read.summary.rows());
    assertEquals(Map.of("other_record", 1L), read.summary.rejected());
    Read aws = read(SampleTexts.AWS_FIELDS + SampleTexts.AWS_FIELDS);
    assertEquals(2, aws.summary.rows());
    assertEquals(Map.of("other_record", 1L), aws.summary.rejected());
  }

  @Test
  void unknownNamesAreToldInBoundsHoweverManyAndLongTheyAre() throws IOException {
    StringBuilder text = new StringBuilder();
    String flow = SampleTexts.GOFLOW2.strip();
    for (int i = 0; i < 5000; i++) {
      String name = "n" + i + "x".repeat(500);
      text.append(flow, 0, flow.length() - 1).append(",\"" + name + "\":{\"a\":[1,{}]}}\n");
    }
    Read read = read(text.toString());
    assertEquals(5000, read.summary.rows());
    assertEquals(100, read.summary.unknown().size());
    assertTrue(read.summary.unknown().stream().allMatch(name -> name.length() <= 100));
  }

  @Test
  void flowPrintIsRefusedSayingWhatCanBeRead() {
    String text =
        "\nStart             End               Sif   SrcIPaddress    SrcP  DIf   DstIPaddress"
            + "    DstP    P Fl Pkts       Octets\n\n0113.14:35:11.640 0113.14:35:12.000 1 10.0.0.1"
            + " 1 2 10.0.0.2 2 6 3 1 40\n";
    IOException e = assertThrows(UnknownFormatException.class, () -> read(text));
    assertTrue(e.getMessage().contains("flow-export -f 2 writes what can be read"), e.toString());
    String plain =
        "srcIP            dstIP            prot  srcPort  dstPort  octets      packets\n";
    assertThrows(UnknownFormatException.class, () -> read(plain + "10.0.0.1 10.0.0.2 6 1 2 3 4\n"));
  }

  @Test
  void aMappingOfTheUserComesBeforeTheTable() throws IOException {
    FileReadOptions options =
        FileReadOptions.defaults()
            .withColumns(ColumnNames.DEFAULTS.with("new_field", "tos").with("app_proto", ""));
    Read read = read(SampleTexts.SURICATA, options);
    assertEquals(Set.of(), read.summary.unknown());
    assertEquals("null", read.row(0, FlowColumn.SERVICE));
    assertEquals("1", read.row(1, FlowColumn.TOS));
  }

  @Test
  void everyFormatHasANameAndIsFoundByIt() throws IOException {
    List<String> names = InputFormat.names();
    assertEquals(names.size(), Set.copyOf(names).size(), "each once");
    Map<String, String> texts = new TreeMap<>(SampleTexts.all());
    Map<String, String> samples = new TreeMap<>();
    texts.forEach(
        (sample, text) ->
            samples.put(
                switch (sample.replaceFirst(" .*", "")) {
                  case "aws" -> "aws_vpc";
                  case "gcp" -> "gcp_vpc";
                  case "goflow1" -> "goflow2";
                  case "flow-export" -> "flow_export";
                  default -> sample.replaceFirst(" .*", "");
                },
                text));
    samples.put("csv", "end_time,src_addr\n1,10.0.0.1\n");
    samples.put("json", "{\"end_time\":1}\n");
    samples.put(
        "comparison",
        "ts,src_ip,dst_ip,src_port,dst_port,protocol,bytes_sent,bytes_recv,outgoing,state,duration\n"
            + "1,10.0.0.1,10.0.0.2,1,2,6,3,4,1,0,5\n");
    samples.put("json_document", "[{\"end_time\":1}]");
    for (Map.Entry<String, String> sample : samples.entrySet()) {
      assertTrue(names.contains(sample.getKey()), sample.getKey());
      Read read = read(sample.getValue(), FileReadOptions.defaults().withFormat(sample.getKey()));
      assertTrue(read.summary.rows() > 0, sample.getKey() + ": " + read.summary);
      String label = read.summary.label();
      assertTrue(
          label.equals(sample.getKey()) || label.equals(InputFormat.CSV.label()),
          sample.getKey() + " was read as " + label);
    }
    List<String> ofBytes = List.of("pcap", "pcapng", "ipfix", "zeek_tsv", "zeek_json");
    Set<String> rest = new TreeSet<>(names);
    rest.removeAll(samples.keySet());
    rest.removeAll(ofBytes);
    assertEquals(
        Set.of("flow_batches", "flow_print", "flow_tools", "goflow2_protobuf", "nfcapd", "parquet"),
        rest,
        "their own tests read or refuse them");
  }

  @Test
  void numbersOfADocumentKeepAllTheirDigits() throws IOException {
    Read read = read("[{\"end_time\":1700000000.12345649999,\"bytes\":9007199254740993}]");
    assertEquals(1_700_000_000_123_456L, read.rows.get(0).get(FlowColumn.END_TIME));
    assertEquals(9_007_199_254_740_993L, read.rows.get(0).get(FlowColumn.BYTES));
  }

  @Test
  void theRecordInWhichADocumentBreaksOffIsKeptAsCutShort() throws IOException {
    Read read = read("[{\"end_time\":1},{\"end_time\":2,\"bytes\":");
    assertEquals(1, read.summary.rows());
    assertEquals(Map.of("cut_short", 1L), read.summary.rejected());
  }

  @Test
  void nanosecondsWithoutSecondsAreNoTime() throws IOException {
    String timed = "#:unix_secs,unix_nsecs,sysuptime,last,srcaddr,dstaddr\n";
    Read read = read(timed + ",500000000,100000,90000,10.0.0.1,10.0.0.2\n");
    assertEquals(0, read.summary.rows(), "none in 1970");
    assertEquals(Map.of("missing_time", 1L), read.summary.rejected());
  }

  @Test
  void jsonThatBreaksOffIsDamageBehindTheFlowsBefore() throws IOException {
    String cut = SampleTexts.NFDUMP_JSON.substring(0, SampleTexts.NFDUMP_JSON.length() - 30);
    Read read = read(cut);
    assertEquals(1, read.summary.rows());
    assertTrue(read.summary.damage().contains("the JSON document is damaged"), cut);
  }

  @Test
  void mutatedTextIsReadOrRefusedButNeverLost() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      for (Map.Entry<String, String> sample : SampleTexts.all().entrySet()) {
        byte[] bytes = mutated(sample.getValue(), random);
        String what = sample.getKey() + ", seed " + seed + ", round " + round;
        try {
          Read read = read(bytes, FileReadOptions.defaults());
          long lines = new String(bytes, StandardCharsets.ISO_8859_1).lines().count();
          boolean isOneRecordALine =
              read.summary.format() == InputFormat.JSON && !sample.getKey().equals("azure");
          if (isOneRecordALine) {
            assertTrue(read.summary.rows() + read.summary.rejectedTotal() <= lines + 1, what);
          }
        } catch (IOException e) {
          assertTrue(e.getMessage().contains("input"), what + ": " + e);
        } catch (RuntimeException e) {
          throw new AssertionError(what, e);
        }
      }
    }
  }

  private static byte[] mutated(String text, Random random) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = random.nextInt(8); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(3)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] = bytes[random.nextInt(bytes.length)];
        default -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, at));
      }
    }
    return bytes;
  }
}
