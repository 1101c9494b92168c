package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.jobs.source.FlowTopic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs go on from savepoints of earlier builds; {@link GoldenSavepoint} made them. The one of
 * 2026-11-25 is of commit be42ca52.
 */
class GoldenSavepointTest {
  private static final String TOPIC = "golden";

  /** Of a build in which the default of HEAVY_HITTERS made other states. */
  private static final String BEFORE_DEFAULT = "savepoint-20261125";

  /** The seconds at which each analysis's last window ends: a window of 6 s slides by 2 s. */
  private static final Map<String, Integer> LAST =
      Map.of("talkers", 60, "functions", 64, "heavy", 60, "nested", 60);

  private static final long STOP = TestFlow.START + GoldenSavepoint.STOP * TestFlow.SECOND;

  private static final Pattern ALERT =
      Pattern.compile(
          "\"id\":\"(\\w+)\",\"number\":(\\d+),(.*),\"window_start\":\".*\"window_end\":\"([^\"]+)\"");

  @TempDir private static Path directory;
  private static Outcome whole;

  /**
   * What a job reported.
   *
   * @param reports by analysis and window's end the last report's counts and rows
   * @param alerts by id and number
   */
  private record Outcome(
      Map<String, SortedMap<Long, List<String>>> reports, SortedMap<String, String> alerts) {}

  @BeforeAll
  static void runWithoutAStop() throws Exception {
    try (TestKafka kafka = new TestKafka(directory.resolve("whole"))) {
      kafka.createTopic(TOPIC, GoldenSavepoint.PARTITIONS);
      GoldenSavepoint.send(kafka, GoldenSavepoint.messages(TOPIC, 0, GoldenSavepoint.SECONDS));
      GoldenSavepoint.send(kafka, GoldenSavepoint.end(TOPIC));
      whole = outcome(kafka, GoldenSavepoint.start(kafka, TOPIC, 2, ""));
    }
    assertEquals(
        BruteForce.windows(
                GoldenSavepoint.FLOWS,
                4 * TestFlow.SECOND,
                4 * TestFlow.SECOND,
                TestFlow.SECOND,
                10)
            .keySet(),
        whole.reports.get("talkers").keySet());
  }

  @ParameterizedTest
  @ValueSource(strings = {BEFORE_DEFAULT, "savepoint-20261126"})
  void aJobGoesOnFromTheSavepointOfAnEarlierBuild(String name) throws Exception {
    Outcome found;
    try (TestKafka kafka = new TestKafka(directory.resolve(name).resolve("kafka"))) {
      kafka.createTopic(TOPIC, GoldenSavepoint.PARTITIONS);
      // The same messages at the same offsets, and those behind the savepoint: some come again.
      GoldenSavepoint.send(kafka, GoldenSavepoint.messages(TOPIC, 0, GoldenSavepoint.STOP));
      GoldenSavepoint.send(
          kafka,
          GoldenSavepoint.messages(TOPIC, GoldenSavepoint.STOP - 4, GoldenSavepoint.SECONDS));
      GoldenSavepoint.send(kafka, GoldenSavepoint.end(TOPIC));
      found = outcome(kafka, GoldenSavepoint.start(kafka, TOPIC, 3, unpacked(name, kafka)));
    }
    whole.reports.forEach(
        (analysis, windows) -> {
          SortedMap<Long, List<String>> after = found.reports.get(analysis);
          long first = after.firstKey();
          if (analysis.equals("heavy") && name.equals(BEFORE_DEFAULT)) {
            assertTrue(first >= STOP + 4 * TestFlow.SECOND, "it begins with a whole window");
          } else {
            assertTrue(
                first <= STOP + 2 * TestFlow.SECOND, analysis + " goes on with open windows");
          }
          assertEquals(windows.tailMap(first), after, name + " " + analysis);
        });
    SortedMap<String, String> alerts = new TreeMap<>(whole.alerts);
    alerts.keySet().retainAll(found.alerts.keySet());
    assertEquals(alerts, found.alerts, name);
    assertTrue(
        found.alerts.values().stream().anyMatch(alert -> isOfBefore(alert)),
        "an alert of before the savepoint is resolved: " + found.alerts);
  }

  private static boolean isOfBefore(String alert) {
    Matcher since = Pattern.compile("\"since\":\"([^\"]+)\"").matcher(alert);
    String stop = Instant.ofEpochSecond(STOP / TestFlow.SECOND).toString();
    return alert.contains("resolved") && since.find() && since.group(1).compareTo(stop) <= 0;
  }

  private static String unpacked(String name, TestKafka kafka) throws Exception {
    String id = FlowTopic.lookUp(GoldenSavepoint.config(kafka, TOPIC, 1).kafka()).id();
    try (InputStream golden =
        Objects.requireNonNull(
            GoldenSavepointTest.class.getResourceAsStream("/savepoints/" + name + ".gz"))) {
      return GoldenSavepoint.unpack(golden, directory.resolve(name).resolve("savepoint"), id)
          .toUri()
          .toString();
    }
  }

  /** Awaits the last window of each analysis, and the checkpoint that sends the last alerts. */
  private static Outcome outcome(TestKafka kafka, JobClient job) throws Exception {
    Outcome outcome;
    do {
      Thread.sleep(50); // bounded by the test's limit
      if (job.getJobStatus().get().isGloballyTerminalState()) {
        job.getJobExecutionResult().get(); // throws why
      }
      outcome = read(kafka);
    } while (!isEnded(outcome));
    Thread.sleep(500);
    job.stopWithSavepoint(
            false, directory.resolve("ended").toUri().toString(), SavepointFormatType.NATIVE)
        .get();
    return read(kafka);
  }

  private static boolean isEnded(Outcome outcome) {
    return outcome.reports.entrySet().stream()
        .allMatch(
            windows ->
                windows
                    .getValue()
                    .containsKey(TestFlow.START + LAST.get(windows.getKey()) * TestFlow.SECOND));
  }

  private static Outcome read(TestKafka kafka) throws Exception {
    Map<String, SortedMap<Long, List<String>>> reports = new TreeMap<>();
    for (String analysis : GoldenSavepoint.analyses().keySet()) {
      ReportWindows windows = new ReportWindows(0);
      for (var message : kafka.records("flowmon.reports." + analysis)) {
        windows.add(ReportRow.parse(message.value()), message.value());
      }
      SortedMap<Long, List<String>> rows = new TreeMap<>();
      for (ReportWindows.Window window : windows.waiting()) {
        List<String> lines = new ArrayList<>();
        for (ReportRow row : window.parsed()) {
          Map<String, Object> confidence = row.confidence();
          lines.add(
              row.columns()
                  + " groups "
                  + confidence.get("groups")
                  + " late "
                  + confidence.get("late_flows")
                  + " lost "
                  + confidence.get("lost_flows"));
        }
        rows.put(window.end(), lines);
      }
      reports.put(analysis, rows);
    }
    SortedMap<String, String> alerts = new TreeMap<>();
    for (var message : kafka.records("flowmon.alerts")) {
      String text = new String(message.value(), StandardCharsets.UTF_8);
      Matcher alert = ALERT.matcher(text);
      assertTrue(alert.find(), text);
      alerts.put(
          alert.group(1) + " " + alert.group(2), alert.group(3) + " until " + alert.group(4));
    }
    return new Outcome(reports, alerts);
  }
}
