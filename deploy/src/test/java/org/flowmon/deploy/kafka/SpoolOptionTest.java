package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.spool.Spool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SpoolOptionTest {
  @TempDir private Path folder;

  private static SpoolOption parsed(String... arguments) {
    SpoolOption option = new SpoolOption();
    CommandLine line = new CommandLine(CommandLine.Model.CommandSpec.create());
    line.addMixin("spool", option);
    line.parseArgs(arguments);
    return option;
  }

  private SpoolOption spool(String bytes) {
    return parsed("--spool", folder.resolve("spool").toString(), "--spool-bytes", bytes);
  }

  @Test
  void withoutItThereIsNone() {
    assertEquals(List.of(), parsed().open("flows", 3));
  }

  @Test
  void eachPublisherHasItsShareAndWhatMoreOfThemLeftIsSent() throws IOException {
    List<Spool> before = spool("1g").open("flows", 4);
    assertEquals(4, before.size());
    assertEquals(256L << 20, before.get(0).load().capacityBytes());
    assertTrue(before.get(2).write(0, 5, new byte[100]));
    SpoolOption.close(before);
    List<Spool> now = spool("1g").open("flows", 1);
    assertEquals(List.of(0L, 5L), now.stream().map(one -> one.recovered().flows()).toList());
    SpoolOption.close(now);
  }

  @Test
  void aBoundThatHoldsNoBatchesIsTheCallersMistake() {
    for (String bytes : List.of("63m", "100k", "1")) {
      assertThrows(UsageException.class, () -> spool(bytes).open("flows", 1), bytes);
    }
    assertThrows(UsageException.class, () -> spool("100m").open("flows", 2));
    for (String bytes : List.of("10x", "g", "-1", "1.5g", "9999999999g")) {
      assertThrows(CommandLine.ParameterException.class, () -> spool(bytes), bytes);
    }
  }

  @Test
  void aFolderOfOthersIsRefused() throws IOException {
    Path open = Files.createDirectory(folder.resolve("spool"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    CommandException refused =
        assertThrows(CommandException.class, () -> spool("1g").open("flows", 1));
    assertTrue(String.valueOf(refused.getMessage()).contains("open to other users"));
  }
}
