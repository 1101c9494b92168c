package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.manifest.CommitPreparation;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.MemoryObjectStore;
import org.flowmon.archive.store.MemoryStores;
import org.flowmon.flow.FlowBatch;
import org.junit.jupiter.api.Test;

/** Several hosts commit to an archive in an object store at the same time. */
class RemoteCommitTest extends RemoteArchive {
  @Test
  void whatWasUploadedInPartIsNeverPartOfTheArchive() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 2, 300);
      List<FlowBatch> batches = new Traffic(SEED, false, 0).batches(100, 0, 1);
      store.fault =
          (operation, name) -> {
            if ((operation.equals("put") && name.endsWith(".idx")) || operation.equals("delete")) {
              throw new IOException("the connection broke");
            }
          };
      assertThrows(
          IOException.class, () -> archive.seal(new SegmentWriter(), batches, Provenance.NONE));
      store.fault = (operation, name) -> {};
      assertEquals(1, archive.orphans().size(), "the file that arrived");
      SealedSegment sealed =
          new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
      CommitRefusedException e =
          assertThrows(
              CommitRefusedException.class,
              () ->
                  archive.commit(
                      ArchiveCommit.ofRanges(
                          List.of(sealed), List.of(new SourceRange("t:0", 900, 901, 5)), "test")));
      assertEquals(CommitRefusedException.Reason.SEGMENT_MISSING, e.reason());
      requireRightAnswers(archive, 10, SEED);
      assertEquals(1, archive.removeOrphans(Duration.ofSeconds(-1)).size());
      assertEquals(List.of(), archive.orphans());
    }
    assertTrue(ArchiveVerifier.verify(from("b")).isSound());
  }

  @Test
  void aCommitWhoseAnswerWasLostStandsOnce() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 1, 100);
      store.fault =
          (operation, name) -> {
            if (operation.equals("after putIfAbsent") && name.endsWith(".commit")) {
              throw new IOException("timeout");
            }
          };
      List<FlowBatch> batches = new Traffic(SEED + 5, false, 0).batches(100, 0, 1);
      assertThrows(IOException.class, () -> Traffic.commit(archive, batches));
      flows.addAll(batches);
      store.fault = (operation, name) -> {};
      requireRightAnswers(archive, 10, SEED);
    }
  }

  @Test
  void aStoreThatReplacesSilentlyIsRefusedAtTheStart() {
    MemoryStores.set(
        url,
        new MemoryObjectStore(url) {
          @Override
          public boolean putIfAbsent(String name, byte[] bytes) {
            put(name, bytes);
            return true;
          }
        });
    IOException e = assertThrows(IOException.class, () -> open(from("a")));
    assertTrue(
        e.getMessage().contains(url) && e.getMessage().contains("If-None-Match"), e.getMessage());
    assertFalse(Archive.exists(from("a")));
  }

  @Test
  void aStoreThatLooksFirstAndWritesThenIsRefusedAtTheStart() {
    MemoryStores.set(
        url,
        new MemoryObjectStore(url) {
          @Override
          public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
            boolean absent = length(name) < 0;
            try {
              Thread.sleep(50);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            if (absent) {
              put(name, bytes);
            }
            return absent;
          }
        });
    IOException e = assertThrows(IOException.class, () -> open(from("a")));
    assertTrue(e.getMessage().contains("at the same time"), e.getMessage());
  }

  @Test
  void anArchiveThatMayOnlyBeReadIsReadWithoutAProbe() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 2, 300);
    }
    store.fault =
        (operation, name) -> {
          if (operation.startsWith("put") || operation.equals("delete")) {
            throw new IOException("403 " + operation);
          }
        };
    try (Archive archive = Archive.open(from("b"), ArchiveOptions.DEFAULTS)) {
      requireRightAnswers(archive, 10, SEED);
      assertThrows(
          IOException.class,
          () ->
              archive.commit(
                  ArchiveCommit.ofRanges(
                      List.of(), List.of(new SourceRange("t:1", 0, 1, 5)), "test")));
    }
    assertThrows(IOException.class, () -> open(from("c")));
  }

  @Test
  void committersOfManyHostsNeverBothWinANumber() throws Exception {
    int hosts = 4;
    int commits = 25;
    open(from("a")).close();
    ExecutorService threads = Executors.newFixedThreadPool(hosts);
    List<Future<List<Long>>> numbers = new ArrayList<>();
    for (int h = 0; h < hosts; h++) {
      int host = h;
      numbers.add(
          threads.submit(
              () -> {
                List<Long> mine = new ArrayList<>();
                // Like another host: nothing is shared in this process.
                try (ArchiveStore at = from("host" + host).openStore()) {
                  Manifest manifest = Manifest.open(at, 8);
                  for (int c = 0; c < commits; c++) {
                    mine.add(
                        manifest.commit(range("t:" + host, c), CommitPreparation.NONE).number());
                    manifest.prune(Long.MAX_VALUE, System.currentTimeMillis() - 1000);
                  }
                }
                return mine;
              }));
    }
    Set<Long> all = new TreeSet<>();
    for (Future<List<Long>> mine : numbers) {
      all.addAll(mine.get());
    }
    threads.shutdown();
    assertEquals(hosts * commits, all.size(), "each number has one winner");
    try (Archive archive = open(from("a"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(all.size(), snapshot.number());
      for (int h = 0; h < hosts; h++) {
        assertEquals(commits, snapshot.committedEnd("t:" + h));
      }
    }
    assertTrue(ArchiveVerifier.verify(from("a")).isSound());
  }

  private static ArchiveCommit range(String source, int position) {
    return ArchiveCommit.ofRanges(
        List.of(), List.of(new SourceRange(source, position, position + 1, position)), "test");
  }

  @Test
  void whoSleptWhileHisNumberWasWrittenAndDeletedCommitsAnew() throws Exception {
    open(from("a")).close();
    try (ArchiveStore here = from("b").openStore();
        ArchiveStore there = from("c").openStore()) {
      Manifest slow = Manifest.open(here, 4);
      Manifest quick = Manifest.open(there, 4);
      slow.commit(range("t:0", 0), CommitPreparation.NONE);
      AtomicBoolean asleep = new AtomicBoolean(true);
      here.requireCommits();
      store.fault =
          (operation, name) -> {
            // Just before the slow one writes commit 2.
            if (operation.equals("putIfAbsent")
                && name.endsWith("02.commit")
                && asleep.compareAndSet(true, false)) {
              for (int c = 0; c < 20; c++) {
                quick.commit(range("t:1", c), CommitPreparation.NONE);
              }
              assertTrue(quick.prune(Long.MAX_VALUE, Long.MAX_VALUE) > 10);
              assertFalse(store.names().toString().contains("02.commit"));
            }
          };
      slow.commit(range("t:0", 1), CommitPreparation.NONE);
      assertFalse(asleep.get());
      assertEquals(22, slow.state().number());
    }
    store.fault = (operation, name) -> {};
    assertFalse(store.names().toString().contains("02.commit"), store.names().toString());
    try (Archive archive = open(from("a"))) {
      assertEquals(2, archive.committedEnd("t:0"));
      assertEquals(20, archive.committedEnd("t:1"));
    }
    assertTrue(ArchiveVerifier.verify(from("a")).isSound());
  }

  @Test
  void whereTheStoreCannotBeAskedExistsSaysSo() {
    store.fault =
        (operation, name) -> {
          throw new IOException("unreachable");
        };
    assertThrows(UncheckedIOException.class, () -> Archive.exists(from("a")));
  }
}
