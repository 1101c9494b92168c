package org.flowmon.bench.systems;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.bench.archive.Answer;

/**
 * A system that holds one table of flows at a time. Used by one thread: {@link #create}, {@link
 * #load} several times, {@link #finish}, then {@link #answer} and {@link #forget}; and again.
 */
interface FlowStore extends AutoCloseable {
  /** Makes an empty table in place of the last one. */
  void create(Layout layout) throws IOException, SQLException;

  /** Stores rows {@code from} … {@code to} − 1, which continue those before. */
  void load(FlowData data, int from, int to) throws IOException, SQLException;

  /** Ends loading: all rows are in the system's files. */
  void finish() throws IOException, SQLException;

  /** Answers a query; all values are in the answer's arrays. */
  Answer answer(StudyQuery query) throws IOException, SQLException;

  /**
   * Stops, drops the pages of the table's files, and starts again.
   *
   * @return empty if nothing of it is in memory; else why
   */
  Optional<String> forget() throws IOException, SQLException;

  /** Bytes of the table and its indexes on disk. */
  long bytesOnDisk() throws IOException, SQLException;

  /** Bytes that the system made the disk write so far; empty if that is unknown. */
  OptionalLong bytesWritten();

  /** Version and relevant settings, for people. */
  String settings() throws IOException, SQLException;

  @Override
  void close() throws IOException, SQLException;
}
