package org.flowmon.deploy.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a demo did. {@code sent} is counted by the sender, {@code stored} by a query over the
 * archive, {@code dropped} where it happened; none is derived from the others.
 *
 * @param sent flows that were sent or read
 * @param stored flows of those that are in the archive
 * @param preloaded flows of history that were there before
 * @param dropped flows by reason; empty where there was no drop
 * @param reports by analysis
 * @param seconds from the first flow sent to the last flow archived
 * @param archive where the flows are
 * @param peakMemoryBytes of the JVM and PostgreSQL, see {@link PeakMemory}
 */
record DemoSummary(
    long sent,
    long stored,
    long preloaded,
    Map<String, Long> dropped,
    Map<String, Long> reports,
    double seconds,
    ArchiveFacts archive,
    long peakMemoryBytes) {

  /**
   * The archive at the end.
   *
   * @param rows all of them, history included
   * @param bytes of segments and sidecars
   */
  record ArchiveFacts(Path path, long rows, long bytes, long segments) {}

  DemoSummary {
    dropped = new TreeMap<>(dropped);
    reports = new TreeMap<>(reports);
  }

  long allDropped() {
    return dropped.values().stream().mapToLong(n -> n).sum();
  }

  /** Whether every flow is accounted for. */
  boolean balances() {
    return sent == stored + allDropped();
  }

  double flowsPerSecond() {
    return seconds > 0 ? sent / seconds : 0;
  }

  /** One JSON object and a line's end. */
  void writeJson(OutputStream out) throws IOException {
    try (JsonGenerator json =
        new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeNumberField("sent", sent);
      json.writeNumberField("stored", stored);
      json.writeNumberField("preloaded", preloaded);
      writeCounts(json, "dropped", dropped);
      writeCounts(json, "reports", reports);
      json.writeNumberField("flows_per_second", flowsPerSecond());
      json.writeNumberField("seconds", seconds);
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

  private static void writeCounts(JsonGenerator json, String name, Map<String, Long> counts)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, Long> count : counts.entrySet()) {
      json.writeNumberField(count.getKey(), count.getValue());
    }
    json.writeEndObject();
  }

  /** The same for people. */
  void writeText(PrintStream out) {
    out.printf(
        "sent       %,15d flows in %.1f s, %,.0f flows/s%n", sent, seconds, flowsPerSecond());
    out.printf("stored     %,15d of them%n", stored);
    out.printf("dropped    %,15d %s%n", allDropped(), dropped.isEmpty() ? "" : dropped.toString());
    if (!balances()) {
      out.printf("           %,15d flows are not accounted for%n", sent - stored - allDropped());
    }
    out.printf("preloaded  %,15d flows of history%n", preloaded);
    reports.forEach((analysis, n) -> out.printf("reports    %,15d of %s%n", n, analysis));
    out.printf(
        "archive    %,15d flows in %d segments, %.1f MB%n",
        archive.rows(), archive.segments(), archive.bytes() / 1e6);
    out.printf("memory     %,15.0f MB at most, PostgreSQL included%n", peakMemoryBytes / 1e6);
    out.println("Everything lies in " + archive.path().getParent() + "; try");
    out.println(
        "  ./flowmon query \"SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr"
            + " ORDER BY bytes DESC LIMIT 10\" --archive "
            + archive.path());
  }
}
