package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.MemoryObjectStore;
import org.flowmon.archive.store.MemoryStores;
import org.flowmon.flow.FlowBatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A writer that sleeps between writing a commit and checking it finds it deleted: another host
 * continued from it and pruned. The commit stands nevertheless.
 */
class SleptAfterWritingTest {
  private static final long SEED = 502;

  @TempDir Path directory;
  private String url;
  private Sleeping store;
  private Archive archive;

  /** Runs an action once, after the commit of a number was put; may then lose the answer. */
  private static final class Sleeping extends MemoryObjectStore {
    private final boolean losesAnswer;
    private String name = "";
    private Runnable meanwhile;
    private final AtomicBoolean slept = new AtomicBoolean();

    Sleeping(String url, boolean losesAnswer) {
      super(url);
      this.losesAnswer = losesAnswer;
    }

    @Override
    public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
      boolean put = super.putIfAbsent(name, bytes);
      if (name.equals(this.name) && slept.compareAndSet(false, true)) {
        meanwhile.run();
        return put && !losesAnswer;
      }
      return put;
    }
  }

  @BeforeEach
  void name(TestInfo test) {
    url = "memory://" + test.getTestMethod().orElseThrow().getName() + "/slept";
  }

  private ArchiveLocation from(String host) {
    return ArchiveLocation.parse(
        url, Map.of("cache_directory", directory.resolve(host).toString(), "grace_seconds", "1"));
  }

  private Archive open(boolean losesAnswer) throws IOException {
    store = new Sleeping(url, losesAnswer);
    MemoryStores.set(url, store);
    archive = Archive.openOrCreate(from("a"), new ArchiveOptions(4, 1024));
    return archive;
  }

  private void fill(int segments, int rows) throws IOException {
    Traffic traffic = new Traffic(SEED, true, 0.05);
    for (int s = 0; s < segments; s++) {
      Traffic.commit(archive, traffic.batches(rows, 0.05, 0.06));
    }
  }

  private long number() throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.number();
    }
  }

  /** The next commit is written, then another host adds twenty and deletes old ones. */
  private void sleepAfterTheNextCommit() throws IOException {
    store.meanwhile =
        () -> {
          try (ArchiveStore there = from("c").openStore()) {
            Manifest quick = Manifest.open(there, 4);
            for (int c = 0; c < 20; c++) {
              SourceRange range = new SourceRange("t:1", c, c + 1, c);
              quick.commit(
                  ArchiveCommit.ofRanges(List.of(), List.of(range), "test"),
                  CommitPreparation.NONE);
            }
            assertTrue(quick.prune(Long.MAX_VALUE, Long.MAX_VALUE) > 10);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    store.name = ManifestFrame.Kind.COMMIT.fileName(number() + 1);
  }

  private void requireSound(long rows) throws IOException {
    assertTrue(store.slept.get());
    assertFalse(store.names().contains(store.name), "it was deleted");
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(rows, snapshot.rows());
      assertEquals(20, snapshot.committedEnd("t:1"));
    }
    assertEquals(List.of(), ArchiveVerifier.verify(from("d")).damages(), "seed " + SEED);
    assertEquals(List.of(), archive.orphans());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMergeStands(boolean losesAnswer) throws IOException {
    try (Archive opened = open(losesAnswer)) {
      fill(8, 300);
      sleepAfterTheNextCommit();
      Compactor.Step step =
          new Compactor(opened, new CompactionOptions(5000, 5000)).step(() -> false);
      assertNotNull(step, "it was not in vain");
      requireSound(8 * 300);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCommitThatTrimsStands(boolean losesAnswer) throws IOException {
    try (Archive opened = open(losesAnswer)) {
      fill(3, 2000);
      opened.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(new RetentionOptions(5000, 1000, 0, 0)), "test"));
      sleepAfterTheNextCommit();
      Traffic.commit(opened, new Traffic(9, true, 0.05).batches(2000, 0.05, 0.06));
      requireSound(5000);
    }
  }

  @Test
  void limitsAloneStandAndSayWhatTheyHid() throws IOException {
    try (Archive opened = open(false)) {
      fill(3, 2000);
      sleepAfterTheNextCommit();
      CommitResult result =
          opened.commit(
              ArchiveCommit.ofRetention(
                  RetentionChange.to(new RetentionOptions(5000, 5000, 0, 0)), "test"));
      assertFalse(result.isRepeat());
      assertEquals(1000, result.expiredRows());
      requireSound(5000);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(5000, snapshot.retention().rows());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anImportStandsAndIsNotRefused(boolean losesAnswer) throws IOException {
    try (Archive opened = open(losesAnswer)) {
      fill(2, 100);
      sleepAfterTheNextCommit();
      ImportedFile file = new ImportedFile("ab".repeat(32), "flows.log", 5);
      try (ArchiveImporter importer = new ArchiveImporter(opened, file, false)) {
        for (FlowBatch batch : new Traffic(SEED, false, 0).batches(500, 0, 1)) {
          importer.add(batch);
        }
        assertFalse(importer.commit("test").isRepeat());
      }
      requireSound(700);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void positionsWithoutFlowsStand(boolean losesAnswer) throws IOException {
    try (Archive opened = open(losesAnswer)) {
      fill(2, 100);
      sleepAfterTheNextCommit();
      SourceRange range = new SourceRange("t:2", 0, 7, 7);
      CommitResult result =
          opened.commit(ArchiveCommit.ofRanges(List.of(), List.of(range), "test"));
      assertFalse(result.isRepeat());
      assertEquals(3, result.number());
      assertEquals(7, opened.committedEnd("t:2"));
      requireSound(200);
    }
  }
}
