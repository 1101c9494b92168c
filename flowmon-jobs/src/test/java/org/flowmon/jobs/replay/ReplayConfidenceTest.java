package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The confidence of a replay's reports. */
class ReplayConfidenceTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long START = TestFlow.START;

  @TempDir private Path directory;

  @Test
  void sampledFlowsAreSaidToBeWhateverColumnsTheQueryReads() throws Exception {
    AnalysisConfig analysis =
        AnalysisConfig.parse(
            "talkers.yaml",
            """
            name: talkers
            live:
              query: |
                SELECT src_addr, SUM(bytes) AS bytes FROM flows
                GROUP BY src_addr ORDER BY bytes DESC LIMIT 3
              window: 2s
              slots: 64
            report:
              logic: live
            """);
    ArchiveLocation location = ArchiveLocation.of(directory.resolve("archive"));
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      ImportedFile file = new ImportedFile(String.format("%064x", 62), "test", 1);
      try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
        importer.add(flows());
        importer.commit("test");
      }
    }
    ReplaySpec spec =
        new ReplaySpec(
            List.of(location),
            analysis,
            START,
            START + 10 * SECOND,
            Duration.ofSeconds(2),
            Duration.ZERO);
    StreamExecutionEnvironment env = LocalFlink.environment(1);
    env.setMaxParallelism(16);
    long flows = 0;
    long sampled = 0;
    long rate = 0;
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (reports.hasNext()) {
        ArrivalCounts counts = reports.next().confidence().counts();
        flows += counts.flows();
        sampled += counts.sampled();
        rate = Math.max(rate, counts.samplingRate());
      }
    }
    assertTrue(flows > 0, "flows are counted");
    assertEquals(10, rate);
    assertEquals(flows / 2, sampled, "of " + flows + " flows");
  }

  /** Returns a thousand flows in ten seconds, each second one sampled. */
  private static FlowBatch flows() {
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    for (int i = 0; i < 1000; i++) {
      long time = START + i * SECOND / 100;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      builder.set(FlowColumn.END_TIME, time);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(i % 7));
      builder.set(FlowColumn.BYTES, 1 + i);
      if (i % 2 == 0) {
        builder.set(FlowColumn.SAMPLING_RATE, 10);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, 1000, 0));
  }
}
