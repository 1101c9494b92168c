package org.flowmon.flow.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/** Files and folders that are made for their owner alone, if the file system has modes. */
public final class PrivateFiles {
  private PrivateFiles() {}

  /**
   * Makes a folder durably, and missing ones above it with the usual modes.
   *
   * @throws java.nio.file.FileAlreadyExistsException if it exists, or anything of its name
   */
  public static void createFolder(Path folder) throws IOException {
    Path above = above(folder);
    SyncedFolders.create(above);
    Files.createDirectory(folder, mode(folder, "rwx------"));
    SyncedFolders.sync(above);
  }

  private static Path above(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file or folder");
  }

  /** Opens a file; one that exists keeps its mode. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), mode(file, "rw-------"));
  }

  /** Writes a file anew. */
  public static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(file, mode(file, "rw-------"));
    Files.writeString(file, text);
  }

  /** A file for a moment, in the folder for such. */
  static Path createProbe() throws IOException {
    return Files.createTempFile("flowmon-", ".probe");
  }

  private static FileAttribute<?>[] mode(Path file, String mode) throws IOException {
    return hasModes(above(file))
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
        }
        : new FileAttribute<?>[0];
  }

  static boolean hasModes(Path folder) throws IOException {
    return Files.getFileStore(folder).supportsFileAttributeView("posix")
        && folder.getFileSystem().supportedFileAttributeViews().contains("unix");
  }
}
