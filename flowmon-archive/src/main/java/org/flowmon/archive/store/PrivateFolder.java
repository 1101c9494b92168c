package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A folder with trusted or secret files: only its owner, who runs this process, can change or
 * replace it. File systems without POSIX modes are trusted. Every folder above must be this user's
 * or root's. A group may write to one only if it is the user's own (of the same name) or root's,
 * others only if the folder is sticky, like /tmp.
 */
public final class PrivateFolder {
  private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final int OTHERS_ANY = 0077;
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int STICKY = 01000;
  private static final int ROOT = 0;

  /** Whether others may read the folder. */
  public enum Readers {
    NONE,
    ANY
  }

  /** The owner of a file, and its mode. */
  private record Owner(int uid, int gid, String name, String group, int mode) {
    static Owner of(Path file) throws IOException {
      Map<String, Object> all =
          Files.readAttributes(file, "unix:uid,gid,owner,group,mode", LinkOption.NOFOLLOW_LINKS);
      return new Owner(
          (int) value(all, "uid"),
          (int) value(all, "gid"),
          value(all, "owner").toString(),
          value(all, "group").toString(),
          (int) value(all, "mode"));
    }

    private static Object value(Map<String, Object> all, String attribute) {
      return Objects.requireNonNull(all.get(attribute), attribute);
    }

    boolean isGroupOfOwn() {
      return gid == ROOT || group.equals(name);
    }
  }

  private PrivateFolder() {}

  /**
   * Makes the folder, for its owner alone, if it is new, and checks it. Returns its real path, to
   * be used from now on: a link may lead elsewhere later.
   *
   * @throws UnsafeFolderException if another user could change it, with advice on choosing another
   */
  public static Path create(Path folder, Readers readers, String advice) throws IOException {
    Path absolute = folder.toAbsolutePath().normalize();
    Path above = absolute.getParent();
    if (above == null) {
      throw new UnsafeFolderException(absolute, "is the root", advice);
    }
    Files.createDirectories(above);
    boolean posix = hasModes(above);
    try {
      if (posix) {
        Files.createDirectory(absolute, FOLDER);
      } else {
        Files.createDirectory(absolute);
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(absolute)) {
        throw new UnsafeFolderException(absolute, "is not a folder", advice);
      }
    }
    Path real = absolute.toRealPath();
    if (posix) {
      String why = dangerOf(real, readers);
      if (!why.isEmpty()) {
        throw new UnsafeFolderException(real, why, advice);
      }
    }
    return real;
  }

  /** Writes a file that only its owner can read. */
  public static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    if (hasModes(HeldFolder.folder(file))) {
      Files.createFile(file, FILE);
    }
    Files.writeString(file, text);
  }

  private static boolean hasModes(Path folder) throws IOException {
    return Files.getFileStore(folder).supportsFileAttributeView("posix")
        && folder.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  private static String dangerOf(Path folder, Readers readers) throws IOException {
    int me = me();
    Owner owner = Owner.of(folder);
    if (owner.uid != me) {
      return "belongs to " + owner.name + ", another user";
    }
    int closed = readers == Readers.NONE ? OTHERS_ANY : GROUP_WRITES | OTHERS_WRITE;
    if ((owner.mode & closed) != 0) {
      return "is open to other users: chmod 700 closes it";
    }
    for (Path above = folder.getParent(); above != null; above = above.getParent()) {
      Owner of = Owner.of(above);
      if (of.uid != me && of.uid != ROOT) {
        return "can be replaced by " + of.name + ", who owns " + above;
      }
      if ((of.mode & STICKY) != 0) {
        continue; // only the owner of a file may rename it
      }
      if ((of.mode & OTHERS_WRITE) != 0) {
        return "can be replaced by any user, because all may write into "
            + above
            + ": chmod o-w closes it";
      }
      if ((of.mode & GROUP_WRITES) != 0 && !of.isGroupOfOwn()) {
        return "can be replaced by the group "
            + of.group
            + ", which may write into "
            + above
            + ": chmod g-w closes it";
      }
    }
    return "";
  }

  private static int me() throws IOException {
    Path probe = Files.createTempFile("flowmon-", ".probe", FILE);
    try {
      return Owner.of(probe).uid;
    } finally {
      Files.delete(probe);
    }
  }
}
