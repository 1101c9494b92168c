package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.demo.feed.InputFaults;
import org.junit.jupiter.api.Test;

final class DemoSummaryTest {
  private static final InputFaults FAULTS =
      new InputFaults(
          2,
          Map.of("not a flow batch", 2L),
          Map.of("datagrams_damaged", 2_830L, "datagrams_dropped_unknown_version", 56_600L),
          List.of(
              new InputFaults.LeftOut(Path.of("/in/bad.pcap"), 1_448, "byte 45664: no packet")));

  private static final Detection.Score SCORE =
      new Detection.Score(
          List.of("beacon", "scan"),
          Map.of("scan", new Detection.Found("scans_fast", 21.4)),
          Set.of("elephants 198.18.0.7"));

  private static final DemoSummary SUMMARY =
      new DemoSummary(
          1_000,
          30,
          1_013,
          5_000,
          Map.of("no_template", 10L, "quarantined", 7L),
          FAULTS,
          Map.of(
              "elephants", new DemoSummary.Reported(6, 60, Map.of("new", 1L, "usual", 59L)),
              "talkers", new DemoSummary.Reported(2, 20, Map.of())),
          SCORE,
          2.0,
          0.5,
          new DemoSummary.ArchiveFacts(Path.of("/demo/archive"), 6_013, 123_456, 3),
          500_000_000);

