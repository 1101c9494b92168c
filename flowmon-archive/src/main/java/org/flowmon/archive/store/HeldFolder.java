package org.flowmon.archive.store;

import java.nio.file.Path;

/** A folder of this host with files of a store under their names, until it is closed. */
public record HeldFolder(Path folder, Runnable release) implements AutoCloseable {
  @Override
  public void close() {
    release.run();
  }
}
