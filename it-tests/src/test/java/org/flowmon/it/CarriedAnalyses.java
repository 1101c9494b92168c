package org.flowmon.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/**
 * Analyses with each kind of state that a savepoint carries, in the words of every build since
 * 0.1.0: sums with history and an alert, states of functions in sliding windows, and groups that
 * are counted in groups. Their rows do not depend on how flows are split and merged.
 */
final class CarriedAnalyses {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> COUNTS = Set.of("flows", "late_flows", "lost_flows", "groups");

  private CarriedAnalyses() {}

  /**
   * The texts by name; the first has an alert and a logic that is a query in builds since
   * 2026-11-26: what {@link OneJvm#elephantsYaml} has by extending.
   */
  static Map<String, String> of(String name, String window, String lateness) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(
        name,
        """
        name: %s
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
            GROUP BY src_addr ORDER BY bytes DESC LIMIT 20
          window: %s
          lateness: %s
          slots: 64
        history:
          query: SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows
            WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7)
            GROUP BY src_addr, DAYS_BEFORE(end_time, :now)
          timeout: 60s
        report: {logic: elephants, parameters: {share: 0.01, factor: 3}}
        sinks: [kafka]
        alerts:
          - {name: large, when: 'rank <= 3', key: [src_addr], for: 2h, silence: 4h}
        """
            .formatted(name, window, lateness));
    String functions = name + "_functions";
    texts.put(
        functions,
        """
        name: %s
        live:
          query: SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes, MIN(bytes) AS least,
            MAX(end_time) AS last, AVG(bytes) AS mean, STDDEV(bytes) AS deviation,
            QUANTILE(QUANTILES(bytes, 0), 0.9) AS p90,
            CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS peers,
            CARDINALITY(DISTINCT_SAMPLE(dst_port)) AS ports
            FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 20
          window: 3h
          slide: 1h
          lateness: %s
          slots: 64
        report: {logic: live}
        sinks: [kafka]
        """
            .formatted(functions, lateness));
    String nested = name + "_nested";
    texts.put(
        nested,
        """
        name: %s
        live:
          query: SELECT src_addr, COUNT(DISTINCT dst_addr, dst_port) AS targets, SUM(bytes) AS bytes
            FROM flows WHERE protocol = 6 GROUP BY src_addr ORDER BY targets DESC LIMIT 20
          window: 2h
          lateness: %s
          slots: 64
        report: {logic: live}
        sinks: [kafka]
        """
            .formatted(nested, lateness));
    return texts;
  }

  static AnalysisConfig[] parsed(String name, String window, String lateness) {
    return of(name, window, lateness).entrySet().stream()
        .map(entry -> AnalysisConfig.parse(entry.getKey() + ".yaml", entry.getValue()))
        .toArray(AnalysisConfig[]::new);
  }

  /**
   * The rows of each window's last report, with its counts of flows and groups, by the window's
   * end.
   */
  static SortedMap<Long, List<String>> reported(String bootstrap, String analysis)
      throws IOException {
    ReportWindows windows = new ReportWindows(0);
    for (var record : OneJvm.read(bootstrap, "flowmon.reports." + analysis)) {
      byte[] message = record.value().getBytes(StandardCharsets.UTF_8);
      windows.add(ReportRow.parse(message), message);
    }
    SortedMap<Long, List<String>> rows = new TreeMap<>();
    for (ReportWindows.Window window : windows.waiting()) {
      List<String> lines = new ArrayList<>();
      for (ReportRow row : window.parsed()) {
        Map<String, Object> confidence = new TreeMap<>(row.confidence());
        confidence.keySet().retainAll(COUNTS);
        lines.add(row.columns() + " " + confidence);
      }
      rows.put(window.end(), lines);
    }
    return rows;
  }

  /** The messages of an analysis's alerts in their order by key, without ids and columns. */
  static SortedMap<String, List<String>> alerts(String bootstrap, String analysis)
      throws IOException {
    SortedMap<String, List<String>> messages = new TreeMap<>();
    Map<String, Integer> last = new HashMap<>();
    for (ConsumerRecord<String, String> record :
        OneJvm.read(bootstrap, KafkaReports.ALERTS_TOPIC)) {
      JsonNode alert = JSON.readTree(record.value());
      int number = alert.get("number").asInt();
      // The last ones come once more after a restart.
      if (alert.get("analysis").asText().equals(analysis)
          && number > last.getOrDefault(alert.get("id").asText(), 0)) {
        last.put(alert.get("id").asText(), number);
        messages
            .computeIfAbsent(alert.get("key").asText(), key -> new ArrayList<>())
            .add(
                String.join(
                    " ",
                    alert.get("state").asText(),
                    alert.get("cause").asText(),
                    alert.get("since").asText(),
                    alert.get("window_end").asText()));
      }
    }
    return messages;
  }
}
