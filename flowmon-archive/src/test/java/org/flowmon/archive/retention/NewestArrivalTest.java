package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.ArchiveCommit;
import org.flowmon.archive.manifest.RetentionChange;
import org.flowmon.archive.manifest.SourceRange;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.verify.ArchiveVerifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewestArrivalTest {
  private static final long HOUR = RetentionModel.HOUR;
  private static final long DAY = 24 * HOUR;
  private final long clock = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

  @TempDir Path directory;
  private long offset;

  @Test
  void anHourAheadIsBelievedAndNoMore() {
    NewestArrival newest = new NewestArrival(clock);
    assertEquals(Long.MIN_VALUE, newest.get());
    newest.add(clock + HOUR, clock + HOUR);
    assertEquals(clock + HOUR, newest.get());
    newest.add(clock + HOUR + 1, clock + HOUR + 1);
    newest.add(clock, Long.MAX_VALUE);
    assertEquals(clock + HOUR, newest.get());
  }

  @Test
  void theFirstArrivalCountsWhereTheLastIsFromTheFuture() {
    NewestArrival newest = new NewestArrival(clock);
    newest.add(clock - DAY, clock + DAY);
    assertEquals(clock - DAY, newest.get());
    newest.add(clock - 3 * DAY, clock - 2 * DAY);
    assertEquals(clock - DAY, newest.get());
  }

  /** Commits a segment of flows that arrived so many days from now; ids are the days. */
  private void commit(Archive archive, long... days) throws IOException {
    List<RetentionModel.Row> rows = new ArrayList<>();
    for (long day : days) {
      long arrival = clock + day * DAY;
      rows.add(
          new RetentionModel.Row(1000 + day, Math.min(clock, arrival), null, arrival, null, 1L));
    }
    SealedSegment segment = new RetentionModel(new Random(1), false).seal(archive, rows);
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(segment),
            List.of(new SourceRange("t:0", offset, ++offset, segment.arrival().max())),
            "test"));
  }

  private static void requireVisible(Archive archive, Long... ids) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(Set.of(ids), RetentionModel.found(snapshot));
    }
  }

  @Test
  void anArrivalFromTheFutureEvictsNothingAndOthersStillDo() throws IOException {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      commit(archive, -200);
      archive.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(new RetentionOptions(0, 0, 90 * DAY, 0)), "test"));
      commit(archive, -180, 100);
      requireVisible(archive, 800L, 820L, 1100L);
      commit(archive, -105);
      requireVisible(archive, 820L, 1100L, 895L);
    }
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      commit(archive, 200);
      requireVisible(archive, 820L, 1100L, 895L, 1200L);
      commit(archive, 0);
      requireVisible(archive, 1100L, 1200L, 1000L);
    }
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
  }
}
