package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;

/** An archive with a past, and lookups of it. */
abstract class HistoryFixture extends ArchivedHistory {
  // Of the last answered lookup.
  final AtomicLong waitedNanos = new AtomicLong();

  final AtomicLong ranNanos = new AtomicLong();

  Map<String, HistoryAnswer> run(List<AnalysisConfig> analyses, WindowResult... windows)
      throws Exception {
    return run(analysis -> List.of(), analyses, windows);
  }

  Map<String, HistoryAnswer> run(
      SeenLookup.Calls calls, List<AnalysisConfig> analyses, WindowResult... windows)
      throws Exception {
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment env = LocalFlink.environment(1, options);
    Map<String, HistoryAnswer> answers = new TreeMap<>();
    try (CloseableIterator<WindowHistory> results =
        HistoryOperator.apply(
                env.fromData(WindowResult.TYPE, windows),
                new HistoryOperator.Settings(
                        List.of(ArchiveLocation.of(directory)),
                        analyses,
                        DELAY,
                        TOPIC,
                        disorder,
                        HistoryOperator.Pace.LIVE)
                    .with(calls))
            .executeAndCollect()) {
      while (results.hasNext()) {
        WindowHistory result = results.next();
        assertNull(answers.put(result.window().analysis(), result.history()));
      }
    }
    return answers;
  }

  static HistoryQuery hourly() {
    return new HistoryQuery(
        hourly("elephants", "end_time < :now"), DELAY, TOPIC, Duration.ZERO, cache());
  }

  HistoryLookup lookup(
      Archives archive, LookupPool pool, String timeout, CompletableFuture<HistoryAnswer> answer) {
    return lookup(archive, pool, timeout, new RunningLookups(), answer);
  }

  HistoryLookup lookup(
      Archives archive,
      LookupPool pool,
      String timeout,
      RunningLookups lookups,
      CompletableFuture<HistoryAnswer> answer) {
    return new HistoryLookup(
        new AnalysisLookups(
            archive,
            new HistoryQuery(
                elephants("elephants", timeout), DELAY, TOPIC, Duration.ZERO, Optional.empty()),
            pool,
            new Semaphore(1),
            lookups),
        window(100, A, 60),
        true,
        (result, waited, ran) -> {
          waitedNanos.set(waited);
          ranNanos.set(ran);
          assertTrue(answer.complete(result), "one answer only");
        });
  }

  static AnalysisConfig hourly(String name, String filter) {
    AnalysisConfig config = TestReports.elephants("");
    return new AnalysisConfig(
        name,
        config.live(),
        new AnalysisConfig.History(
            "SELECT src_addr, SUM(bytes) AS bytes, 1 AS day FROM flows WHERE "
                + filter
                + " GROUP BY src_addr",
            null,
            Duration.ofHours(1),
            4,
            Duration.ofSeconds(5),
            1000),
        config.report(),
        config.sinks(),
        List.of(),
        Places.NONE);
  }
}
