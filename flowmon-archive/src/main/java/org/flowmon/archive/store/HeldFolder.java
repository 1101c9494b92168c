package org.flowmon.archive.store;

import java.nio.file.Path;

/**
 * A folder of this host with files of a store, which stay until it is closed.
 *
 * @param folder holds the files under their names within their folder of the store
 * @param release releases them
 */
public record HeldFolder(Path folder, Runnable release) implements AutoCloseable {
  @Override
  public void close() {
    release.run();
  }
}
