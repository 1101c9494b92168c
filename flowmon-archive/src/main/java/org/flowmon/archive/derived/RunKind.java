package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * The kind of a folder's runs.
 *
 * @param folder of runs within an archive
 * @param suffix of the runs' file names
 * @param what name of the runs together, for messages: {@code the host directory}
 * @param lookAgain after how long new runs are looked for again while segments are not covered
 * @param instead the substitute for a damaged run, for warnings
 * @param opener opens a run
 */
public record RunKind<R extends DerivedRun>(
    String folder,
    String suffix,
    String what,
    Duration lookAgain,
    String instead,
    Opener<R> opener) {
  /** Opens a run, as {@link DerivedRun#open}. */
  @FunctionalInterface
  public interface Opener<R extends DerivedRun> {
    /** Opens a file, which must be a run of this archive. */
    R open(Path path, UUID archive) throws IOException;
  }

  /** Adds the substitute to a run's problem. */
  String warning(String problem) {
    return problem + ": " + instead;
  }
}
