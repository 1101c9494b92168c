package org.flowmon.bench.archive;

import java.io.IOException;
import java.sql.SQLException;

/**
 * A system that holds the workload's rows and answers its queries. Used by one thread: {@link
 * #load} several times, {@link #endLoad}, {@link #index}, then {@link #prepare} and {@link
 * #answer}.
 */
public interface BenchSystem extends AutoCloseable {
  /** Version and relevant settings, for people. */
  String settings();

  /** Takes some rows. */
  void load(FlowBlock block) throws IOException, SQLException;

  /** Ends loading: all rows are durable, or at least handed to the system's files. */
  void endLoad() throws IOException, SQLException;

  /** Creates the queries' further structures. */
  void index() throws IOException, SQLException;

  /** Bytes of rows and indexes on disk. */
  long bytesOnDisk() throws IOException, SQLException;

  /** Prepares a query. */
  void prepare(WorkloadQuery query) throws SQLException;

  /** Answers a prepared query; all values are in the answer's arrays. */
  Answer answer(WorkloadQuery query) throws IOException, SQLException;

  /**
   * Closes its files, so that none is open or mapped, until {@link #resume}.
   *
   * @return false if it cannot; then it is unchanged
   */
  default boolean suspend() throws IOException, SQLException {
    return false;
  }

  /** Opens its files again; queries must be prepared anew. */
  default void resume() throws IOException, SQLException {}

  @Override
  void close() throws IOException, SQLException;
}
