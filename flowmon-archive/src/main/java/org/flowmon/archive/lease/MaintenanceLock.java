package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Held by the one process that compacts or expires an archive: two would do the same work, one in
 * vain. Consistency does not depend on this lock but on the check of each commit.
 */
public final class MaintenanceLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MaintenanceLock.class);
  private static final String NAME = "maintenance.lock";

  private final LockedFile file;

  private MaintenanceLock(LockedFile file) {
    this.file = file;
  }

  /** Takes the lock; null if another has it, in this process or another. */
  public static @Nullable MaintenanceLock tryTake(Path archive) throws IOException {
    Path folder = Files.createDirectories(archive.toRealPath().resolve(ReaderLease.FOLDER));
    LockedFile file = LockedFile.tryLock(folder.resolve(NAME));
    if (file == null) {
      return null;
    }
    // For people who find the file; an old text is harmless, and so is none on a full disk.
    byte[] text =
        ("process " + ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      file.truncate(0);
      file.write(0, text);
    } catch (IOException e) {
      LOG.debug("{} is locked, but does not name its process", NAME, e);
    }
    return new MaintenanceLock(file);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
