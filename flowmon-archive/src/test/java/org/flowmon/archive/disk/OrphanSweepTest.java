package org.flowmon.archive.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.OrphanSweep;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.NoRoomException;
import org.flowmon.flow.FlowBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that killed writers leave are deleted at once; those that live ones may still commit stay.
 */
class OrphanSweepTest {
  private static final int ROWS = 1000;

  @TempDir Path directory;

  private static SealedSegment seal(Archive archive, long seed) throws IOException {
    return archive.seal(
        archive.newSegmentWriter(), List.of(Flows.batch(seed, ROWS)), Provenance.NONE);
  }

  private static void commit(Archive archive, SealedSegment segment, int at) throws IOException {
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(segment), List.of(new SourceRange("t:0", at, at + 1, at)), "test"));
  }

  /**
   * A process that has sealed one segment and stands in the middle of sealing another. It commits
   * the first once it is told the position.
   */
  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Archive archive = Archive.open(Path.of(args[0]))) {
      SealedSegment sealed = seal(archive, Long.parseLong(args[1]));
      SegmentWriter writer = archive.newSegmentWriter();
      FlowBatch batch = Flows.batch(99, ROWS);
      List<FlowBatch> parts =
          new AbstractList<>() {
            private int reads;

            @Override
            public FlowBatch get(int index) {
              if (reads++ == 10) { // columns are read one after the other
                System.out.println(sealed.id());
                commitAsTold(archive, sealed, in);
              }
              return batch;
            }

            @Override
            public int size() {
              return 1;
            }
          };
      archive.seal(writer, parts, Provenance.NONE);
    }
  }

  private static void commitAsTold(Archive archive, SealedSegment sealed, BufferedReader in) {
    try {
      commit(archive, sealed, Integer.parseInt(in.readLine()));
      System.out.println("committed");
      Thread.sleep(Long.MAX_VALUE);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A writer in a process of its own. */
  private record Writer(Process process, BufferedReader out, String id) {
    static Writer start(Path archive, int seed) throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  OrphanSweepTest.class.getName(),
                  archive.toString(),
                  Integer.toString(seed))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String id = out.readLine();
      assertNotNull(id, "the writer ended");
      return new Writer(process, out, id);
    }

    void tell(String line) throws IOException {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }
  }

  private static Set<String> segmentFiles(Path archive) throws IOException {
    try (Stream<Path> files = Files.list(archive.resolve("segments"))) {
      return files
          .map(f -> f.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static long rows(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    }
  }

  @Test
  void whatAKilledWriterLeftGoesAtOnceAndWhatALiveOneMayCommitStays() throws Exception {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      Writer killed = Writer.start(directory, 1);
      Set<String> ofKilled = segmentFiles(directory);
      assertEquals(3, ofKilled.size(), "two of one segment, one half of another: " + ofKilled);
      Writer live = Writer.start(directory, 2);
      SealedSegment own = seal(archive, 3);
      Set<String> all = segmentFiles(directory);
      try {
        assertEquals(List.of(), archive.sweepOrphans().files(), "all three writers live");
        killed.kill();
        long bytes = 0;
        for (String file : ofKilled) {
          bytes += Files.size(directory.resolve("segments").resolve(file));
        }
        OrphanSweep sweep = archive.sweepOrphans();
        assertEquals(bytes, sweep.bytes());
        assertTrue(bytes > 0);
        assertEquals(
            ofKilled,
            sweep.files().stream()
                .map(f -> Path.of(f).getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new)));
        all.removeAll(ofKilled);
        assertEquals(all, segmentFiles(directory));
        commit(archive, own, 0);
        live.tell("1");
        assertEquals("committed", live.out().readLine());
      } finally {
        killed.kill();
        live.kill();
      }
      assertEquals(2 * ROWS, rows(archive));
      assertEquals(1, archive.sweepOrphans().files().size(), "what it was sealing");
      assertEquals(List.of(), archive.orphans());
    }
    assertTrue(ArchiveVerifier.verify(directory).isSound());
  }

  @Test
  void whatWasSealedIsOwnedUntilItIsCommittedDiscardedOrClosed() throws IOException {
    try (Archive sweeper = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      try (Archive archive = Archive.open(directory)) {
        SealedSegment committed = seal(archive, 1);
        SealedSegment discarded = seal(archive, 2);
        seal(archive, 3);
        commit(archive, committed, 0);
        archive.discard(discarded);
        assertEquals(List.of(), sweeper.sweepOrphans().files());
        assertEquals(2, archive.orphans().size());
      }
      assertEquals(2, sweeper.sweepOrphans().files().size());
      assertEquals(ROWS, rows(sweeper));
    }
    try (Stream<Path> leases = Files.list(directory.resolve("leases"))) {
      assertTrue(leases.noneMatch(f -> f.toString().endsWith(".lease")));
    }
  }

  /** Like a task that commits a file of another process, which was killed since. */
  @Test
  void aSegmentThatIsCommittedWhileOrphansAreSweptIsThereOrRefused() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    int committed = 0;
    int rounds = 150;
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int round = 0; round < rounds; round++) {
        SealedSegment segment;
        try (Archive gone = Archive.open(directory)) {
          segment =
              gone.seal(gone.newSegmentWriter(), List.of(Flows.batch(1, 10)), Provenance.NONE);
        }
        int at = round;
        CyclicBarrier both = new CyclicBarrier(2);
        Callable<Boolean> commit =
            () -> {
              both.await();
              try {
                commit(archive, segment, at);
                return true;
              } catch (CommitRefusedException e) {
                return false;
              }
            };
        Future<Boolean> done = threads.submit(commit);
        Future<OrphanSweep> swept =
            threads.submit(
                () -> {
                  both.await();
                  return archive.sweepOrphans();
                });
        swept.get();
        if (done.get()) {
          committed++;
          assertTrue(segmentFiles(directory).contains(segment.fileName()), "round " + round);
          assertTrue(segmentFiles(directory).contains(segment.indexFileName()), "round " + round);
        }
      }
      assertEquals(10L * committed, rows(archive));
    } finally {
      threads.shutdownNow();
    }
    assertTrue(ArchiveVerifier.verify(directory).isSound());
  }

  private void orphan(Archive archive) throws IOException {
    try (Archive gone = Archive.open(directory)) {
      seal(gone, 4);
    }
    assertEquals(2, archive.orphans().size());
  }

  /** Holds a lock like another process: a file lock belongs to a whole process. */
  public static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      try (RandomAccessFile file = new RandomAccessFile(args[0], "rw");
          FileLock lock = file.getChannel().lock()) {
        file.write(new byte[8]);
        System.out.println(lock.isValid());
        Thread.sleep(Long.MAX_VALUE);
      }
    }
  }

  @Test
  void whileAnOlderVersionRunsOnlyWhatIsADayOldGoes() throws Exception {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      orphan(archive);
      Path lease = directory.resolve("leases/0d8b2f1e-8f0b-4f0e-9d53-0a5ee0f4a001.lease");
      Process older =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Holder.class.getName(),
                  lease.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        assertEquals('t', older.getInputStream().read());
        assertEquals(List.of(), archive.sweepOrphans().files());
        Path old = Path.of(archive.orphans().get(0));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        assertEquals(List.of(old.toString()), archive.sweepOrphans().files());
      } finally {
        older.destroyForcibly().waitFor();
      }
      assertEquals(1, archive.sweepOrphans().files().size());
      assertTrue(!Files.exists(lease));
    }
  }

  @Test
  void whatALeaseOfAnotherHostOwnsStaysThoughItsLockIsNotSeen() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment theirs;
      try (Archive gone = Archive.open(directory)) {
        theirs = seal(gone, 5);
        seal(gone, 6);
      }
      byte[] content = Arrays.copyOf(new byte[8], 192);
      byte[] id = theirs.id().getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(id, 0, content, 128, id.length);
      Path lease =
          Files.write(
              directory.resolve(
                  "leases/0d8b2f1e-8f0b-4f0e-9d53-0a5ee0f4a001.00112233445566aa.lease"),
              content);
      assertEquals(2, archive.sweepOrphans().files().size());
      archive.removeReplaced(Duration.ZERO); // which reads all leases
      assertTrue(segmentFiles(directory).contains(theirs.fileName()));
      assertTrue(segmentFiles(directory).contains(theirs.indexFileName()));
      Files.setLastModifiedTime(lease, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
      assertEquals(2, archive.sweepOrphans().files().size(), "it was not written to for a day");
      assertTrue(!Files.exists(lease));
    }
  }

  @Test
  void aFullDiskIsClearedOfOrphansBeforeWritingFails() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), 2)) {
      Path place = disk.root().resolve("archive");
      try (Archive archive = Archive.create(place, ArchiveOptions.DEFAULTS)) {
        SealedSegment kept = seal(archive, 1);
        commit(archive, kept, 0);
        try (Archive gone = Archive.open(place)) {
          seal(gone, 2);
          seal(gone, 3);
        }
        disk.fill();
        SealedSegment sealed = seal(archive, 4);
        assertTrue(!segmentFiles(place).isEmpty());
        commit(archive, sealed, 1);
        assertEquals(2 * ROWS, rows(archive));
        assertEquals(List.of(), archive.orphans());
        NoRoomException e =
            assertThrows(
                NoRoomException.class,
                () -> {
                  for (int i = 0; i < 100; i++) {
                    seal(archive, 10 + i);
                  }
                });
        assertTrue(e.getMessage().contains("has no room left"), e.getMessage());
        assertTrue(e.getMessage().contains(place.toString()), e.getMessage());
        assertEquals(2 * ROWS, rows(archive));
      }
      assertTrue(ArchiveVerifier.verify(place).isSound());
    }
  }

  @Test
  void orphansAreSweptFromAFullDiskByAProcessThatStartsThen() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), 2)) {
      Path place = disk.root().resolve("archive");
      Archive.create(place, ArchiveOptions.DEFAULTS).close();
      Writer killed = Writer.start(place, 7);
      killed.kill();
      disk.fill();
      try (Archive archive = Archive.open(place)) {
        OrphanSweep sweep = archive.sweepOrphans();
        assertEquals(3, sweep.files().size());
        assertTrue(sweep.bytes() > ROWS, sweep.bytes() + " bytes");
        commit(archive, seal(archive, 8), 0);
      }
      assertTrue(ArchiveVerifier.verify(place).isSound());
    }
  }
}
