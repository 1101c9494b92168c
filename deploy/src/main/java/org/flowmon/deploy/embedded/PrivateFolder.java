package org.flowmon.deploy.embedded;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * A folder that nobody but its owner can read, change or exchange: mode 0700, of the user who runs
 * this process, and in no folder in which others may give it another's name. Programs and secrets
 * lie in such folders only. File systems without POSIX's modes are taken as they are.
 */
final class PrivateFolder {
  private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final int OTHERS_WRITE = 0002;
  private static final int STICKY = 01000;
  private static final int OF_OTHERS = 0077;

  private PrivateFolder() {}

  /**
   * Makes the folder where it is new, and checks it.
   *
   * @throws EmbeddedServiceException where others could change it; it names the folder and what to
   *     do
   */
  static Path at(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath();
    Files.createDirectories(absolute.getParent());
    boolean posix = isPosix(absolute.getParent());
    try {
      if (posix) {
        Files.createDirectory(absolute, FOLDER);
      } else {
        Files.createDirectory(absolute);
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(absolute, LinkOption.NOFOLLOW_LINKS)) {
        throw new EmbeddedServiceException(absolute + " is no folder", e);
      }
    }
    Path real = absolute.toRealPath();
    if (posix) {
      check(real);
    }
    return real;
  }

  /** Writes a file that only its owner can read. */
  static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    if (isPosix(file.getParent())) {
      Files.createFile(file, FILE);
    }
    Files.writeString(file, text);
  }

  private static boolean isPosix(Path there) throws IOException {
    FileStore store = Files.getFileStore(there);
    return store.supportsFileAttributeView(PosixFileAttributeView.class)
        && there.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  private static void check(Path folder) throws IOException {
    int me = me();
    int owner = (int) attributes(folder).get("uid");
    int mode = (int) attributes(folder).get("mode");
    if (owner != me) {
      throw unsafe(folder, "belongs to another user (" + owner + ", this is " + me + ")");
    }
    if ((mode & OF_OTHERS) != 0) {
      throw unsafe(folder, "is open to other users; chmod 700 closes it");
    }
    for (Path at = folder; at.getParent() != null; at = at.getParent()) {
      int above = (int) attributes(at.getParent()).get("mode");
      if ((above & OTHERS_WRITE) == 0) {
        continue;
      }
      if ((above & STICKY) == 0) {
        throw unsafe(
            folder,
            "can be exchanged by any user, for all may write into "
                + at.getParent()
                + "; chmod o-w closes it");
      }
      int of = (int) attributes(at).get("uid");
      if (of != me && of != 0) {
        throw unsafe(folder, "can be exchanged by user " + of + ", whose folder " + at + " is");
      }
    }
  }

  private static EmbeddedServiceException unsafe(Path folder, String why) {
    return new EmbeddedServiceException(
        folder + " " + why + ": programs and passwords are kept there; choose another folder",
        null);
  }

  private static Map<String, Object> attributes(Path file) throws IOException {
    return Files.readAttributes(file, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
  }

  /** The user whom files belong to that this process makes. */
  private static int me() throws IOException {
    Path probe = Files.createTempFile("flowmon-", ".probe", FILE);
    try {
      return (int) attributes(probe).get("uid");
    } finally {
      Files.delete(probe);
    }
  }
}
