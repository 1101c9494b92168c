package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunKind;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;

/** The host directory of one archive as this process has it open. Safe for many threads. */
public final class HostDirectory implements AutoCloseable {
  /** The folder of runs within an archive. */
  public static final String FOLDER = "directory";

  private static final RunKind<HostRun> KIND =
      new RunKind<>() {
        @Override
        public String folder() {
          return FOLDER;
        }

        @Override
        public String suffix() {
          return HostRunFormat.SUFFIX;
        }

        @Override
        public String what() {
          return "the host directory";
        }

        @Override
        public Duration lookAgain() {
          return Duration.ofSeconds(1);
        }

        @Override
        public String warning(String problem) {
          return problem
              + ": segments were asked instead; flowmon compact makes the directory again";
        }

        @Override
        public HostRun open(Path path, UUID archive) throws IOException {
          return HostRun.open(path, archive);
        }
      };

  private final RunFolder<HostRun> runs;

  /** The directory of an archive, of which nothing is read yet. */
  public HostDirectory(ArchiveStore store, UUID archive) {
    this.runs = new RunFolder<>(store, archive, KIND);
  }

  /**
   * What the directory says of a snapshot's segments, as {@link RunFolder#view}.
   *
   * @param number of the snapshot's commit
   * @return to be released
   * @throws IOException where the folder cannot be listed
   */
  public HostView view(long number, List<SealedSegment> segments) throws IOException {
    return new HostView(runs.view(number, segments));
  }

  /** As {@link RunFolder#storedBytes}. */
  public long storedBytes() throws IOException {
    return runs.storedBytes();
  }

  RunFolder<HostRun> runs() {
    return runs;
  }

  /** Lets go of all runs; views that were handed out stay usable. */
  @Override
  public void close() {
    runs.close();
  }
}
