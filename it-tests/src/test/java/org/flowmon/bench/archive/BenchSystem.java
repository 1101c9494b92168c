package org.flowmon.bench.archive;

import java.io.IOException;
import java.sql.SQLException;

/**
 * A system that holds the workload's rows and answers its queries. Used by one thread: {@link
 * #load} some times, {@link #endLoad}, {@link #index}, then {@link #prepare} and {@link #answer}.
 */
public interface BenchSystem extends AutoCloseable {
  /** Version and the settings that matter, for people. */
  String settings();

  /** Takes some rows. */
  void load(FlowBlock block) throws IOException, SQLException;

  /** All rows were given: they are durable or at least handed to the system's files after this. */
  void endLoad() throws IOException, SQLException;

  /** Makes what queries need beyond the rows. */
  void index() throws IOException, SQLException;

  /** Bytes of rows and indexes on disk. */
  long bytesOnDisk() throws IOException, SQLException;

  /** Prepares a query. */
  void prepare(WorkloadQuery query) throws SQLException;

  /** Answers a query that was prepared; the values are all in the answer's arrays. */
  Answer answer(WorkloadQuery query) throws IOException, SQLException;

  /**
   * Lets go of its files, so that none is open or mapped, until {@link #resume}.
   *
   * @return false where it cannot; then it goes on as it was
   */
  default boolean suspend() throws IOException, SQLException {
    return false;
  }

  /** Opens its files again; queries are to be prepared anew. */
  default void resume() throws IOException, SQLException {}

  @Override
  void close() throws IOException, SQLException;
}
