package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.flow.time.FlowTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Answers of an archive of which 40 of 100 flows, one a minute, have expired, some are sampled, and
 * some of a topic are missing: every format says so, and other programs still read its rows.
 */
class AnswerConfidenceTest {
  private static final Instant BEGIN = Instant.parse("2026-11-20T08:00:00Z");
  private static final Instant CUTOFF = BEGIN.plus(40, ChronoUnit.MINUTES);
  // Right after the last of them.
  private static final Instant EXPIRED =
      BEGIN.plus(39, ChronoUnit.MINUTES).plus(1, ChronoUnit.MICROS);
  private static final Instant END = BEGIN.plus(100, ChronoUnit.MINUTES);
  private static final String COUNT = "SELECT COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows";

  @TempDir Path folder;
  private Path archive;

  @BeforeEach
  void fill() throws Exception {
    archive = folder.resolve("archive");
    StringBuilder csv =
        new StringBuilder("end_time,arrival,src_addr,dst_addr,bytes,sampling_rate\n");
    for (int i = 0; i < 100; i++) {
      Instant time = BEGIN.plus(i, ChronoUnit.MINUTES);
      String rate = i < 90 ? "" : "1000";
      csv.append("%s,%s,192.0.2.1,192.0.2.%d,100,%s\n".formatted(time, time, 2 + i, rate));
    }
    Path file = Files.writeString(folder.resolve("flows.csv"), csv);
    assertEquals(0, CommandRun.of("import", file, "--archive", archive).code());
    assertEquals(0, CommandRun.of("expire", "--archive", archive, "--rows", 60).code());
    try (Archive opened =
        Archive.openOrCreate(ArchiveLocation.of(archive), ArchiveOptions.DEFAULTS)) {
      for (long first : new long[] {0, 25}) {
        long arrival = FlowTime.micros(BEGIN.plus(first, ChronoUnit.MINUTES));
        SourceRange range = new SourceRange("t:0", first, first + 10, arrival);
        opened.commit(ArchiveCommit.ofRanges(List.of(), List.of(range), "test"));
      }
    }
  }