  @Test
  void theJsonHasEveryMemberAndNothingElse() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SUMMARY.writeJson(out);
    JsonNode json = new ObjectMapper().readTree(out.toByteArray());
    Set<String> names = new TreeSet<>();
    json.fieldNames().forEachRemaining(names::add);
    assertEquals(
        Set.of(
            "sent",
            "others",
            "stored",
            "preloaded",
            "dropped",
            "refused_messages",
            "refused_reasons",
            "not_understood",
            "left_out",
            "reports",
            "report_rows",
            "verdicts",
            "detection",
            "flows_per_second",
            "seconds",
            "archive_seconds",
            "archive",
            "peak_memory_bytes"),
        names);
    assertEquals(1_000, json.get("sent").asLong());
    assertEquals(30, json.get("others").asLong());
    assertEquals(1_013, json.get("stored").asLong());
    assertEquals(5_000, json.get("preloaded").asLong());
    assertEquals(10, json.get("dropped").get("no_template").asLong());
    assertEquals(7, json.get("dropped").get("quarantined").asLong());
    assertEquals(2, json.get("refused_messages").asLong());
    assertEquals(2, json.get("refused_reasons").get("not a flow batch").asLong());
    assertEquals(2_830, json.get("not_understood").get("datagrams_damaged").asLong());
    assertEquals("/in/bad.pcap", json.get("left_out").get(0).get("file").asText());
    assertEquals(1_448, json.get("left_out").get(0).get("flows").asLong());
    assertEquals("byte 45664: no packet", json.get("left_out").get(0).get("reason").asText());
    assertEquals(6, json.get("reports").get("elephants").asLong());
    assertEquals(60, json.get("report_rows").get("elephants").asLong());
    assertEquals(1, json.get("verdicts").get("elephants").get("new").asLong());
    assertEquals(59, json.get("verdicts").get("elephants").get("usual").asLong());
    assertTrue(json.get("verdicts").get("talkers").isEmpty());
    assertEquals(
        "{\"planted\":2,\"found\":1,\"missed\":1,\"false\":1,\"seconds\":{\"scan\":21.4},"
            + "\"falses\":[\"elephants 198.18.0.7\"]}",
        json.get("detection").toString());
    assertEquals(0.5, json.get("archive_seconds").asDouble());
    assertEquals(500.0, json.get("flows_per_second").asDouble());
    assertEquals(2.0, json.get("seconds").asDouble());
    assertEquals(6_013, json.get("archive").get("rows").asLong());
    assertEquals(123_456, json.get("archive").get("bytes").asLong());
    assertEquals(3, json.get("archive").get("segments").asLong());
    assertEquals("/demo/archive", json.get("archive").get("path").asText());
    assertEquals(500_000_000, json.get("peak_memory_bytes").asLong());
  }

  @Test
  void whatIsNotAccountedForIsSaid() {
    assertTrue(SUMMARY.balances());
    DemoSummary lost =
        new DemoSummary(
            1_000,
            0,
            980,
            0,
            Map.of("no_template", 10L),
            InputFaults.NONE,
            Map.of(),
            SCORE,
            1,
            1,
            SUMMARY.archive(),
            1);
    assertFalse(lost.balances());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    lost.writeText(new PrintStream(out, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("             10 flows are not accounted for"), text);
    DemoSummary more =
        new DemoSummary(
            1_000,
            0,
            1_030,
            0,
            Map.of(),
            InputFaults.NONE,
            Map.of(),
            SCORE,
            1,
            1,
            SUMMARY.archive(),
            1);
    assertFalse(more.balances());
    ByteArrayOutputStream other = new ByteArrayOutputStream();
    more.writeText(new PrintStream(other, true, StandardCharsets.UTF_8));
    text = other.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains("             30 flows more than anybody is known to have sent"), text);
  }

  @Test
  void whatOthersSentAndWhatIsRefusedIsSaid() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SUMMARY.writeText(new PrintStream(out, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("others                  30 flows that somebody else sent"), text);
    assertTrue(text.contains("dropped                 17 {no_template=10, quarantined=7}"), text);
    assertTrue(
        text.contains(
            """
            refused                  2 messages that the job left out, because
                                     2 not a flow batch
            not understood, in datagrams
                                56,600 datagrams_dropped_unknown_version
                                 2,830 datagrams_damaged
            left out                 1 files, or parts of them
              /in/bad.pcap: 1,448 flows taken, then: byte 45664: no packet
            """),
        text);
    assertFalse(text.contains("not accounted for"), text);
  }

  @Test
  void theTextSaysWhatWasReportedAndHowToBeRidOfItAll() {
    DemoSummary summary =
        new DemoSummary(
            1_000,
            0,
            1_000,
            0,
            Map.of(),
            InputFaults.NONE,
            SUMMARY.reports(),
            SCORE,
            2,
            0.5,
            new DemoSummary.ArchiveFacts(Path.of("/my demo/archive"), 1_000, 2_000_000, 3),
            500_000_000);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    summary.writeText(new PrintStream(out, true, StandardCharsets.UTF_8));
    assertEquals(
        """
        sent                 1,000 flows in 2.0 s, 500 flows/s
        stored               1,000 of them, 0.5 s after the last was sent
        dropped                  0
        preloaded                0 flows of history
        reports                  6 windows of elephants: 60 rows, 1 new, 59 usual
        reports                  2 windows of talkers: 20 rows
        archive              1,000 flows in 3 segments, 2.0 MB
        memory                 500 MB at most, PostgreSQL included
        planted                  2: 1 found, 1 missed, 1 false
                             beacon  missed
                               scan  21.4 s after it began, by scans_fast
                              false  elephants 198.18.0.7
        Everything lies in /my demo; try
          ./flowmon query "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 10" --archive '/my demo/archive'
        Nothing else needs it; to be rid of it:
          rm -r '/my demo'
        """,
        out.toString(StandardCharsets.UTF_8));
    DemoSummary preloaded =
        new DemoSummary(
            1_000,
            0,
            1_000,
            5,
            Map.of(),
            InputFaults.NONE,
            Map.of(),
            SCORE,
            2,
            0.5,
            summary.archive(),
            500_000_000);
    out.reset();
    preloaded.writeText(new PrintStream(out, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains("FROM flows WHERE source_kind <> 'synthetic' GROUP BY src_addr"), text);
  }

  @Test
  void memoryOfThisProcessIsKnownOnLinux() {
    try (PeakMemory memory = new PeakMemory(ProcessHandle.current().pid())) {
      assertTrue(memory.bytes() > 10_000_000, "bytes " + memory.bytes());
    }
    assertEquals(0, PeakMemory.kilobytes(Path.of("/no/such/file"), "VmHWM:"));
  }
}
