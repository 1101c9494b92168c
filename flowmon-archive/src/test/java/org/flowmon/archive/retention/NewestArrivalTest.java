package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.segment.SealedSegment;
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

  /** Counts ages back from the clock, so many days from now. */
  private CommitResult expireAsOf(Archive archive, RetentionOptions limits, long day)
      throws IOException {
    return archive.commit(
        ArchiveCommit.ofRetention(new RetentionChange(limits, clock + day * DAY, false), "test"));
  }

  @Test
  void whileNoFlowsComeAgesGrowByTheClockWhereAskedAndNoCommitIsWrittenInVain() throws IOException {
    RetentionOptions limits = new RetentionOptions(0, 0, 90 * DAY, 0);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      commit(archive, -200, -190);
      commit(archive, -150);
      long number =
          archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test")).number();
      // All are young enough, counted from the newest arrival, however often one asks.
      requireVisible(archive, 800L, 810L, 850L);
      for (int again = 0; again < 3; again++) {
        CommitResult result =
            archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
        assertTrue(result.isRepeat());
        assertEquals(number, result.number());
      }
      // -105 hides flows older than -195, and so on; days without effect write no commits.
      long[][] days = {
        {-120, 0}, {-105, 1}, {-104, 0}, {-103, 0}, {-99, 1}, {-61, 0}, {-1, 1}, {0, 0}
      };
      for (long[] day : days) {
        CommitResult result = expireAsOf(archive, limits, day[0]);
        number += day[1];
        assertEquals(day[1], result.expiredRows(), "day " + day[0]);
        assertEquals(day[1] == 0, result.isRepeat(), "day " + day[0]);
        assertEquals(number, result.number(), "day " + day[0]);
      }
      requireVisible(archive);
      commit(archive, -95, 0); // the first is too old now that there is a newer one
      requireVisible(archive, 1000L);
    }
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
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
