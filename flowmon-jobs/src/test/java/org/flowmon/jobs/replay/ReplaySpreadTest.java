package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
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
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.report.Report;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Divided flows, live and in a replay. */
class ReplaySpreadTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long START = TestFlow.START;
  private static final long SEED = 61;

  @TempDir private Path directory;

  private static AnalysisConfig analysis(String window, String slide, String lateness) {
    return AnalysisConfig.parse(
        "spread.yaml",
        """
        name: spread
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes, SUM(packets) AS packets, COUNT(*) AS n FROM flows
            GROUP BY src_addr ORDER BY bytes DESC LIMIT 10
          window: %s
          slide: %s
          lateness: %s
          spread: true
          slots: 64
        report:
          logic: live
        """
            .formatted(window, slide, lateness));
  }

  /**
   * Returns flows in the order of arrival; some last long, some end after they arrived by clocks
   * that run fast.
   */
  private static List<FlowBatch> batches() {
    SplittableRandom random = new SplittableRandom(SEED);
    List<FlowBatch> batches = new ArrayList<>();
    for (int b = 0; b < 40; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(200);
      for (int i = 0; i < 200; i++) {
        long arrival = START + (b * 200 + i) * SECOND / 100;
        long end = arrival - random.nextLong(SECOND);
        int kind = random.nextInt(40);
        if (kind == 0) {
          end = arrival + random.nextLong(600 * SECOND);
        } else if (kind == 1) {
          end = arrival + 3_600 * SECOND;
        }
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, arrival);
        builder.set(
            FlowColumn.START_TIME, end - random.nextLong(kind < 15 ? 700 * SECOND : SECOND));
        builder.set(FlowColumn.END_TIME, end);
        builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(random.nextInt(40)));
        builder.set(FlowColumn.BYTES, random.nextInt(1_000_000));
        builder.set(FlowColumn.PACKETS, 1 + random.nextInt(100));
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, b, 200L * (b + 1), 0)));
    }
    return batches;
  }

  /** Returns the windows within a range, by their ends. */
  private static Map<Long, String> live(
      AnalysisConfig analysis, List<FlowBatch> batches, long from, long to) {
    LiveQuery live = LiveQuery.of(analysis);
    Map<Integer, WindowTables> tables = new HashMap<>();
    LowLevelQuery low =
        new LowLevelQuery(
            live.id(),
            live.query(),
            live.window(),
            64,
            4,
            (keyGroup, bytes) ->
                tables
                    .computeIfAbsent(
                        keyGroup, k -> new WindowTables(live.id(), live.query(), live.window()))
                    .merge(PartialGroups.open(bytes)));
    Map<Long, Map<Integer, WindowPart>> parts = new TreeMap<>();
    for (FlowBatch batch : batches) {
      low.process(batch);
      close(low, tables, batch.maxArrival() - 1, parts);
    }
    low.drainAll();
    close(low, tables, Long.MAX_VALUE / 4, parts);
    assertEquals(0, low.counts().behindWatermark());
    Map<Long, String> windows = new TreeMap<>();
    parts.forEach(
        (end, byKeyGroup) -> {
          if (end - live.window().widthMicros() >= from && end <= to) {
            WindowPart all = null;
            for (WindowPart part : byKeyGroup.values()) {
              if (all == null) {
                all = part;
              } else {
                all.merge(part);
              }
            }
            windows.put(end, all.result().toString());
          }
        });
    return windows;
  }

  private static void close(
      LowLevelQuery low,
      Map<Integer, WindowTables> tables,
      long watermark,
      Map<Long, Map<Integer, WindowPart>> parts) {
    low.closePanesUpTo(watermark);
    while (!low.drainSome(1024)) {
      // until all closed panes are out
    }
    // A revised part replaces the one before.
    tables.forEach(
        (keyGroup, table) ->
            table.closeUpTo(
                watermark,
                part ->
                    parts
                        .computeIfAbsent(part.windowEnd(), end -> new TreeMap<>())
                        .put(keyGroup, part)));
  }

  private ArchiveLocation archive(List<FlowBatch> batches) throws Exception {
    ArchiveLocation location = ArchiveLocation.of(directory.resolve("archive"));
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      ImportedFile file = new ImportedFile(String.format("%064x", SEED), "test", 1);
      try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
        for (FlowBatch batch : batches) {
          importer.add(batch);
        }
        importer.commit("test");
      }
    }
    return location;
  }

  private static Map<Long, String> replayed(ReplaySpec spec, int parallelism) throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism);
    env.setMaxParallelism(16);
    Map<Long, String> rows = new TreeMap<>();
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        String twice = rows.put(report.windowEnd(), report.rows().toString());
        assertEquals(null, twice, "of each window the final report only");
      }
    }
    return rows;
  }

  @Test
  void aReplayDividesFlowsAsTheLiveJobDid() throws Exception {
    List<FlowBatch> batches = batches();
    ArchiveLocation archive = archive(batches);
    long from = START + 5 * SECOND;
    long to = START + 60 * SECOND;
    List<AnalysisConfig> analyses =
        List.of(analysis("2s", "2s", "0s"), analysis("6s", "2s", "15s"));
    for (AnalysisConfig analysis : analyses) {
      Map<Long, String> expected = live(analysis, batches, from, to);
      assertTrue(expected.size() > 20, expected.size() + " windows");
      ReplaySpec spec =
          new ReplaySpec(
              List.of(archive), analysis, from, to, Duration.ofSeconds(2), Duration.ZERO);
      for (int parallelism : new int[] {1, 2}) {
        assertEquals(
            expected,
            replayed(spec, parallelism),
            "seed " + SEED + ", " + analysis.live() + ", parallelism " + parallelism);
      }
    }
  }
}