  private CommandRun run(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--archive", archive));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(0, run.code(), run.toString());
    return run;
  }

  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text);
  }

  private static void requireFacts(JsonNode confidence, boolean asksExpired) {
    assertEquals(1, confidence.path("archives").size(), confidence.toString());
    JsonNode one = confidence.path("archives").get(0);
    assertEquals(60, one.path("flows").asInt(), one.toString());
    assertEquals(40, one.path("expired_flows").asInt(), one.toString());
    assertEquals(EXPIRED.toString(), one.path("expired_before").asText(), one.toString());
    assertEquals(asksExpired, one.path("asks_expired").asBoolean(), one.toString());
    assertEquals(CUTOFF.toString(), one.path("holds").get(0).path("from").asText());
    assertEquals(
        BEGIN.plus(99, ChronoUnit.MINUTES).toString(),
        one.path("holds").get(0).path("through").asText());
    assertEquals(1, one.path("gaps").size(), one.toString());
    assertEquals(10, one.path("gaps").get(0).path("first_offset").asInt());
    assertEquals(25, one.path("gaps").get(0).path("end_offset").asInt());
    assertEquals(1000, one.path("sampling_rate").asInt(), one.toString());
  }

  private static void requireWords(String err, boolean asksExpired) {
    String expired = "expired: 40 flows are gone, all from before " + EXPIRED;
    assertTrue(
        err.contains(
            expired
                + (asksExpired ? ": the answer is of earlier times, too, and lacks them\n" : "\n")),
        err);
    assertTrue(err.contains("the archive holds flows of " + CUTOFF + " … "), err);
    assertTrue(err.contains("but for the gaps named here"), err);
    assertTrue(err.contains("gap: source t:0: offsets 10 … 24 were never archived"), err);
    assertTrue(
        err.contains("sampled: 1 of 1 segments have flows of which one packet in up to"), err);
  }

  @Test
  void everyFormatOfAQuerySaysByDefaultWhatItsCountLacks() throws Exception {
    String later = COUNT + " WHERE end_time >= '" + CUTOFF + "'";
    for (String format : List.of("table", "csv", "json")) {
      requireWords(run("query", COUNT, "--format", format).err(), true);
      requireWords(run("query", later, "--format", format).err(), false);
    }
    assertEquals("flows,bytes\n60,6000\n", run("query", COUNT, "--format", "csv").out());
    JsonNode rows = json(run("query", COUNT, "--format", "json").out());
    assertEquals(60, rows.get(0).path("flows").asInt());
    assertEquals(1, rows.size());
  }

  @Test
  void duckDbReadsTheRowsAndTheConfidenceBesideThem() throws Exception {
    Path confidence = folder.resolve("confidence.json");
    String sql = "SELECT dst_addr, bytes FROM flows ORDER BY end_time";
    CommandRun csv = run("query", sql, "--format", "csv", "--confidence", confidence);
    assertEquals("", csv.err());
    Path rows = Files.writeString(folder.resolve("rows.csv"), csv.out());
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        ResultSet count =
            duck.createStatement()
                .executeQuery(
                    "SELECT COUNT(*), SUM(bytes), (SELECT archives[1].expired_flows FROM '"
                        + confidence
                        + "') FROM '"
                        + rows
                        + "'")) {
      assertTrue(count.next());
      assertEquals(60, count.getInt(1));
      assertEquals(6000, count.getInt(2));
      assertEquals(40, count.getInt(3));
    }
    requireFacts(json(Files.readString(confidence)), true);
    assertEquals(1, Files.readString(confidence).lines().count());
  }

  @Test
  void aDashPutsTheObjectOnStandardErrorInPlaceOfWords() throws Exception {
    String later = COUNT + " WHERE end_time >= '" + CUTOFF + "'";
    for (String format : List.of("csv", "json")) {
      CommandRun run = run("query", later, "--format", format, "--confidence", "-");
      requireFacts(json(run.err()), false);
    }
    CommandRun seen =
        run("seen", "192.0.2.1", "--as-of", END, "--format", "json", "--confidence", "-");
    requireFacts(json(seen.err()), true);
  }

  @Test
  void hostsAndSeenAddressesHaveItInTheirObjectOrInWords() throws Exception {
    JsonNode host = json(run("host", "192.0.2.1", "--format", "json").out());
    assertEquals(60, host.path("flows").asInt());
    requireFacts(host.path("confidence"), true);
    assertEquals(host, json(run("host", "192.0.2.1", "--json").out()));
    requireFacts(
        json(run("host", "192.0.2.1", "--json", "--from", CUTOFF).out()).path("confidence"), false);
    requireWords(run("host", "192.0.2.1").err(), true);
    JsonNode seen = json(seen("json").out());
    requireFacts(seen.path("confidence"), true);
    assertTrue(seen.path("partial").asBoolean());
    CommandRun csv = seen("csv");
    assertEquals(
        "address,seen,last\n192.0.2.1,true,"
            + BEGIN.plus(99, ChronoUnit.MINUTES)
            + "\n192.0.2.3,false,\n",
        csv.out());
    requireWords(csv.err(), true);
    // What expired may have had it.
    assertEquals(1, csv.code());
    CommandRun refused = CommandRun.of("host", "::1", "--format", "csv", "--archive", archive);
    assertEquals(2, refused.code());
    assertTrue(refused.err().contains("expected table or json"), refused.err());
  }

  private CommandRun seen(String format) {
    return CommandRun.of(
        "seen", "192.0.2.1", "192.0.2.3", "--as-of", END, "--format", format, "--archive", archive);
  }

  @Test
  void anArchiveThatLacksNothingSaysOnlyWhatItHolds() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("one.csv"), "end_time,src_addr,bytes\n2026-11-20T08:00:00Z,::1,5\n");
    archive = folder.resolve("whole");
    assertEquals(0, CommandRun.of("import", file, "--archive", archive).code());
    CommandRun run = run("query", COUNT, "--format", "csv");
    assertEquals(
        "the archive holds flows of 2026-11-20T08:00:00Z … 2026-11-20T08:00:00Z\n", run.err());
    JsonNode one = json(run("query", COUNT, "--format", "csv", "--confidence", "-").err());
    JsonNode facts = one.path("archives").get(0);
    assertTrue(facts.path("sampling_rate").isNull(), one.toString());
    assertTrue(facts.path("expired_before").isNull(), one.toString());
    assertFalse(facts.path("asks_expired").asBoolean(true), one.toString());
    assertNull(one.path("now").textValue());
  }
}
