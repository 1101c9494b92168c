package org.flowmon.archive.days;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.flowmon.archive.derived.ForeignRunException;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs agree with the rows of their segments, in whatever order they were made and merged. */
class DaySumsTest {
  private static final UUID ARCHIVE = new UUID(1, 2);
  private static final String SEGMENTS = "segments";

  @TempDir Path directory;

  private final Map<String, List<FlowBatch>> rows = new HashMap<>();
  private static final Map<List<Measure>, Integer> COMPARED = new HashMap<>();
  private final SegmentWriter writer = new SegmentWriter();

  @BeforeEach
  void folders() throws IOException {
    Files.createDirectories(directory.resolve(SEGMENTS));
  }

  private SealedSegment seal(List<FlowBatch> flows) throws IOException {
    SealedSegment segment = writer.seal(directory.resolve(SEGMENTS), flows, Provenance.NONE);
    rows.put(segment.id(), flows);
    return segment;
  }

  private static BitSet all(List<SealedSegment> segments) {
    BitSet all = new BitSet();
    all.set(0, segments.size());
    return all;
  }

  private static RunUpdate.Done update(DaySums sums, List<SealedSegment> segments)
      throws IOException {
    return sums.update(SEGMENTS, segments, all(segments), false, () -> false);
  }

  private static List<RunProblem> problems(ArchiveStore store, List<SealedSegment> segments)
      throws IOException {
    try (DaySums sums = new DaySums(store, ARCHIVE)) {
      return sums.check(SEGMENTS, segments);
    }
  }

