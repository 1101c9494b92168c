package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * What the runs of a folder are.
 *
 * @param folder of runs within an archive
 * @param suffix how the names of runs end
 * @param what the runs are together, for messages: {@code the host directory}
 * @param lookAgain after how long it is looked for runs again while segments are not covered
 * @param instead what is done if a run is damaged, for warnings
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
    /** Opens a file, which has to be a run of this archive. */
    R open(Path path, UUID archive) throws IOException;
  }

  /** Adds to what is wrong with a run what was done instead. */
  String warning(String problem) {
    return problem + ": " + instead;
  }
}
