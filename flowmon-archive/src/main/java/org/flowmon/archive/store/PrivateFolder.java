package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;

/**
 * A folder that only its owner writes to: what lies in it is believed, so no other user of the host
 * may have put it there.
 */
final class PrivateFolder {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFolder() {}

  /**
   * Makes the folder, for its owner alone; one that is there must be this user's, and no other may
   * write to it. Where the file system knows no owners nothing is checked.
   *
   * @throws IOException saying what is wrong and what to do
   */
  static void create(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (parent == null || !Files.getFileStore(parent).supportsFileAttributeView("posix")) {
      Files.createDirectories(folder);
      return;
    }
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      requireOwn(folder);
    }
  }

  private static void requireOwn(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw wrong(folder, "is no folder");
    }
    Path own;
    try {
      own = Files.createTempFile(folder, "owner", null);
    } catch (AccessDeniedException e) {
      throw wrong(folder, "cannot be written to");
    }
    UserPrincipal user;
    try {
      user = Files.getOwner(own);
    } finally {
      Files.delete(own);
    }
    // Of a link, too: who owns it decides where the files go.
    for (UserPrincipal owner :
        List.of(Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS), Files.getOwner(folder))) {
      if (!owner.equals(user)) {
        throw wrong(folder, "belongs to " + owner.getName() + ", not to " + user.getName());
      }
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
    if (permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw wrong(folder, "can be written to by other users: chmod 700 keeps them out");
    }
  }

  private static IOException wrong(Path folder, String what) {
    return new IOException(
        "the cache folder "
            + folder
            + " "
            + what
            + "; cache_directory of the store names another one");
  }
}
