package org.flowmon.flow.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;

/**
 * A folder with trusted or secret files: only its owner, who runs this process, can change or
 * replace it. File systems without POSIX modes are trusted. Every folder above must be this user's
 * or root's. A group may write to one only if it is the user's own (of the same name) or root's,
 * others only if the folder is sticky, like /tmp.
 *
 * <p>The same holds for symbolic links on the way to it: they are this user's or root's, and only
 * these can exchange them. So systemd's StateDirectory of a DynamicUser, a link into
 * /var/lib/private, is one.
 */
public final class PrivateFolder {
  private static final int OTHERS_ANY = 0077;
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int STICKY = 01000;
  private static final int ROOT = 0;
  private static final int MAX_LINKS = 40; // as Linux

  /** Whether others may read the folder. */
  public enum Readers {
    NONE,
    ANY
  }

  /** The owner of a file, and its mode. */
  private record Owner(int uid, int gid, String name, String group, int mode) {
    /** Of a link itself. */
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

    boolean isTrustedBy(int me) {
      return uid == me || uid == ROOT;
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
    try {
      PrivateFiles.createFolder(absolute);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(absolute)) {
        throw new UnsafeFolderException(absolute, "is not a folder", advice);
      }
    }
    Path real = absolute.toRealPath();
    if (PrivateFiles.hasModes(above)) {
      int me = me();
      String why = dangerOfLinks(absolute, me);
      if (!why.isEmpty()) {
        throw new UnsafeFolderException(absolute, why, advice);
      }
      why = dangerOf(real, readers, me);
      if (!why.isEmpty()) {
        throw new UnsafeFolderException(real, why, advice);
      }
    }
    return real;
  }

  /** Why another user could exchange a link on the way; empty if none can. */
  private static String dangerOfLinks(Path folder, int me) throws IOException {
    Path at = Objects.requireNonNull(folder.getRoot(), "an absolute path");
    Deque<Path> rest = new ArrayDeque<>();
    folder.forEach(rest::addLast);
    int links = 0;
    while (!rest.isEmpty()) {
      Path next = at.resolve(rest.removeFirst()).normalize();
      if (!Files.isSymbolicLink(next)) {
        at = next;
        continue;
      }
      Owner link = Owner.of(next);
      if (!link.isTrustedBy(me)) {
        return "is reached by the link " + next + ", which belongs to " + link.name;
      }
      String why = dangerAbove(next, me);
      if (!why.isEmpty() || ++links > MAX_LINKS) {
        return "is reached by the link "
            + next
            + ", which "
            + (why.isEmpty() ? "is in a row of too many" : why);
      }
      Path target = Files.readSymbolicLink(next);
      Path root = target.getRoot();
      at = root == null ? at : root;
      for (int i = target.getNameCount() - 1; i >= 0; i--) {
        rest.addFirst(target.getName(i));
      }
    }
    return "";
  }

  private static String dangerOf(Path folder, Readers readers, int me) throws IOException {
    Owner owner = Owner.of(folder);
    if (owner.uid != me) {
      return "belongs to " + owner.name + ", another user";
    }
    int closed = readers == Readers.NONE ? OTHERS_ANY : GROUP_WRITES | OTHERS_WRITE;
    if ((owner.mode & closed) != 0) {
      return "is open to other users: chmod 700 closes it";
    }
    return dangerAbove(folder, me);
  }

  /** Why another user could replace a file by its name; empty if none can. */
  private static String dangerAbove(Path file, int me) throws IOException {
    for (Path above = file.getParent(); above != null; above = above.getParent()) {
      Owner of = Owner.of(above);
      if (!of.isTrustedBy(me)) {
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
    Path probe = PrivateFiles.createProbe();
    try {
      return Owner.of(probe).uid;
    } finally {
      Files.delete(probe);
    }
  }
}
