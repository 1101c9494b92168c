package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Held by the one process of this host that changes an archive's settings; others wait. */
public final class SettingsLock implements AutoCloseable {
  private static final String NAME = "settings.lock";

  private final LockedFile file;

  private SettingsLock(LockedFile file) {
    this.file = file;
  }

  /** Waits for the lock; throws if another holds it for a minute. */
  public static SettingsLock take(Path archive) throws IOException {
    Path folder = Files.createDirectories(archive.toRealPath().resolve(ReaderLease.FOLDER));
    return new SettingsLock(LockedFile.lock(folder.resolve(NAME), "changes the settings"));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
