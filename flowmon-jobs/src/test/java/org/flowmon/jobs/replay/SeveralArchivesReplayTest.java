package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.json.ReportJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay over the parts of an archive gives the reports of a replay over the whole. */
class SeveralArchivesReplayTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long HOUR = 3600 * SECOND;
  private static final long DAY = 24 * HOUR;

  @TempDir private Path directory;

  private int files;

  private static AnalysisConfig analysis(String time) {
    return AnalysisConfig.parse(
        "elephants.yaml",
        """
        name: elephants
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes, QUANTILE(QUANTILES(bytes), 0.9) AS p90 FROM flows
            GROUP BY src_addr ORDER BY bytes DESC, src_addr LIMIT 20
          window: 10s
          time: %s
          slots: 64
        history:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes FROM flows
            WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 2)
            GROUP BY src_addr
          delay: 12h
          timeout: 30s
        report:
          query: |
            SELECT live.src_addr AS src_addr, live.bytes AS bytes, live.p90 AS p90,
              history.bytes AS before, :days_used AS days_used, :days_missing AS days_missing
            FROM live LEFT JOIN history ON live.src_addr = history.src_addr
        """
            .formatted(time));
  }

  private ArchiveLocation archive(String name, List<List<FlowBatch>> imports) throws Exception {
    ArchiveLocation location = ArchiveLocation.of(directory.resolve(name));
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      for (List<FlowBatch> batches : imports) {
        ImportedFile file = new ImportedFile(String.format("%064x", ++files), "test", 1);
        try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
          for (FlowBatch batch : batches) {
            importer.add(batch);
          }
          importer.commit("test");
        }
      }
    }
    return location;
  }

  private static List<FlowBatch> part(List<FlowBatch> all, int part) {
    List<FlowBatch> some = new ArrayList<>();
    for (int i = part; i < all.size(); i += 2) {
      some.add(all.get(i));
    }
    return some;
  }

  private static List<String> replayed(List<ArchiveLocation> archives, AnalysisConfig analysis)
      throws Exception {
    ReplaySpec spec =
        new ReplaySpec(
            archives,
            analysis,
            TestFlow.START,
            TestFlow.START + 60 * SECOND,
            Duration.ofSeconds(2),
            Duration.ZERO);
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    env.setMaxParallelism(16);
    List<String> messages = new ArrayList<>();
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      reports.forEachRemaining(report -> ReportJson.lines(report, messages::add));
    }
    messages.sort(null);
    return messages;
  }

  @Test
  void theReportsOfPartsAreThoseOfTheWhole() throws Exception {
    List<FlowBatch> today = TestFlow.batches(TestFlow.random(61, 9_000, 90, 60), 100, 1);
    List<TestFlow> before = new ArrayList<>();
    for (TestFlow flow : TestFlow.random(62, 6_000, 200, 60)) {
      Long end = flow.endTime() == null ? null : flow.endTime() - DAY;
      before.add(
          new TestFlow(flow.arrival() - DAY, end, flow.source(), flow.bytes(), flow.outgoing()));
    }
    // The history of the whole hour that is asked for.
    long begin = TestFlow.START - DAY;
    before.add(
        0, new TestFlow(begin - 3 * HOUR, begin - 3 * HOUR, before.get(0).source(), 1, false));
    before.add(new TestFlow(begin + 3 * HOUR, begin + 3 * HOUR, before.get(0).source(), 1, false));
    List<FlowBatch> yesterday = TestFlow.batches(before, 100, 1);
    ArchiveLocation whole = archive("whole", List.of(yesterday, today));
    List<ArchiveLocation> halves =
        List.of(
            archive("even", List.of(part(yesterday, 0), part(today, 0))),
            archive("odd", List.of(part(yesterday, 1), part(today, 1))));
    List<ArchiveLocation> days =
        List.of(archive("today", List.of(today)), archive("yesterday", List.of(yesterday)));
    for (String time : List.of("end_time", "arrival")) {
      List<String> expected = replayed(List.of(whole), analysis(time));
      assertTrue(expected.size() > 100, expected.size() + " rows");
      assertTrue(
          expected.stream().anyMatch(row -> row.contains("\"days_used\":1")), expected.get(0));
      assertTrue(
          expected.stream().anyMatch(row -> !row.contains("\"before\":null")), expected.get(0));
      assertEquals(expected, replayed(halves, analysis(time)), time + ", by rows");
      assertEquals(expected, replayed(days, analysis(time)), time + ", by days");
    }
  }
}
