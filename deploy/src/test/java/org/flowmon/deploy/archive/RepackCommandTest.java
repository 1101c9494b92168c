package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepackCommandTest {
  @TempDir Path folder;

  private static Set<String> files(Path archive) throws Exception {
    try (Stream<Path> files = Files.list(archive.resolve("segments"))) {
      return files.map(f -> f.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  @Test
  void everySegmentIsWrittenAnewWithTheSameFlowsAndTheOldFilesGo() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, 900, true);
      List<String> flows = ExportedFlows.sorted(ExportedFlows.rows(archive));
      Set<String> before = files(archive);
      CommandRun said = CommandRun.of("repack", "--archive", archive);
      assertEquals(0, said.code(), said.err());
      assertTrue(said.out().contains(before.size() / 2 + " segments with 900 flows"), said.out());
      Set<String> after = files(archive);
      assertEquals(before.size(), after.size());
      assertTrue(after.stream().noneMatch(before::contains), "seed " + seed);
      assertEquals(flows, ExportedFlows.sorted(ExportedFlows.rows(archive)), "seed " + seed);
      assertEquals(0, CommandRun.of("verify", "--archive", archive).code());
    }
  }

  @Test
  void aProfileIsTakenOnByAllSegmentsAndKeptByTheNextRepack() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("a"), 4, 900, true);
    List<String> flows = ExportedFlows.sorted(ExportedFlows.rows(archive));
    assertFalse(codecs(archive).contains("ZSTD"));
    String[] repack = {"repack", "--archive", archive.toString(), "--profile", "compact"};
    assertEquals(0, CommandRun.of((Object[]) repack).code());
    assertTrue(codecs(archive).contains("ZSTD"));
    assertEquals(0, CommandRun.of("repack", "--archive", archive).code());
    assertTrue(codecs(archive).contains("ZSTD"));
    assertEquals(flows, ExportedFlows.sorted(ExportedFlows.rows(archive)));
    assertEquals(2, CommandRun.of("repack", "--archive", archive, "--profile", "no").code());
    assertEquals(2, CommandRun.of("repack", "--archive", archive, "--profile", "").code());
  }

  private static String codecs(Path archive) throws Exception {
    String segment =
        files(archive).stream().filter(n -> n.endsWith(".parquet")).findFirst().orElseThrow();
    return CommandRun.of("inspect", archive.resolve("segments").resolve(segment)).out();
  }

  @Test
  void aDamagedSidecarIsMadeAnewAndADamagedSegmentIsLeftAndNamed() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("a"), 7, 400, false);
    List<String> names = files(archive).stream().sorted().toList();
    String sidecar = names.stream().filter(n -> n.endsWith(".idx")).findFirst().orElseThrow();
    flip(archive.resolve("segments").resolve(sidecar));
    assertEquals(1, CommandRun.of("verify", "--archive", archive).code());
    assertEquals(0, CommandRun.of("repack", "--archive", archive).code());
    assertEquals(0, CommandRun.of("verify", "--archive", archive).code());
    String segment =
        files(archive).stream().filter(n -> n.endsWith(".parquet")).findFirst().orElseThrow();
    flip(archive.resolve("segments").resolve(segment));
    CommandRun said = CommandRun.of("repack", "--archive", archive);
    assertEquals(1, said.code());
    String id = segment.substring(0, segment.indexOf('.'));
    assertTrue(said.err().contains("segment " + id + " is damaged"), said.err());
    assertTrue(files(archive).contains(segment));
  }

  private static void flip(Path file) throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 4;
    Files.write(file, bytes);
  }

  @Test
  void nothingIsDoneWhileAnotherMaintainsTheArchive() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("a"), 5, 100, false);
    Set<String> before = files(archive);
    try (Archive opened = Archive.open(archive);
        MaintenanceLock lock = opened.tryMaintenance()) {
      assertFalse(lock == null);
      assertEquals(3, CommandRun.of("repack", "--archive", archive).code());
    }
    assertEquals(before, files(archive));
  }
}
