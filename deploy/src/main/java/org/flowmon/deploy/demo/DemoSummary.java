package org.flowmon.deploy.demo;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.flowmon.deploy.demo.feed.InputFaults;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.ingest.text.ShownText;

/**
 * The counts of a demo, none derived from others: the sender counts {@code sent}, a query over the
 * archive {@code stored}, each drop {@code dropped}.
 *
 * @param others flows from others meanwhile, at the collector's port or in the topic
 * @param stored flows of both
 * @param dropped by reason; empty if none
 * @param faults input that was not taken, beside these flows
 * @param detection what was found of what was planted
 * @param seconds from the first flow sent until Kafka has every one
 * @param archiveSeconds from then until the archive has every one
 * @param peakMemoryBytes see {@link PeakMemory}
 */
record DemoSummary(
    long sent,
    long others,
    long stored,
    long preloaded,
    Map<String, Long> dropped,
    InputFaults faults,
    Map<String, Reported> reports,
    Detection.Score detection,
    double seconds,
    double archiveSeconds,
    ArchiveFacts archive,
    long peakMemoryBytes) {

  /** Rows include history; bytes are of segments and sidecars. */
  record ArchiveFacts(Path path, long rows, long bytes, long segments) {}

  /** Windows include those without rows; {@code verdicts} is empty if the analysis gives none. */
  record Reported(long windows, long rows, Map<String, Long> verdicts) {
    Reported {
      verdicts = new TreeMap<>(verdicts);
    }
  }

  DemoSummary {
    dropped = new TreeMap<>(dropped);
    reports = new TreeMap<>(reports);
  }

  long allDropped() {
    return dropped.values().stream().mapToLong(n -> n).sum();
  }

  boolean balances() {
    return sent + others == stored + allDropped();
  }

  double flowsPerSecond() {
    return seconds > 0 ? sent / seconds : 0;
  }

  void writeJson(OutputStream out) throws IOException {
    try (JsonGenerator json =
        JsonText.factory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeNumberField("sent", sent);
      json.writeNumberField("others", others);
      json.writeNumberField("stored", stored);
      json.writeNumberField("preloaded", preloaded);
      writeCounts(json, "dropped", dropped);
      writeFaults(json);
      writeReports(json);
      writeDetection(json);
      json.writeNumberField("flows_per_second", flowsPerSecond());
      json.writeNumberField("seconds", seconds);
      json.writeNumberField("archive_seconds", archiveSeconds);
      json.writeObjectFieldStart("archive");
      json.writeStringField("path", archive.path().toString());
      json.writeNumberField("rows", archive.rows());
      json.writeNumberField("bytes", archive.bytes());
      json.writeNumberField("segments", archive.segments());
      json.writeEndObject();
      json.writeNumberField("peak_memory_bytes", peakMemoryBytes);
      json.writeEndObject();
      json.writeRaw('\n');
    }
    out.flush();
  }

  private void writeDetection(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("detection");
    json.writeNumberField("planted", detection.names().size());
    json.writeNumberField("found", detection.found().size());
    json.writeNumberField("missed", detection.missed());
    json.writeNumberField("false", detection.falses().size());
    json.writeObjectFieldStart("seconds");
    for (Map.Entry<String, Detection.Found> one : detection.found().entrySet()) {
      json.writeNumberField(one.getKey(), one.getValue().seconds());
    }
    json.writeEndObject();
    json.writeArrayFieldStart("falses");
    for (String one : detection.falses()) {
      json.writeString(one);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void writeDetection(PrintStream out) {
    if (detection.names().isEmpty()) {
      return;
    }
    out.printf(
        "planted    %,15d: %d found, %d missed, %d false%n",
        detection.names().size(),
        detection.found().size(),
        detection.missed(),
        detection.falses().size());
    for (String name : detection.names()) {
      Detection.Found one = detection.found().get(name);
      out.println(
          one == null
              ? String.format("%27s  missed", name)
              : String.format(
                  Locale.ROOT,
                  "%27s  %.1f s after it began, by %s",
                  name,
                  one.seconds(),
                  one.analysis()));
    }
    detection
        .falses()
        .forEach(one -> out.println(ShownText.of(String.format("%27s  %s", "false", one))));
  }

  private void writeFaults(JsonGenerator json) throws IOException {
    json.writeNumberField("refused_messages", faults.refused());
    writeCounts(json, "refused_reasons", faults.refusedReasons());
    writeCounts(json, "not_understood", faults.notUnderstood());
    json.writeArrayFieldStart("left_out");
    for (InputFaults.LeftOut one : faults.leftOut()) {
      json.writeStartObject();
      json.writeStringField("file", one.file().toString());
      json.writeNumberField("flows", one.flows());
      json.writeStringField("reason", one.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void writeReports(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("reports");
    for (Map.Entry<String, Reported> report : reports.entrySet()) {
      json.writeNumberField(report.getKey(), report.getValue().windows());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("report_rows");
    for (Map.Entry<String, Reported> report : reports.entrySet()) {
      json.writeNumberField(report.getKey(), report.getValue().rows());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("verdicts");
    for (Map.Entry<String, Reported> report : reports.entrySet()) {
      writeCounts(json, report.getKey(), report.getValue().verdicts());
    }
    json.writeEndObject();
  }

  private static void writeCounts(JsonGenerator json, String name, Map<String, Long> counts)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, Long> count : counts.entrySet()) {
      json.writeNumberField(count.getKey(), count.getValue());
    }
    json.writeEndObject();
  }

  void writeText(PrintStream out) {
    out.printf(
        "sent       %,15d flows in %.1f s, %,.0f flows/s%n", sent, seconds, flowsPerSecond());
    if (others > 0) {
      out.printf("others     %,15d flows that somebody else sent to the demo%n", others);
    }
    out.printf(
        "stored     %,15d of them, %.1f s after the last was sent%n", stored, archiveSeconds);
    out.printf("dropped    %,15d%s%n", allDropped(), dropped.isEmpty() ? "" : " " + dropped);
    writeFaults(out);
    if (!balances()) {
      long missing = sent + others - stored - allDropped();
      out.printf(
          "           %,15d flows %s%n",
          Math.abs(missing),
          missing > 0 ? "are not accounted for" : "more than anybody is known to have sent");
    }
    out.printf("preloaded  %,15d flows of history%n", preloaded);
    reports.forEach(
        (analysis, reported) ->
            out.printf(
                "reports    %,15d windows of %s: %,d rows%s%n",
                reported.windows(), analysis, reported.rows(), verdicts(reported)));
    out.printf(
        "archive    %,15d flows in %d segments, %.1f MB%n",
        archive.rows(), archive.segments(), archive.bytes() / 1e6);
    out.printf("memory     %,15.0f MB at most, PostgreSQL included%n", peakMemoryBytes / 1e6);
    Path folder = Objects.requireNonNull(archive.path().getParent()); // the demo's
    writeDetection(out);
    out.println("Everything lies in " + folder + "; try");
    out.println(
        "  ./flowmon query \"SELECT src_addr, SUM(bytes) AS bytes FROM flows"
            // Two weeks of history would hide the live minute.
            + (preloaded > 0 ? " WHERE source_kind <> 'synthetic'" : "")
            + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 10\" --archive "
            + shell(archive.path()));
    out.println("Nothing else needs it; to be rid of it:");
    out.println("  rm -r " + shell(folder));
  }

  private void writeFaults(PrintStream out) {
    if (faults.refused() > 0) {
      out.printf("refused    %,15d messages that the job left out, because%n", faults.refused());
      writeTable(out, faults.refusedReasons());
    }
    if (!faults.notUnderstood().isEmpty()) {
      out.println("not understood, in datagrams");
      writeTable(out, faults.notUnderstood());
    }
    if (!faults.leftOut().isEmpty()) {
      out.printf("left out   %,15d files, or parts of them%n", faults.leftOut().size());
      for (InputFaults.LeftOut one : faults.leftOut()) {
        String taken = one.flows() == 0 ? "no flow" : String.format("%,d flows", one.flows());
        out.println(
            ShownText.of("  " + one.file() + ": " + taken + " taken, then: " + one.reason()));
      }
    }
  }

  private static void writeTable(PrintStream out, Map<String, Long> counts) {
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(
            one -> out.printf("           %,15d %s%n", one.getValue(), ShownText.of(one.getKey())));
  }

  private static String verdicts(Reported reported) {
    StringJoiner text = new StringJoiner(", ", ", ", "").setEmptyValue("");
    reported
        .verdicts()
        .forEach((verdict, rows) -> text.add(String.format("%,d %s", rows, verdict)));
    return text.toString();
  }

  static String shell(Path path) {
    String text = path.toString();
    return text.matches("[\\w./+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
