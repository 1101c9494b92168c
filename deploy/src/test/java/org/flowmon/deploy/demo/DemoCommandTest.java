package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoCommandTest {
  @TempDir Path folder;

  @Test
  void aFileThatHoldsNoFlowsIsRefusedBeforeAnythingIsStarted() throws Exception {
    byte[] random = new byte[5_000];
    new Random(1).nextBytes(random);
    Path file = Files.write(folder.resolve("rand.bin"), random);
    Path demo = folder.resolve("demo");
    CommandRun said = CommandRun.of("demo", "--input", file, "--dir", demo);
    assertEquals(ExitCodes.USAGE, said.code(), said.toString());
    assertTrue(
        said.err().contains("--input " + file + ": it begins with the bytes"), said.toString());
    assertTrue(said.err().contains("supported are pcap"), said.toString());
    assertEquals("", said.out());
    assertFalse(Files.exists(demo));
  }

  @Test
  void aFolderThatOthersCouldExchangeIsRefusedBeforeAnythingIsStarted() throws Exception {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path demo = open.resolve("demo");
    CommandRun said = CommandRun.of("demo", "--for", "1s", "--history", "0", "--dir", demo);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().contains("can be replaced by any user"), said.toString());
    assertEquals("", said.out());
    assertFalse(Files.exists(demo));
  }
}
