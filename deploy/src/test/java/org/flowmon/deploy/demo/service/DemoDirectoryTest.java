package org.flowmon.deploy.demo.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoDirectoryTest {
  @TempDir Path folder;

  @Test
  void whatIsRefusedLeavesNothingBehindAndIsTakenOnceItIsMended() throws Exception {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path demo = open.resolve("in").resolve("demo");
    EmbeddedServiceException e =
        assertThrows(
            EmbeddedServiceException.class,
            () -> DemoDirectory.prepare(demo, demo.resolve("postgres")));
    assertTrue(e.getMessage().contains("chmod o-w"), e.getMessage());
    assertFalse(Files.exists(open.resolve("in")));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    DemoDirectory.prepare(demo, demo.resolve("postgres"));
    assertTrue(Files.isDirectory(demo));
  }

  @Test
  void aDirectoryThatIsNotEmptyStaysAsItIs() throws Exception {
    Files.createDirectory(folder.resolve("postgres"));
    IOException e =
        assertThrows(
            IOException.class, () -> DemoDirectory.prepare(folder, folder.resolve("postgres")));
    assertTrue(e.getMessage().contains("is not empty"), e.getMessage());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(1, files.count());
    }
  }
}
