package org.flowmon.archive.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompactionTest {
  private static final List<String> QUERIES =
      List.of(
          "SELECT src_addr, SUM(bytes), COUNT(*) FROM flows GROUP BY src_addr",
          "SELECT dst_addr, dst_port, COUNT(*), MIN(start_time), MAX(arrival) FROM flows"
              + " WHERE protocol = 6 GROUP BY dst_addr, dst_port",
          "SELECT service, AVG(packets), SUM(reverse_bytes) FROM flows WHERE outgoing GROUP BY"
              + " service");

  @TempDir Path directory;

  private Archive archive() throws IOException {
    return Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS);
  }

  private static List<String> answers(ArchiveSnapshot snapshot) throws IOException {
    List<String> answers = new ArrayList<>();
    for (String query : QUERIES) {
      answers.add(run(snapshot, query).toString());
    }
    // Every value of every row, in an order of its own.
    TreeSet<String> rows = new TreeSet<>();
    List<String> lines = run(snapshot, "SELECT * FROM flows").toString().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      rows.add(lines.get(i) + (rows.contains(lines.get(i)) ? " again" + i : ""));
    }
    assertEquals(lines.size(), rows.size());
    answers.add(String.join("\n", rows).replaceAll(" again\\d+", " again"));
    return answers;
  }

  private static ResultTable run(ArchiveSnapshot snapshot, String query) throws IOException {
    return ArchiveQuery.run(snapshot, QueryParser.parse(query), QueryOptions.DEFAULTS).table();
  }

  private static FlowBatch stray(Random random) {
    FlowBatchBuilder builder = new FlowBatchBuilder(10);
    for (int i = 0; i < 5; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, Traffic.NOW + i);
      // Clocks from long ago, from the future, and days before.
      builder.set(
          FlowColumn.END_TIME,
          i < 2 ? random.nextLong() >> 1 : Traffic.NOW - random.nextInt(60) * Traffic.DAY);
      builder.set(FlowColumn.BYTES, 10);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 1, 0, 0));
  }

  private static void sound(Path directory) throws IOException {
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertEquals(List.of(), report.damages());
    assertEquals(List.of(), report.orphans());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void mergingChangesNoAnswer(long seed) throws IOException {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(seed, seed % 2 == 0, seed % 3 == 0 ? 0 : 0.05);
    List<String> before;
    try (Archive archive = archive()) {
      for (int i = 0; i < 40; i++) {
        double from = random.nextDouble();
        List<FlowBatch> batches =
            new ArrayList<>(
                traffic.batches(
                    1 + random.nextInt(600), from, Math.min(1, from + random.nextDouble() / 5)));
        if (random.nextInt(4) == 0) {
          batches.add(stray(random));
        }
        Traffic.commit(archive, batches);
      }
      ArchiveSnapshot old = archive.snapshot();
      before = answers(old);
      List<SealedSegment> were = old.segments();

      Compactor compactor = new Compactor(archive, new CompactionOptions(800, 2500));
      int steps = 0;
      while (compactor.step(() -> false) != null) {
        steps++;
        assertTrue(steps < 200, "compaction comes to an end");
      }
      assertTrue(steps > 0);
      try (ArchiveSnapshot now = archive.snapshot()) {
        assertTrue(now.segments().size() < were.size(), now.segments().size() + " segments");
        assertEquals(before, answers(now));
        assertEquals(old.rows(), now.rows());
        assertEquals(old.committedEnds(), now.committedEnds());
      }
      // A reader still has the old state: its files stay.
      assertEquals(List.of(), archive.removeReplaced(Duration.ZERO));
      assertEquals(before, answers(old));
      old.close();
      Set<String> gone = new HashSet<>(archive.removeReplaced(Duration.ZERO));
      assertNotEquals(Set.of(), gone);
      assertEquals(List.of(), archive.removeReplaced(Duration.ZERO));
      try (ArchiveSnapshot now = archive.snapshot();
          Stream<Path> files = Files.list(archive.segmentsDirectory())) {
        assertEquals(2L * now.segments().size(), files.count());
      }
    }
    sound(directory);
    try (Archive reopened = archive();
        ArchiveSnapshot snapshot = reopened.snapshot()) {
      assertEquals(before, answers(snapshot));
    }
  }

  @Test
  void aReplacementOfWhatIsGoneOrOfOtherRowsIsRefused() throws IOException {
    Traffic traffic = new Traffic(9, false, 0);
    try (Archive archive = archive()) {
      List<SealedSegment> small = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        small.add(Traffic.commit(archive, traffic.batches(50, 0.51, 0.52)));
      }
      List<String> ids = small.stream().map(SealedSegment::id).toList();
      ArchiveCommit wrong =
          ArchiveCommit.ofReplacement(
              List.of(
                  new org.flowmon.archive.segment.writer.SegmentWriter()
                      .seal(
                          archive.segmentsDirectory(),
                          traffic.batches(450, 0.5, 0.6),
                          org.flowmon.archive.segment.Provenance.NONE)),
              ids,
              RowSums.NONE,
              "test");
      assertEquals(
          CommitRefusedException.Reason.ROWS_DIFFER,
          assertThrows(CommitRefusedException.class, () -> archive.commit(wrong)).reason());
      CompactionOptions options = new CompactionOptions(1000, 1000);
      assertEquals(9, new Compactor(archive, options).step(() -> false).replaced());
      assertEquals(
          CommitRefusedException.Reason.SEGMENT_GONE,
          assertThrows(CommitRefusedException.class, () -> archive.commit(wrong)).reason());
      assertNull(new Compactor(archive, options).step(() -> false));
    }
  }

  @Test
  void aStoppedMergeChangesNothing() throws IOException {
    Traffic traffic = new Traffic(9, false, 0);
    try (Archive archive = archive()) {
      for (int i = 0; i < 9; i++) {
        Traffic.commit(archive, traffic.batches(50, 0.51, 0.52));
      }
      int[] asked = {0};
      Compactor compactor = new Compactor(archive, new CompactionOptions(1000, 1000));
      assertNull(compactor.step(() -> asked[0]++ > 0));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(9, snapshot.segments().size());
      }
    }
    sound(directory);
  }

  @Test
  void aDamagedSegmentIsLeftAloneAndTheOthersAreMerged() throws IOException {
    Traffic traffic = new Traffic(9, false, 0);
    SealedSegment hurt;
    try (Archive archive = archive()) {
      hurt = Traffic.commit(archive, traffic.batches(50, 0.51, 0.52));
      for (int i = 0; i < 9; i++) {
        Traffic.commit(archive, traffic.batches(50, 0.51, 0.52));
      }
      Path file = archive.segmentsDirectory().resolve(hurt.fileName());
      byte[] bytes = Files.readAllBytes(file);
      bytes[100] ^= 1;
      Files.write(file, bytes);
      Compactor compactor = new Compactor(archive, new CompactionOptions(1000, 1000));
      assertEquals(9, compactor.step(() -> false).replaced());
      assertEquals(Set.of(hurt.id()), compactor.damaged());
      assertNull(compactor.step(() -> false));
    }
    assertEquals(1, ArchiveVerifier.verify(directory).damages().size());
  }

  /** Flows of one day that arrive 40 days later, beside others of that day: merging ends. */
  @Test
  void straysOfOneDayAreMergedOnce() throws IOException {
    Traffic traffic = new Traffic(12, false, 0);
    try (Archive archive = archive()) {
      for (int i = 0; i < 10; i++) {
        Traffic.commit(archive, traffic.batches(30 + 10 * i, 0.51, 0.52));
        FlowBatchBuilder builder = new FlowBatchBuilder(100);
        for (int row = 0; row < 50; row++) {
          builder.beginRow();
          builder.set(FlowColumn.END_TIME, Traffic.BEGIN + 515 * Traffic.DAY / 100);
          builder.set(FlowColumn.ARRIVAL, Traffic.NOW + 40 * Traffic.DAY);
          builder.endRow();
        }
        Traffic.commit(archive, List.of(FlowBatch.open(builder.build(1, i, 0, 0))));
      }
      Compactor compactor = new Compactor(archive, new CompactionOptions(10_000, 10_000));
      int steps = 0;
      while (compactor.step(() -> false) != null) {
        assertTrue(++steps < 10, "compaction comes to an end");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(1, snapshot.segments().size());
      }
      assertEquals(20, archive.removeReplaced(Duration.ZERO).size());
    }
    sound(directory);
  }

  @Test
  void filesStayForTheGraceAndAreNoOrphans() throws IOException {
    Traffic traffic = new Traffic(9, false, 0);
    try (Archive archive = archive()) {
      for (int i = 0; i < 9; i++) {
        Traffic.commit(archive, traffic.batches(50, 0.51, 0.52));
      }
      new Compactor(archive, new CompactionOptions(1000, 1000)).step(() -> false);
      assertEquals(List.of(), archive.removeReplaced(Duration.ofHours(1)));
      assertEquals(List.of(), archive.orphans());
    }
    sound(directory);
    try (Archive archive = archive()) {
      assertEquals(9, archive.removeReplaced(Duration.ZERO).size());
    }
    sound(directory);
  }

  /** Each answer must be that of some commit, whatever is merged and deleted meanwhile. */
  @Test
  void readersSeeOneStateWhileOthersCommitMergeAndDelete() throws Exception {
    int commits = 120;
    long[] rowsAfter = new long[commits + 1];
    Traffic traffic = new Traffic(31, false, 0.02);
    Random random = new Random(31);
    List<List<FlowBatch>> all = new ArrayList<>();
    for (int i = 0; i < commits; i++) {
      int rows = 20 + random.nextInt(300);
      all.add(traffic.batches(rows, 0.5, 0.52 + random.nextDouble() / 4));
      rowsAfter[i + 1] = rowsAfter[i] + rows;
    }
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Archive archive = Archive.openOrCreate(directory, new ArchiveOptions(8, 4))) {
      List<Future<Integer>> running = new ArrayList<>();
      running.add(
          threads.submit(
              () -> {
                for (List<FlowBatch> batches : all) {
                  Traffic.commit(archive, batches);
                }
                done.set(true);
                return commits;
              }));
      running.add(
          threads.submit(
              () -> {
                Compactor compactor = new Compactor(archive, new CompactionOptions(2000, 5000));
                int steps = 0;
                boolean last;
                do {
                  last = done.get();
                  while (compactor.step(() -> false) != null) {
                    steps++;
                  }
                  archive.removeReplaced(Duration.ZERO);
                } while (!last);
                return steps;
              }));
      for (int reader = 0; reader < 2; reader++) {
        running.add(
            threads.submit(
                () -> {
                  int asked = 0;
                  long seen = 0;
                  boolean last;
                  do {
                    last = done.get();
                    try (ArchiveSnapshot snapshot = archive.snapshot()) {
                      ResultTable table = run(snapshot, "SELECT COUNT(*) AS n FROM flows");
                      long rows = table.longValue(0, 0);
                      assertTrue(
                          java.util.Arrays.binarySearch(rowsAfter, rows) >= 0,
                          rows + " rows are those of no commit");
                      assertTrue(rows >= seen, "goes back");
                      seen = rows;
                      asked++;
                    }
                  } while (!last || seen < rowsAfter[commits]);
                  return asked;
                }));
      }
      for (Future<Integer> one : running) {
        assertTrue(one.get() > 0);
      }
      archive.removeReplaced(Duration.ZERO);
      try (ArchiveSnapshot snapshot = archive.snapshot();
          Stream<Path> files = Files.list(archive.segmentsDirectory());
          Stream<Path> manifest = Files.list(directory.resolve("manifest"))) {
        assertTrue(snapshot.segments().size() < commits / 3);
        assertEquals(2L * snapshot.segments().size(), files.count());
        assertTrue(manifest.count() < 30, "old commits are deleted");
      }
    } finally {
      threads.shutdownNow();
    }
    sound(directory);
  }
}
