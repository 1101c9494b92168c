package org.flowmon.flow.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes folders and names survive a power failure: POSIX needs a sync of their parent folder. */
public final class SyncedFolders {
  private SyncedFolders() {}

  /** Makes a folder, and missing ones above it, durably. */
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

  public static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
