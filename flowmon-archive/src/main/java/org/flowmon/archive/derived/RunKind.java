package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/** What the runs of a folder are. */
public interface RunKind<R extends DerivedRun> {
  /** The folder of runs within an archive. */
  String folder();

  /** How the names of runs end. */
  String suffix();

  /** What the runs are together, for messages: {@code the host directory}. */
  String what();

  /** After how long it is looked for runs again while segments are not covered. */
  Duration lookAgain();

  /** Adds to what is wrong with a run what was done instead. */
  String warning(String problem);

  /**
   * Opens a run.
   *
   * @param archive that it has to be of
   * @throws org.flowmon.archive.region.SegmentCorruptException where it is none, or of another
   *     archive
   * @throws ForeignRunException where it is of another version
   * @throws IOException where it cannot be read
   */
  R open(Path path, UUID archive) throws IOException;
}
