package org.flowmon.archive.store;

import java.nio.file.Path;
import java.util.Objects;

/** A folder of this host with files of a store under their names, until it is closed. */
public record HeldFolder(Path folder, Runnable release) implements AutoCloseable {
  /** The folder of a file. */
  static HeldFolder of(Path file, Runnable release) {
    return new HeldFolder(folder(file), release);
  }

  static Path folder(Path file) {
    return Objects.requireNonNull(file.getParent(), () -> file + " has no parent folder");
  }

  @Override
  public void close() {
    release.run();
  }
}
