package org.flowmon.flow.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.flowmon.flow.files.PrivateFolder.Readers;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
  @TempDir Path directory;

  private static Path create(Path folder) throws IOException {
    return PrivateFolder.create(folder, Readers.NONE, "choose another folder");
  }

  private static void assertUnsafe(String why, Path folder) {
    for (Readers readers : Readers.values()) {
      assertUnsafe(why, folder, readers);
    }
  }

  private static void assertUnsafe(String why, Path folder, Readers readers) {
    UnsafeFolderException e =
        assertThrows(
            UnsafeFolderException.class,
            () -> PrivateFolder.create(folder, readers, "choose another folder"));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertTrue(e.getMessage().endsWith("; choose another folder"), e.getMessage());
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static void setMode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  /** Gives a file to another user; only root can. */
  private static void give(Path file, String attribute, int id) {
    try {
      Files.setAttribute(file, attribute, id);
    } catch (IOException e) {
      Assumptions.abort("only root gives files to another user: " + e);
    }
  }

  private Path sticky() throws IOException {
    Path sticky = Files.createDirectory(directory.resolve("sticky"));
    Files.setAttribute(sticky, "unix:mode", 01777);
    return sticky;
  }

  @Test
  void isMadeForItsOwnerAlone() throws IOException {
    Path folder = directory.resolve("a/b/cache");
    create(folder);
    assertEquals("rwx------", mode(folder));
    create(folder);
    PrivateFiles.write(folder.resolve("secret"), "s");
    assertEquals("rw-------", mode(folder.resolve("secret")));
    try (var files = Files.list(folder)) {
      assertEquals(1, files.count());
    }
  }

  @Test
  void oneThatOthersMayWriteToIsRefused() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("cache"));
    for (String mode : new String[] {"rwxrwx---", "rwx----w-"}) {
      setMode(folder, mode);
      assertUnsafe("is open to other users", folder);
    }
    setMode(folder, "rwxr-xr-x");
    assertUnsafe("is open to other users", folder, Readers.NONE);
    PrivateFolder.create(folder, Readers.ANY, "");
  }

  @Test
  void whatIsNoFolderIsRefused() throws IOException {
    assertUnsafe("is not a folder", Files.createFile(directory.resolve("file")));
    Path nowhere = Files.createSymbolicLink(directory.resolve("nowhere"), Path.of("missing"));
    assertUnsafe("is not a folder", nowhere);
  }

  @Test
  void aLinkIsTheFolderThatItLeadsTo() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("folder"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), folder);
    setMode(folder, "rwxrwxrwx");
    assertUnsafe("is open to other users", link);
    setMode(folder, "rwx------");
    assertEquals(folder.toRealPath(), create(link));
  }

  /** As systemd makes StateDirectory= of a DynamicUser: a link into /var/lib/private. */
  @Test
  void aFolderBehindALinkThatNobodyElseCanExchangeIsMade() throws IOException {
    Path state = Files.createDirectory(directory.resolve("private"));
    Path link = Files.createSymbolicLink(directory.resolve("state"), Path.of("private"));
    Path spool = create(link.resolve("spool"));
    assertEquals(state.toRealPath().resolve("spool"), spool);
    assertEquals("rwx------", mode(spool));
    assertEquals(spool, create(link.resolve("spool")));
    // Of a sticky folder only the owner of a link can exchange it.
    Path own = Files.createSymbolicLink(sticky().resolve("own"), link.toAbsolutePath());
    assertEquals(spool, create(own.resolve("spool")));
  }

  @Test
  void aLinkThatOthersMayExchangeIsRefused() throws IOException {
    Path state = Files.createDirectory(directory.resolve("private"));
    Path open = Files.createDirectory(directory.resolve("open"));
    Path link = Files.createSymbolicLink(open.resolve("state"), state);
    Path chained = Files.createSymbolicLink(directory.resolve("chained"), link);
    create(link.resolve("spool"));
    setMode(open, "rwxrwxrwx");
    assertUnsafe("is reached by the link " + link, link.resolve("spool"));
    assertUnsafe("is reached by the link " + link, chained.resolve("spool"));
    create(state.resolve("spool"));
    Path others = Files.createSymbolicLink(sticky().resolve("others"), state);
    create(others.resolve("spool"));
    try {
      Files.setAttribute(others, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      Assumptions.abort("only root gives files to another user: " + e);
    }
    assertUnsafe("is reached by the link " + others, others.resolve("spool"));
  }

  @Test
  void linksThatLeadToEachOtherAreRefused() throws IOException {
    Path one = directory.resolve("one");
    Files.createSymbolicLink(one, Path.of("two"));
    Files.createSymbolicLink(directory.resolve("two"), Path.of("one"));
    assertThrows(IOException.class, () -> create(one.resolve("spool")));
  }

  @Test
  void oneThatAnyUserCouldExchangeIsRefused() throws IOException {
    Path open = Files.createDirectory(directory.resolve("open"));
    setMode(open, "rwxrwxrwx");
    assertUnsafe("all may write into", open.resolve("postgres"));
    assertUnsafe("all may write into", open.resolve("demo").resolve("postgres"));
    // A sticky folder, like /tmp, protects the names of others' files.
    assertEquals("rwx------", mode(create(sticky().resolve("postgres"))));
  }

  @Test
  void oneThatAGroupCouldExchangeIsRefused() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    setMode(shared, "rwxrwxr-x");
    create(shared.resolve("of-own-group"));
    give(shared, "unix:gid", 65534);
    assertUnsafe("can be replaced by the group", shared.resolve("demo").resolve("postgres"));
    setMode(shared, "rwxr-xr-x");
    create(shared.resolve("demo").resolve("postgres"));
  }

  @Test
  void oneWithinAFolderOfAnotherUserIsRefused() throws IOException {
    Path demo = Files.createDirectory(directory.resolve("demo"));
    Path above = Files.createDirectory(demo.resolve("mine"));
    Path own = create(above.resolve("postgres"));
    give(demo, "unix:uid", 65534);
    assertUnsafe("can be replaced by ", own);
    Path others = create(sticky().resolve("others"));
    give(others, "unix:uid", 65534);
    assertUnsafe("another user", others);
  }
}
