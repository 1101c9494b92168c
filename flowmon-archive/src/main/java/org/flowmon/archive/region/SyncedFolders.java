package org.flowmon.archive.region;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Folders that are there after a power failure. POSIX promises that of a name, be it a file's or a
 * folder's, only once the folder that it stands in was synced.
 */
public final class SyncedFolders {
  private SyncedFolders() {}

  /** Makes a folder, and those above it that are missing, so that they last. */
  public static Path create(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (Files.isDirectory(folder) || parent == null) {
      return folder;
    }
    create(parent);
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    sync(parent);
    return folder;
  }

  /** Makes the names in a folder last, whoever gave them. */
  public static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
