package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * The kind of a folder's runs: {@code folder} within an archive, file name {@code suffix}, name in
 * messages ({@code the host directory}), time after which new runs are looked for again while
 * segments are not covered, and the substitute for a damaged run, for warnings.
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
    R open(Path path, UUID archive) throws IOException;
  }

  String warning(String problem) {
    return problem + ": " + instead;
  }
}
