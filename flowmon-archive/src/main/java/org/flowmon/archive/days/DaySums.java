package org.flowmon.archive.days;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunKind;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;

/** This process's view of one archive's day sums. Safe for many threads. */
public final class DaySums extends RunFolder<DayRun> {
  public static final String FOLDER = "days";

  private static final RunKind<DayRun> KIND =
      new RunKind<>(
          FOLDER,
          DayRunFormat.SUFFIX,
          "the day sums",
          Duration.ofSeconds(10), // the newest segments are not covered for long
          "segments were read instead; flowmon compact rebuilds the sums",
          DayRun::open);

  public DaySums(ArchiveStore store, UUID archive) {
    super(store, archive, KIND);
  }

  @Override
  protected DayContent content(String segmentsFolder, List<SealedSegment> segments) {
    return new DayContent(this, segmentsFolder, segments);
  }
}
