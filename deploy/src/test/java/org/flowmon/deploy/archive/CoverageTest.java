package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.junit.jupiter.api.Test;

final class CoverageTest {
  private static final long HOUR = Duration.ofHours(1).toNanos() / 1000;

  @Test
  void yearsBetweenTwoFilesAreNotClaimed() {
    Coverage coverage =
        Coverage.of(
            List.of(
                segment("2026-01-05T00:00:00Z", "2026-01-05T10:00:00Z"),
                segment("2012-03-16T12:30:00Z", "2012-03-16T13:30:00.5Z"),
                segment("2026-01-05T09:00:00Z", "2026-01-06T03:00:00Z")));
    assertEquals(2, coverage.stretches().size());
    assertEquals(
        "flows of 2012-03-16T12:30:00Z … 2026-01-06T03:00:00Z, with 1 break of a day or more"
            + " between segments",
        coverage.toString());
    assertEquals(
        "flows of 2026-01-05T00:00:00Z … 2026-01-05T10:00:00Z",
        Coverage.of(List.of(segment("2026-01-05T00:00:00Z", "2026-01-05T10:00:00Z"))).toString());
  }

  @Test
  void segmentsWithoutAnEndTimeSayNothing() {
    assertEquals("no flow with an end time", Coverage.of(List.of()).toString());
    assertEquals(
        "no flow with an end time", Coverage.of(List.of(segment(TimeRange.NONE))).toString());
  }

  /** Compares with hours set one by one: a stretch ends before 24 or more empty hours. */
  @Test
  void stretchesAreThoseOfBruteForce() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<SealedSegment> segments = new ArrayList<>();
      TreeSet<Integer> hours = new TreeSet<>();
      for (int i = 1 + random.nextInt(12); i > 0; i--) {
        int from = random.nextInt(400);
        int to = from + random.nextInt(40);
        segments.add(segment(new TimeRange(from * HOUR, to * HOUR)));
        for (int hour = from; hour <= to; hour++) {
          hours.add(hour);
        }
      }
      List<TimeRange> expected = new ArrayList<>();
      int start = hours.first();
      int before = start;
      for (int hour : hours) {
        if (hour - before >= 24) {
          expected.add(new TimeRange(start * HOUR, before * HOUR));
          start = hour;
        }
        before = hour;
      }
      expected.add(new TimeRange(start * HOUR, before * HOUR));
      assertEquals(expected, Coverage.of(segments).stretches(), "seed " + seed);
    }
  }

  private static SealedSegment segment(String from, String to) {
    return segment(
        new TimeRange(
            Instant.parse(from).toEpochMilli() * 1000, Instant.parse(to).toEpochMilli() * 1000));
  }

  private static SealedSegment segment(TimeRange endTime) {
    FileIdentity file = new FileIdentity(1_000, 0, 100, 0);
    return new SealedSegment(
        "s", 1, endTime, endTime, endTime, endTime, BigInteger.ZERO, BigInteger.ZERO, file, file);
  }
}
