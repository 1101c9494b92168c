package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.maintenance.VerifyReport;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
  @TempDir Path directory;
  private int straddlingBySums;

  private Archive open() throws IOException {
    return Archive.openOrCreate(directory, new ArchiveOptions(3, 8));
  }

  private static void sound(Path directory, String context) throws IOException {
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertEquals(List.of(), report.damages(), context);
    assertEquals(List.of(), report.orphans(), context);
  }

  private static void sameIds(Set<Long> expected, Set<Long> found, String context) {
    Set<Long> missing = new TreeSet<>(expected);
    missing.removeAll(found);
    Set<Long> tooMany = new TreeSet<>(found);
    tooMany.removeAll(expected);
    assertEquals(
        "missing [], too many []", "missing " + missing + ", too many " + tooMany, context);
  }

  /** The expected content of a snapshot, to be checked after many changes. */
  private record Held(
      ArchiveSnapshot snapshot, Set<Long> ids, Map<String, List<Long>> groups, String context) {
    void check() throws IOException {
      sameIds(ids, RetentionModel.found(snapshot), context + " by an old reader");
      assertEquals(ids.size(), snapshot.rows(), context);
      for (boolean sums : new boolean[] {true, false}) {
        assertEquals(
            groups,
            RetentionModel.asked(
                snapshot, Long.MIN_VALUE, Long.MAX_VALUE, QueryOptions.DEFAULTS.withRollups(sums)),
            context + " by an old reader, sums " + sums);
      }
    }
  }

  private static void compare(
      ArchiveSnapshot snapshot, RetentionModel model, Random random, String context)
      throws IOException {
    sameIds(model.ids(), RetentionModel.found(snapshot), context);
    sameIds(model.ids(), RetentionModel.scanned(snapshot), context + ", scanned");
    assertEquals(model.visible.size(), snapshot.rows(), context);
    assertEquals(model.total - model.visible.size(), snapshot.expiredRows(), context);
    long stored = snapshot.segments().stream().mapToLong(SealedSegment::rows).sum();
    assertEquals(stored, snapshot.storedRows(), context);
    assertTrue(stored <= snapshot.retention().mostRows(), context + ": stored " + stored);
    long from = model.now - (long) (random.nextDouble() * 6 * RetentionModel.HOUR);
    long to = from + (long) (random.nextDouble() * 4 * RetentionModel.HOUR);
    for (boolean sums : new boolean[] {true, false}) {
      QueryOptions options = QueryOptions.DEFAULTS.withRollups(sums).withThreads(2);
      assertEquals(
          RetentionModel.grouped(model.visible, from, to),
          RetentionModel.asked(snapshot, from, to, options),
          context + ", times, sums " + sums);
      assertEquals(
          RetentionModel.grouped(model.visible, Long.MIN_VALUE, 0),
          RetentionModel.asked(snapshot, Long.MIN_VALUE, 0, options),
          context + ", all, sums " + sums);
    }
  }

  /** Merges put rows of equal times into another order: which of them remain is unpredictable. */
  private static void adopt(Archive archive, RetentionModel model, boolean merges, String context)
      throws IOException {
    if (merges) {
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        model.adoptTies(RetentionModel.found(snapshot), context);
      }
    }
  }

  private void live(long seed, boolean ties, boolean merges, int rowsAtMost, RetentionOptions first)
      throws IOException {
    Random random = new Random(seed);
    live(seed, random, new RetentionModel(random, ties), merges, rowsAtMost, first);
  }

  private void live(
      long seed,
      Random random,
      RetentionModel model,
      boolean merges,
      int rowsAtMost,
      RetentionOptions first)
      throws IOException {
    RetentionOptions limits = first;
    List<Held> held = new ArrayList<>();
    Archive archive = open();
    archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
    for (int step = 0; step < 25; step++) {
      String context = "seed " + seed + ", step " + step + ", " + limits;
      int rows = random.nextInt(8) == 0 ? 1 : 1 + random.nextInt(rowsAtMost);
      model.commit(archive, rows, 3, 4 * RetentionModel.HOUR / rowsAtMost);
      model.expire(limits);
      adopt(archive, model, merges, context);
      if (merges && random.nextInt(3) == 0) {
        Compactor compactor =
            new Compactor(archive, new CompactionOptions(rowsAtMost, 3 * rowsAtMost));
        for (int i = 0; i < 3 && compactor.step(() -> false) != null; i++) {
          assertTrue(i < 3);
        }
      }
      if (random.nextInt(6) == 0) {
        // Never back: a higher row limit brings no rows back.
        limits =
            new RetentionOptions(
                limits.rows() == 0 ? 0 : Math.max(1, limits.rows() + random.nextInt(200) - 100),
                limits.slack(),
                limits.ageMicros(),
                0);
        archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
        model.expire(limits);
        adopt(archive, model, merges, context);
      }
      if (random.nextInt(6) == 0) {
        archive.commit(
            ArchiveCommit.ofRetention(
                new RetentionChange(null, Long.MIN_VALUE, random.nextBoolean()), "trim"));
      }
      if (random.nextInt(5) == 0) {
        archive.close();
        archive = open();
      }
      if (random.nextInt(4) == 0) {
        archive.removeReplaced(Duration.ZERO);
      }
      ArchiveSnapshot snapshot = archive.snapshot();
      compare(snapshot, model, random, context);
      straddlingBySums += RetentionModel.straddlingBySums(snapshot);
      held.add(
          new Held(
              snapshot,
              new HashSet<>(model.ids()),
              RetentionModel.grouped(model.visible, Long.MIN_VALUE, 0),
              context));
      if (held.size() > 5) {
        Held old = held.remove(random.nextInt(held.size()));
        old.check();
        old.snapshot.close();
      }
    }
    for (Held old : held) {
      old.check();
      old.snapshot.close();
    }
    assertTrue(model.total > model.visible.size(), "seed " + seed + ": something expired");
    archive.removeReplaced(Duration.ZERO);
    archive.close();
    sound(directory, "seed " + seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void exactlyTheNewestRowsAreVisible(long seed) throws IOException {
    live(seed, false, false, 120, new RetentionOptions(300 + 50 * seed, 20 * seed, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void amongEqualTimesEarlierCommitsExpireFirst(long seed) throws IOException {
    live(seed, true, false, 100, new RetentionOptions(150, 60, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void mergingMovesNothing(long seed) throws IOException {
    live(seed, seed % 2 == 0, true, 120, new RetentionOptions(400, 100, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {32, 33})
  void theStricterOfCountAndAgeHolds(long seed) throws IOException {
    long age = (seed % 2 == 0 ? 2 : 30) * RetentionModel.HOUR;
    live(seed, false, seed % 3 == 0, 150, new RetentionOptions(seed == 33 ? 0 : 1500, 0, age, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {41, 43})
  void sumsAnswerOnlyForHoursAboveTheCutoff(long seed) throws IOException {
    Random random = new Random(seed);
    RetentionModel model = new RetentionModel(random, false);
    model.clocksAreRight = true;
    live(seed, random, model, seed == 43, 9000, new RetentionOptions(20_000, 8000, 0, 0));
    assertTrue(straddlingBySums > 0, "no segment with expired flows answered by sums");
  }

  @Test
  void withoutSlackNothingHiddenIsStored() throws IOException {
    live(51, false, true, 100, new RetentionOptions(200, 0, 0, 0));
  }
}
