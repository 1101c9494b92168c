package org.flowmon.archive.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
  @TempDir Path directory;

  @Test
  void isMadeForItsOwnerAlone() throws IOException {
    Path folder = directory.resolve("a/b/cache");
    PrivateFolder.create(folder);
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    PrivateFolder.create(folder);
    try (var files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void oneThatOthersMayWriteToIsRefused() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("cache"));
    for (String mode : new String[] {"rwxrwx---", "rwx----w-"}) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
      IOException e = assertThrows(IOException.class, () -> PrivateFolder.create(folder));
      assertTrue(e.getMessage().contains(folder + " can be written to by other"), e.getMessage());
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    PrivateFolder.create(folder);
  }

  @Test
  void whatIsNoFolderIsRefused() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    IOException e = assertThrows(IOException.class, () -> PrivateFolder.create(file));
    assertTrue(e.getMessage().contains("is no folder"), e.getMessage());
  }
}
