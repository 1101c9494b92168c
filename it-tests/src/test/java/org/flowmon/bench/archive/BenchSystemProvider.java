package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;

/** Makes a system to compare with. Found by {@link java.util.ServiceLoader}. */
public interface BenchSystemProvider {
  /** The name in tables and options. */
  String name();

  /**
   * Creates an empty system.
   *
   * @param folder for its data; new and empty
   * @param threads that it may use for one query
   */
  BenchSystem open(Path folder, int threads) throws IOException, SQLException;
}
