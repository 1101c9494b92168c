package org.flowmon.archive.days;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunKind;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;

/** The day sums of one archive as this process has them open. Safe for many threads. */
public final class DaySums implements AutoCloseable {
  /** The folder of runs within an archive. */
  public static final String FOLDER = "days";

  private static final RunKind<DayRun> KIND =
      new RunKind<>() {
        @Override
        public String folder() {
          return FOLDER;
        }

        @Override
        public String suffix() {
          return DayRunFormat.SUFFIX;
        }

        @Override
        public String what() {
          return "the day sums";
        }

        @Override
        public Duration lookAgain() {
          return Duration.ofSeconds(10); // the newest segments are not covered for long
        }

        @Override
        public String warning(String problem) {
          return problem + ": segments were read instead; flowmon compact makes the sums again";
        }

        @Override
        public DayRun open(Path path, UUID archive) throws IOException {
          return DayRun.open(path, archive);
        }
      };

  private final RunFolder<DayRun> runs;

  /** The day sums of an archive, of which nothing is read yet. */
  public DaySums(ArchiveStore store, UUID archive) {
    this.runs = new RunFolder<>(store, archive, KIND);
  }

  /**
   * Which runs answer for which of a snapshot's segments, as {@link RunFolder#view}.
   *
   * @param number of the snapshot's commit
   * @return to be released
   * @throws IOException where the folder cannot be listed
   */
  public RunView<DayRun> view(long number, List<SealedSegment> segments) throws IOException {
    return runs.view(number, segments);
  }

  /** As {@link RunFolder#storedBytes}. */
  public long storedBytes() throws IOException {
    return runs.storedBytes();
  }

  RunFolder<DayRun> runs() {
    return runs;
  }

  /** Lets go of all runs; views that were handed out stay usable. */
  @Override
  public void close() {
    runs.close();
  }
}
