package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrivalQueryTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long START = TestFlow.START;
  private static final long SEED = 81;

  @TempDir private Path directory;

  @Test
  void theArchiveCountsWhatArrivedAsTheLowLevelDoes() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    List<FlowBatch> batches = new ArrayList<>();
    for (int b = 0; b < 30; b++) {
      batches.add(batch(random, b));
    }
    ArchiveLocation location = ArchiveLocation.of(directory.resolve("archive"));
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      ImportedFile file = new ImportedFile(String.format("%064x", SEED), "test", 1);
      try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
        for (FlowBatch batch : batches) {
          importer.add(batch);
        }
        importer.commit("test");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (AnalysisConfig analysis :
            List.of(
                analysis("2s", "2s", "0s", ""),
                analysis("2s", "2s", "1s", ""),
                analysis("6s", "2s", "1500ms", ""),
                analysis("2s", "2s", "0s", "time: arrival"),
                analysis("2s", "2s", "3s", "spread: true"),
                analysis("4s", "2s", "1s", "spread: true"))) {
          LiveQuery live = LiveQuery.of(analysis);
          SortedMap<Long, ArrivalCounts> expected = expected(live, batches);
          long end = START + 1000 * SECOND;
          assertEquals(
              expected,
              new ArrivalQuery(live).counts(List.of(snapshot), START - 1000 * SECOND, end),
              "seed " + SEED + ", " + analysis.live());
          ArrivalCounts all =
              expected.values().stream().reduce(ArrivalCounts.NONE, ArrivalCounts::plus);
          boolean byArrival = live.window().timeColumn() == FlowColumn.ARRIVAL;
          assertTrue(byArrival == (all.late() == 0) && byArrival == (all.ahead() == 0), all + "");
          assertTrue(all.sampled() > 0 && all.sampled() < all.flows(), all + "");
          long middle = START + 30 * SECOND;
          assertEquals(
              expected.subMap(START, middle),
              new ArrivalQuery(live).counts(List.of(snapshot), START, middle));
        }
      }
    }
  }

  private static FlowBatch batch(SplittableRandom random, int number) {
    FlowBatchBuilder builder = new FlowBatchBuilder(200);
    for (int i = 0; i < 200; i++) {
      long arrival = START + (number * 200 + i) * SECOND / 100;
      int kind = random.nextInt(20);
      long end = arrival - random.nextLong(SECOND);
      if (kind < 5) {
        end = arrival - random.nextLong(12 * SECOND);
      } else if (kind == 5) {
        end = arrival + 3_600 * SECOND + random.nextInt(3) - 1;
      }
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrival);
      if (kind != 6) {
        builder.set(FlowColumn.END_TIME, end);
      }
      if (kind != 7) {
        long start = end - random.nextLong(kind < 10 ? 20 * SECOND : SECOND);
        builder.set(FlowColumn.START_TIME, kind == 8 ? end : kind == 9 ? end + 1 : start);
      }
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(random.nextInt(40)));
      builder.set(FlowColumn.BYTES, random.nextInt(1_000_000));
      if (random.nextInt(3) > 0) {
        builder.set(FlowColumn.OUTGOING, random.nextInt(2));
      }
      if (random.nextBoolean()) {
        builder.set(FlowColumn.SAMPLING_RATE, random.nextInt(3) * 10L + 1);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, number, 200L * (number + 1), 0));
  }

  private static AnalysisConfig analysis(
      String window, String slide, String lateness, String more) {
    return AnalysisConfig.parse(
        "talkers.yaml",
        """
        name: talkers
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes FROM flows
            WHERE outgoing IS NOT TRUE OR bytes > 900000 GROUP BY src_addr
          window: %s
          slide: %s
          lateness: %s
          slots: 64
          %s
        report:
          logic: live
        """
            .formatted(window, slide, lateness, more));
  }

  private static SortedMap<Long, ArrivalCounts> expected(LiveQuery live, List<FlowBatch> batches) {
    LowLevelQuery low =
        new LowLevelQuery(live.id(), live.query(), live.window(), 64, 4, (keyGroup, bytes) -> {});
    SortedMap<Long, ArrivalCounts> counts = new TreeMap<>();
    for (FlowBatch batch : batches) {
      low.process(batch);
      low.arrivalsOfBatch(
          (pane, flows, late, ahead, sampled, rate) ->
              counts.merge(
                  pane,
                  new ArrivalCounts(flows, late, ahead, 0, sampled, rate),
                  ArrivalCounts::plus));
    }
    counts.values().removeIf(ArrivalCounts.NONE::equals);
    return counts;
  }
}
