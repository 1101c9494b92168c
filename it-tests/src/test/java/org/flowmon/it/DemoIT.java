package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.verify.ArchiveVerifier;
import org.flowmon.archive.verify.VerifyReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a user runs it: a process of its own, within the launcher's limits of memory. */
class DemoIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final Set<String> FIELDS =
      Set.of(
          "sent",
          "stored",
          "preloaded",
          "dropped",
          "reports",
          "flows_per_second",
          "seconds",
          "archive",
          "peak_memory_bytes");

  /** The default number of preloaded flows. */
  private static final long HISTORY = 1_000_000;

  /** What the log holds: its lines that are no comments. */
  private static final long M57_CONNECTIONS = 8462;

  /** What the exporter said of the export. */
  private static final long EXPORTED = 504;

  @TempDir Path folder;

  @Test
  void everyFlowThatTheDemoSendsIsStoredAndReportsCome() throws Exception {
    JsonNode summary = demo("--for", "12s", "--json", "--dir", folder + "/demo");

    assertEquals(new TreeSet<>(FIELDS), names(summary));
    long sent = summary.get("sent").longValue();
    assertTrue(sent > 0, summary.toString());
    assertEquals(0, dropped(summary), summary.toString());
    assertEquals(sent, summary.get("stored").longValue(), summary.toString());
    assertEquals(HISTORY, summary.get("preloaded").longValue());
    assertTrue(summary.get("reports").get("elephants").longValue() > 0, summary.toString());
    assertTrue(summary.get("seconds").doubleValue() >= 12, summary.toString());
    assertEquals(
        sent / summary.get("seconds").doubleValue(),
        summary.get("flows_per_second").doubleValue(),
        1);
    assertTrue(
        summary.get("peak_memory_bytes").longValue() <= 2L << 30, "memory: " + summary.toString());
    assertArchive(summary, sent + HISTORY);
  }

  @Test
  void filesGoThroughTheDemoInPlaceOfTheGenerator() throws Exception {
    Path log = ProjectFiles.data().resolve("zeek/m57/conn.log.gz");
    Path export = ProjectFiles.data().resolve("netflow-from-pcap/many-protocols/export.v5.pcap");

    JsonNode summary =
        demo("--input", log.toString(), export.toString(), "--json", "--dir", folder + "/files");

    assertEquals(new TreeSet<>(FIELDS), names(summary));
    long sent = summary.get("sent").longValue();
    assertEquals(M57_CONNECTIONS + EXPORTED, sent, summary.toString());
    assertEquals(sent, summary.get("stored").longValue() + dropped(summary), summary.toString());
    assertEquals(0, dropped(summary), summary.toString());
    assertEquals(0, summary.get("preloaded").longValue());
    assertArchive(summary, sent);
  }

  private JsonNode demo(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "demo";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    try (Program demo = Program.flowmon(folder, "demo", all)) {
      int code = demo.await(LIMIT);
      assertEquals(0, code, demo.printed());
      return onlyObject(demo.output());
    }
  }

  /** Standard output holds one JSON object and nothing else. */
  private static JsonNode onlyObject(String text) throws IOException {
    ObjectMapper mapper = new ObjectMapper(new JsonFactory());
    try (MappingIterator<JsonNode> values = mapper.readerFor(JsonNode.class).readValues(text)) {
      List<JsonNode> all = values.readAll();
      assertEquals(1, all.size(), text);
      assertTrue(all.get(0).isObject(), text);
      return all.get(0);
    }
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static long dropped(JsonNode summary) {
    long sum = 0;
    for (JsonNode count : summary.get("dropped")) {
      sum += count.longValue();
    }
    return sum;
  }

  /** The archive is what the summary says of it, and sound. */
  private static void assertArchive(JsonNode summary, long rows) throws IOException {
    JsonNode stated = summary.get("archive");
    assertEquals(Set.of("path", "rows", "bytes", "segments"), names(stated));
    Path archive = Path.of(stated.get("path").textValue());
    assertTrue(Files.isDirectory(archive), archive.toString());
    assertEquals(rows, stated.get("rows").longValue());
    assertEquals(rows, OneJvm.query(archive, "SELECT COUNT(*) AS n FROM flows").longValue(0, 0));
    VerifyReport report = ArchiveVerifier.verify(archive);
    assertTrue(report.isSound(), report.damages().toString());
    assertEquals(rows, report.rows());
    assertEquals(report.segments(), stated.get("segments").longValue());
  }
}
