package org.flowmon.jobs.scan;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;

/**
 * What each split of an archive is asked.
 *
 * @param <T> what the source gives
 */
public interface SplitQuery<T> extends Serializable {
  ArchiveLocation archive();

  /**
   * The query over flows, in the dialect; text, as a process knows users' own columns once it opens
   * the archive.
   */
  String query();

  /** Begins to answer; the archive is open. {@code readers} may all be in one process. */
  Answers<T> answers(int readers);

  /** The answers of one reader. */
  interface Answers<T> {
    /** Whether no further split can add anything. */
    boolean isComplete();

    void answer(ArchiveSnapshot part, ReaderOutput<T> output) throws IOException;
  }
}
