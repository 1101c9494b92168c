package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * The kind of a folder's runs: folder, file name suffix, name in messages ({@code the host
 * directory}), time to look again while segments are not covered, a damaged run's substitute.
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
