package org.flowmon.archive.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReaderLeaseTest {
  @TempDir Path archive;

  /** A process of its own that holds a commit until it is killed. */
  public static void main(String[] args) throws Exception {
    ReaderLease lease = ReaderLease.take(Path.of(args[0]));
    lease.move(0, Long.parseLong(args[1]));
    MaintenanceLock lock = MaintenanceLock.tryTake(Path.of(args[0]));
    System.out.println(lock != null);
    Thread.sleep(Long.MAX_VALUE);
  }

  private Process holder(long number) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            ReaderLeaseTest.class.getName(),
            archive.toString(),
            Long.toString(number))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String line(Process process) throws IOException {
    return new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(archive.resolve(ReaderLease.FOLDER))) {
      return files.filter(f -> f.toString().endsWith(".lease")).count();
    }
  }

  @Test
  void theSmallestOfWhatThisProcessHolds() throws IOException {
    assertEquals(Long.MAX_VALUE, ReaderLease.smallest(archive));
    ReaderLease first = ReaderLease.take(archive);
    assertTrue(first.protects());
    assertEquals(0, ReaderLease.smallest(archive));
    first.move(0, 7);
    first.hold(9);
    ReaderLease second = ReaderLease.take(archive);
    second.move(0, 8);
    assertEquals(7, ReaderLease.smallest(archive));
    first.release(7);
    assertEquals(8, ReaderLease.smallest(archive));
    second.close();
    assertEquals(9, ReaderLease.smallest(archive));
    first.hold(9);
    first.release(9);
    assertEquals(9, ReaderLease.smallest(archive), "held twice");
    first.release(9);
    assertEquals(Long.MAX_VALUE, ReaderLease.smallest(archive));
    assertEquals(1, files());
    first.close();
    assertEquals(0, files());
  }

  @Test
  void anotherProcessHoldsUntilItIsKilled() throws Exception {
    Process process = holder(5);
    try {
      assertEquals("true", line(process));
      ReaderLease own = ReaderLease.take(archive);
      own.move(0, 6);
      assertEquals(5, ReaderLease.smallest(archive));
      assertNull(MaintenanceLock.tryTake(archive), "it has the lock");
      process.destroyForcibly().waitFor();
      assertEquals(6, ReaderLease.smallest(archive), "its lease died with it");
      assertEquals(1, files());
      own.close();
      try (MaintenanceLock lock = MaintenanceLock.tryTake(archive)) {
        assertNotNull(lock);
        assertNull(MaintenanceLock.tryTake(archive), "not twice in a process");
      }
      assertNotNull(MaintenanceLock.tryTake(archive));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void aDeadLeaseThatMayOnlyBeReadHoldsNothing() throws Exception {
    Process process = holder(5);
    assertEquals("true", line(process));
    process.destroyForcibly().waitFor();
    try (Stream<Path> files = Files.list(archive.resolve(ReaderLease.FOLDER))) {
      for (Path file : files.toList()) {
        assertTrue(file.toFile().setReadOnly());
      }
    }
    assertEquals(Long.MAX_VALUE, ReaderLease.smallest(archive));
    assertEquals(0, files());
  }

  @Test
  void oneArchiveUnderTwoNamesIsOne() throws IOException {
    Path link = archive.resolveSibling(archive.getFileName() + "-link");
    Files.createSymbolicLink(link, archive);
    try (ReaderLease lease = ReaderLease.take(link)) {
      lease.move(0, 4);
      assertEquals(4, ReaderLease.smallest(archive));
      assertEquals(4, ReaderLease.smallest(link));
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void aFolderThatCannotBeWrittenIsReadWithoutALease() throws IOException {
    Files.writeString(archive.resolve(ReaderLease.FOLDER), "in the way");
    try (ReaderLease lease = ReaderLease.take(archive)) {
      lease.move(0, 3);
      assertTrue(!lease.protects());
    }
    assertEquals(Long.MAX_VALUE, ReaderLease.smallest(archive));
  }
}
