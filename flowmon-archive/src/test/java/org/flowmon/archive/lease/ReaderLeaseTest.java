package org.flowmon.archive.lease;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
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
            "-XX:TieredStopAtLevel=1",
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
  void aLeaseThatCannotBeReadHoldsEverything() throws IOException {
    Files.createDirectories(archive.resolve(ReaderLease.FOLDER).resolve("x.lease").resolve("y"));
    assertEquals(0, ReaderLease.smallest(archive));
    assertFalse(SegmentOwners.of(archive).complete());
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

  /** Opens files whose writes {@code from … to − 1} fail, as on a disk that fills up. */
  private static LockedFile.Opening failing(int from, int to, int[] writes) {
    return file ->
        new RandomAccessFile(file, "rw") {
          @Override
          public void write(byte[] bytes) throws IOException {
            int n = writes[0]++;
            if (n >= from && n < to) {
              throw new IOException("No space left on device");
            }
            super.write(bytes);
          }
        };
  }

  /** The number that other processes read. */
  private long inTheFile() throws IOException {
    try (Stream<Path> files = Files.list(archive.resolve(ReaderLease.FOLDER))) {
      byte[] bytes = Files.readAllBytes(files.findFirst().orElseThrow());
      return bytes.length < 8 ? 0 : ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).getLong();
    }
  }

  private void requireHeld(ReaderLease lease, long number, String context) throws IOException {
    assertTrue(!lease.protects() || inTheFile() <= number, context);
  }

  @Test
  void whateverWriteFailsWhatALeaseProtectsIsHeld() throws IOException {
    for (int from = 0; from < 8; from++) {
      for (int to : new int[] {from + 1, from + 2, Integer.MAX_VALUE}) {
        String context = "writes " + from + " … " + to + " fail";
        ReaderLease lease = ReaderLease.take(archive, failing(from, to, new int[1]));
        requireHeld(lease, 0, context);
        lease.move(0, 7);
        requireHeld(lease, 7, context);
        lease.release(7);
        lease.hold(5);
        requireHeld(lease, 5, context);
        lease.hold(9);
        lease.hold(3);
        requireHeld(lease, 3, context);
        lease.release(3);
        lease.release(5);
        requireHeld(lease, 9, context);
        lease.release(9);
        lease.hold(11);
        lease.move(11, 12);
        requireHeld(lease, 12, context);
        lease.release(12);
        for (int round = 0; round < 4; round++) {
          lease.hold(13);
          requireHeld(lease, 13, context);
          assertTrue(round < 3 || to == Integer.MAX_VALUE || lease.protects(), context);
          lease.release(13);
        }
        lease.close();
        assertEquals(0, files(), context);
      }
    }
  }

  @Test
  void aLeaseThatCouldNotBeMadeIsTriedAgainWhenNothingIsHeld() throws IOException {
    boolean[] full = {true};
    LockedFile.Opening opening =
        file -> {
          if (full[0]) {
            throw new IOException("No space left on device");
          }
          return new RandomAccessFile(file, "rw");
        };
    try (ReaderLease lease = ReaderLease.take(archive, opening)) {
      full[0] = false;
      lease.hold(4);
      assertTrue(!lease.protects(), "commit 0 is held by nobody");
      lease.release(0);
      lease.release(4);
      lease.hold(5);
      assertTrue(lease.protects());
      assertEquals(5, ReaderLease.smallest(archive));
    }
  }

  @Test
  void anInterruptedThreadLosesNoLease() throws IOException {
    try (ReaderLease lease = ReaderLease.take(archive)) {
      Thread.currentThread().interrupt();
      lease.move(0, 7);
      assertTrue(Thread.interrupted());
      assertEquals(7, inTheFile());
      assertTrue(lease.protects());
    }
  }
}
