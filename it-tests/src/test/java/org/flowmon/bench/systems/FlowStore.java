package org.flowmon.bench.systems;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * A system that holds one table of flows at a time. Used by one thread: {@link #create}, {@link
 * #load}, then {@link #answer} and {@link #forget}; and again.
 */
interface FlowStore extends AutoCloseable {
  /** Makes an empty table in place of the last one. */
  void create(Combination layout) throws Exception;

  /** Stores the flows: afterwards all of them are in the system's files. */
  void load(List<SyntheticFlow> flows) throws Exception;

  /** Answers a query: all its rows, in its order. */
  List<long[]> answer(StudyQuery query) throws Exception;

  /**
   * Stops, drops the pages of the table's files, and starts again.
   *
   * @return empty if nothing of it is in memory; else why
   */
  Optional<String> forget() throws Exception;

  /** Bytes of the table and its indexes on disk. */
  long bytesOnDisk() throws Exception;

  /** Bytes that the system made the disk write so far; empty if that is unknown. */
  OptionalLong bytesWritten();

  /** Version and relevant settings, for people. */
  String settings() throws Exception;
}
