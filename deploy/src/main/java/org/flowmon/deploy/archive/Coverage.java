package org.flowmon.deploy.archive;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.time.FlowTime;

/**
 * The time ranges of an archive's flows ({@code end_time}, ascending, at least a day without flows
 * apart), from the manifest alone: a gap within a segment is not seen.
 */
public record Coverage(List<TimeRange> stretches) {
  private static final long GAP_MICROS = 86_400_000_000L;

  /** Expired flows are left out: they ended before the cutoff. */
  public static Coverage of(ArchiveSnapshot snapshot) {
    return ofAll(List.of(snapshot));
  }

  /** Of several archives as one. */
  public static Coverage ofAll(List<ArchiveSnapshot> snapshots) {
    return ofTimes(
        snapshots.stream()
            .flatMap(one -> one.segments().stream().map(segment -> visible(one, segment)))
            .toList());
  }

  private static TimeRange visible(ArchiveSnapshot snapshot, SealedSegment segment) {
    TimeRange ends = segment.endTime();
    return snapshot.firstRow(segment) == 0
        ? ends
        : new TimeRange(Math.max(ends.min(), snapshot.cutoff()), ends.max());
  }

  public static Coverage of(List<SealedSegment> segments) {
    return ofTimes(segments.stream().map(SealedSegment::endTime).toList());
  }

  private static Coverage ofTimes(List<TimeRange> times) {
    List<TimeRange> stretches = new ArrayList<>();
    times.stream()
        .filter(range -> !range.isEmpty())
        .sorted(Comparator.comparingLong(TimeRange::min))
        .forEach(range -> add(stretches, range));
    return new Coverage(List.copyOf(stretches));
  }

  private static void add(List<TimeRange> stretches, TimeRange range) {
    int last = stretches.size() - 1;
    if (last >= 0 && range.min() - stretches.get(last).max() < GAP_MICROS) {
      TimeRange before = stretches.get(last);
      stretches.set(last, new TimeRange(before.min(), Math.max(before.max(), range.max())));
    } else {
      stretches.add(range);
    }
  }

  @Override
  public String toString() {
    if (stretches.isEmpty()) {
      return "no flow with an end time";
    }
    String all =
        "flows of " + time(stretches.get(0).min()) + " … " + time(stretches.get(last()).max());
    return stretches.size() == 1
        ? all
        : all
            + ", with "
            + (last() == 1 ? "1 break" : last() + " breaks")
            + " of a day or more between segments";
  }

  private int last() {
    return stretches.size() - 1;
  }

  private static String time(long micros) {
    return FlowTime.instant(micros).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