  private List<Path> runs() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(DaySums.FOLDER))) {
      return files.toList();
    }
  }

  /** Each run agrees with the rows of all of its segments, on unspoilt days. */
  private void check(DaySums sums, long number, List<SealedSegment> segments, String context)
      throws IOException {
    RunView<DayRun> view = sums.view(number, segments);
    try {
      for (RunCover.Share<DayRun> share : view.shares()) {
        for (FlowColumn column : RollupFormat.DIMENSIONS) {
          List<FlowBatch> flows = new ArrayList<>();
          boolean estimates = true;
          for (DayRun.Share of : share.run().shares()) {
            if (of.has(column)) {
              flows.addAll(rows.get(of.segment().id()));
              estimates &= of.hasEstimates();
            }
          }
          List<Measure> measures = estimates ? DayCells.WITH_ESTIMATES : DayCells.WITHOUT_ESTIMATES;
          COMPARED.merge(measures, 1, Integer::sum);
          assertEquals(
              DayCells.ofRows(column, measures, flows),
              DayCells.ofRuns(column, measures, List.of(share.run())),
              context + ", " + column);
        }
      }
    } finally {
      view.release();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void runsSayWhatTheRowsOfTheirSegmentsSay(long seed) throws IOException {
    Random random = new Random(seed);
    List<SealedSegment> segments = new ArrayList<>();
    int merged = 0;
    int covered = 0;
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
        DaySums sums = new DaySums(store, ARCHIVE)) {
      for (int step = 0; step < 12; step++) {
        int fresh = 1 + random.nextInt(4);
        for (int s = 0; s < fresh; s++) {
          DayTraffic traffic =
              new DayTraffic(
                  100 * seed + 10L * step + s,
                  random.nextInt(3) == 0 ? 0 : random.nextDouble() * 0.5,
                  random.nextInt(4) == 0);
          double from = random.nextInt(6);
          double days = random.nextInt(3) == 0 ? 3 : 0.4;
          segments.add(
              seal(
                  traffic.batches(
                      random.nextInt(8) == 0 ? 1 : 1 + random.nextInt(2500), from, from + days)));
        }
        if (step % 4 == 3) {
          // A merged segment spoils its days, which are made again from the others.
          for (int gone = 1 + random.nextInt(3); gone > 0 && segments.size() > 1; gone--) {
            segments.remove(random.nextInt(segments.size()));
          }
        }
        RunUpdate.Done done = update(sums, segments);
        merged += done.merged();
        covered += done.covered();
        assertEquals(0, done.uncovered(), "seed " + seed);
        assertTrue(update(sums, segments).isNothing(), "seed " + seed);
        check(sums, step, segments, "seed " + seed + ", step " + step);
        assertEquals(0, sums.view(step, segments).uncoveredCount());
      }
    }
    assertTrue(merged > 3 && covered >= segments.size(), merged + " merged, " + covered);
    assertTrue(runs().size() < 8, runs().size() + " runs");
  }

  @AfterAll
  static void runsWithEstimatesAndWithoutWereCompared() {
    assertTrue(COMPARED.getOrDefault(DayCells.WITH_ESTIMATES, 0) > 20, COMPARED.toString());
    assertTrue(COMPARED.getOrDefault(DayCells.WITHOUT_ESTIMATES, 0) > 20, COMPARED.toString());
  }

  @Test
  void sumsBeyond64BitsStayExactWhenRunsAreMerged() throws IOException {
    List<SealedSegment> segments = new ArrayList<>();
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
        DaySums sums = new DaySums(store, ARCHIVE)) {
      for (int s = 0; s < 5; s++) {
        // 4 flows of 2^61 + s bytes each do not overflow 63 bits if they are one segment.
        org.flowmon.flow.FlowBatchBuilder builder = new org.flowmon.flow.FlowBatchBuilder(4);
        for (int row = 0; row < 2; row++) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, DayTraffic.BEGIN + s);
          builder.set(FlowColumn.END_TIME, DayTraffic.BEGIN + s);
          builder.setIpv4(FlowColumn.SRC_ADDR, 7);
          builder.setIpv4(FlowColumn.DST_ADDR, 8);
          builder.set(FlowColumn.BYTES, (1L << 61) + s);
          builder.endRow();
        }
        segments.add(seal(List.of(FlowBatch.open(builder.build(1, 0, 0, 0)))));
        update(sums, segments);
        check(sums, s, segments, "segment " + s);
      }
      assertTrue(runs().size() < 4, "some were merged");
    }
  }

  /** Segments whose sums did not pay contribute none. */
  @Test
  void aSegmentWithoutSumsIsNamedAndAnswersForItself() throws IOException {
    List<SealedSegment> segments =
        List.of(seal(org.flowmon.archive.rollup.DenseTraffic.ofDistinctAddresses(500)));
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
        DaySums sums = new DaySums(store, ARCHIVE)) {
      assertEquals(1, update(sums, segments).covered());
      RunView<DayRun> view = sums.view(1, segments);
      DayRun.Share share = view.shares().get(0).run().shares().get(0);
      assertEquals(List.of(false, true), RollupFormat.DIMENSIONS.stream().map(share::has).toList());
      view.release();
      check(sums, 1, segments, "distinct sources");
    }
  }

  @Test
  void whateverBytesOfARunAreChangedItIsRefusedOrTellsNoMoreThanItHas() throws IOException {
    Random random = new Random(11);
    List<SealedSegment> segments = new ArrayList<>();
    byte[] sound;
    Path run;
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
        DaySums sums = new DaySums(store, ARCHIVE)) {
      for (int s = 0; s < 3; s++) {
        segments.add(seal(new DayTraffic(s, 0.1, true).batches(900, s, s + 2)));
      }
      update(sums, segments);
      run = runs().get(0);
      sound = Files.readAllBytes(run);
    }
    int refused = 0;
    for (int i = 0; i < 4000; i++) {
      byte[] hurt = sound.clone();
      int flips = 1 + random.nextInt(3);
      for (int f = 0; f < flips; f++) {
        int at =
            random.nextBoolean()
                ? random.nextInt(hurt.length)
                : hurt.length - 1 - random.nextInt(400);
        hurt[at] = (byte) random.nextInt(256);
      }
      boolean repaired = i % 2 == 0;
      if (repaired) {
        repair(hurt);
      }
      refused += isRefused(hurt) ? 1 : 0;
    }
    for (int length = 1; length < sound.length; length += 37) {
      assertTrue(isRefused(java.util.Arrays.copyOf(sound, length)), "length " + length);
    }
    assertTrue(refused > 2000 && refused < 4000, refused + " refused");
    assertEquals(false, isRefused(sound));
  }

  /**
   * An update that does not read every byte first finds damage when it weighs runs against each
   * other.
   */
  @Test
  void moreSegmentsThanTheTablesHoldAreRefusedByTheirNumber() throws IOException {
    byte[] sound;
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
        DaySums sums = new DaySums(store, ARCHIVE)) {
      update(sums, List.of(seal(new DayTraffic(1, 0.1, true).batches(900, 0, 2))));
      sound = Files.readAllBytes(runs().get(0));
    }
    int tail = sound.length - DayRunFormat.FRAME.tailBytes();
    int bytes = ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).getInt(tail + 20);
    // The tables of two columns, then 11 bytes for each segment at least.
    for (int count : new int[] {(bytes - 2 * 36) / 11 + 1, bytes, Integer.MAX_VALUE, -1}) {
      byte[] hurt = sound.clone();
      ByteBuffer.wrap(hurt).order(ByteOrder.LITTLE_ENDIAN).putInt(tail + 16, count);
      repair(hurt);
      Path file = Files.write(directory.resolve(count + ".days"), hurt);
      SegmentCorruptException e =
          assertThrows(SegmentCorruptException.class, () -> DayRun.open(file, ARCHIVE).release());
      assertTrue(e.getMessage().contains("tables and " + count + " segments in "), e.toString());
    }
  }

  @Test
  void aRunWhoseDamageShowsWhenRunsAreMergedIsMadeAgain() throws IOException {
    for (boolean inHead : new boolean[] {false, true}) {
      List<SealedSegment> segments = new ArrayList<>();
      String context = inHead ? "head of the sums" : "dictionary";
      try (ArchiveStore store = ArchiveLocation.of(directory).openStore()) {
        try (DaySums sums = new DaySums(store, ARCHIVE)) {
          segments.add(seal(new DayTraffic(1, 0.1, true).batches(9000, 0, 2)));
          update(sums, segments);
        }
        Path run = runs().get(0);
        byte[] hurt = Files.readAllBytes(run);
        ByteBuffer file = ByteBuffer.wrap(hurt).order(ByteOrder.LITTLE_ENDIAN);
        int tail = hurt.length - DayRunFormat.FRAME.tailBytes();
        int tables = tail - file.getInt(tail + 20);
        assertTrue(file.getInt(tables + 24) > 13, context); // it has sums by source
        hurt[inHead ? file.getInt(tables + 20) + 13 : RunFrame.HEADER_BYTES + 1] ^= 4;
        Files.delete(run);
        Files.write(run, hurt);
        segments.add(seal(new DayTraffic(2, 0.1, true).batches(9000, 0, 2)));
        try (DaySums sums = new DaySums(store, ARCHIVE)) {
          update(sums, segments);
          assertTrue(!Files.exists(run), context);
          check(sums, 1, segments, context);
          assertEquals(List.of(), problems(store, segments), context);
          RunView<DayRun> view = sums.view(1, segments);
          assertEquals(0, view.uncoveredCount(), context);
          view.release();
        }
        for (Path one : runs()) {
          Files.delete(one);
        }
      }
    }
  }

  @Test
  void whereverASidecarIsDamagedTheOtherSegmentsAreCoveredAndNoSumIsWrong() throws IOException {
    Random random = new Random(21);
    List<SealedSegment> segments = new ArrayList<>();
    for (int s = 0; s < 2; s++) {
      segments.add(seal(new DayTraffic(s, 0.1, true).batches(9000, 0, 2)));
    }
    Path sidecar = directory.resolve(SEGMENTS).resolve(segments.get(0).indexFileName());
    byte[] sound = Files.readAllBytes(sidecar);
    int leftOut = 0;
    for (int round = 0; round < 150; round++) {
      String context = "seed 21, round " + round;
      byte[] hurt = sound.clone();
      hurt[random.nextInt(hurt.length)] ^= (byte) (1 << random.nextInt(8));
      Files.delete(sidecar);
      Files.write(sidecar, hurt);
      try (ArchiveStore store = ArchiveLocation.of(directory).openStore();
          DaySums sums = new DaySums(store, ARCHIVE)) {
        leftOut += update(sums, segments).covered() < 2 ? 1 : 0;
        check(sums, round, segments, context);
        RunView<DayRun> view = sums.view(round, segments);
        assertTrue(!view.uncovered().get(1), context);
        view.release();
      } catch (SegmentCorruptException e) {
        throw new AssertionError(context, e);
      }
      for (Path one : runs()) {
        Files.delete(one);
      }
    }
    assertTrue(leftOut > 10, leftOut + " times");
  }

  /** Any changed sum of a run, with correct checksums, is found and named. */
  @Test
  void sumsThatAreNotThoseOfTheSegmentsAreFound() throws IOException {
    Random random = new Random(5);
    List<SealedSegment> segments = new ArrayList<>();
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore()) {
      try (DaySums sums = new DaySums(store, ARCHIVE)) {
        for (int s = 0; s < 4; s++) {
          segments.add(seal(new DayTraffic(s, 0.1, true).batches(1200, 0.5 * s, 0.5 * s + 0.1)));
          update(sums, segments);
        }
      }
      assertEquals(List.of(), problems(store, segments));
      // The remaining ones: a removed segment spoils its days, which are not checked.
      assertEquals(List.of(), problems(store, segments.subList(1, 4)));
      Path run = runs().get(0);
      byte[] sound = Files.readAllBytes(run);
      ByteBuffer file = ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN);
      int tail = sound.length - DayRunFormat.FRAME.tailBytes();
      int sums = tail - file.getInt(tail + 20);
      int found = 0;
      int tried = 150;
      for (int i = 0; i < tried; i++) {
        byte[] hurt = sound.clone();
        hurt[8 + random.nextInt(sums - 8)] ^= (byte) (1 << random.nextInt(8));
        repair(hurt);
        Files.delete(run);
        Files.write(run, hurt);
        List<org.flowmon.archive.derived.RunProblem> problems = problems(store, segments);
        found += problems.isEmpty() ? 0 : 1;
        assertTrue(
            problems.stream().allMatch(p -> p.run().equals(run.getFileName().toString())),
            problems.toString());
      }
      // All but some unused bits of control bytes.
      assertTrue(found > tried * 9 / 10, found + " of " + tried);
    }
  }

  private boolean isRefused(byte[] bytes) throws IOException {
    Path file = directory.resolve("hurt.days");
    Files.deleteIfExists(file);
    Files.write(file, bytes);
    try {
      DayRun run = DayRun.open(file, ARCHIVE);
      try {
        run.readAll();
        run.dictionary(FlowColumn.SRC_ADDR).lowerBound(0, 1L << 47);
        return false;
      } finally {
        run.release();
      }
    } catch (SegmentCorruptException | ForeignRunException e) {
      return true;
    }
  }

  /** Corrects the checksums, if their places in the file are sound. */
  private static void repair(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int tail = bytes.length - DayRunFormat.FRAME.tailBytes();
    int tables = tail - file.getInt(tail + 20);
    if (tables < 0 || tables > tail) {
      return;
    }
    int at = tables;
    for (int column = 0; column < 2 && at + DayRunFormat.COLUMN_BYTES <= tail; column++) {
      int dictionary = file.getInt(at + 12);
      int rollup = file.getInt(at + 20);
      int slices = file.getInt(at + 28);
      setCrc(file, bytes, dictionary, rollup, at + 16);
      if (rollup < 0 || rollup + 12 > tables || slices < 0 || slices > 5000) {
        break;
      }
      int directory = rollup + 12 + 4 * Math.max(0, Math.min(8, file.getInt(rollup + 8)));
      for (int s = 0; s < slices && directory + 24 * (s + 1) <= tables; s++) {
        int from = rollup + file.getInt(directory + 24 * s + 16);
        int to = from + file.getInt(directory + 24 * s + 20);
        if (s == 0) {
          setCrc(file, bytes, rollup, from, at + 32);
        }
        if (at + DayRunFormat.COLUMN_BYTES + 4 * (s + 1) <= tail) {
          setCrc(file, bytes, from, to, at + DayRunFormat.COLUMN_BYTES + 4 * s);
        }
      }
      at += DayRunFormat.COLUMN_BYTES + 4 * slices;
    }
    setCrc(file, bytes, tables, bytes.length - 12, bytes.length - 12);
  }

  private static void setCrc(ByteBuffer file, byte[] bytes, int from, int to, int at) {
    if (from >= 0 && from <= to && to <= bytes.length) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, from, to - from);
      file.putInt(at, (int) crc.getValue());
    }
  }
}
