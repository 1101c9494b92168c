package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ForwardingArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old commits are deleted while others read and write. */
class PrunedManifestTest {
  @TempDir Path directory;
  private LocalArchiveStore store;
  private Manifest writer;
  private int commits;

  @BeforeEach
  void create() throws IOException {
    store = new LocalArchiveStore(directory);
    Manifest.create(store);
    writer = Manifest.open(store, 4);
  }

  private void commit(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      int n = commits++;
      ManifestFixtures.commit(
          writer, ManifestFixtures.commit("s" + n, new SourceRange("t:0", n, n + 1, n)));
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(Manifest.FOLDER))) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  private static String file(long number, String suffix) {
    return String.format("%020d%s", number, suffix);
  }

  @Test
  void whatIsLeftBeginsWithTheNewestSnapshotButOne() throws IOException {
    commit(18);
    assertTrue(writer.prune(Long.MAX_VALUE, Long.MAX_VALUE) > 0);
    assertEquals(0, writer.prune(Long.MAX_VALUE, Long.MAX_VALUE));
    assertEquals(
        List.of(
            file(12, ".commit"),
            file(12, ".pruned"),
            file(12, ".snapshot"),
            file(13, ".commit"),
            file(14, ".commit"),
            file(15, ".commit"),
            file(16, ".commit"),
            file(16, ".snapshot"),
            file(17, ".commit"),
            file(18, ".commit"),
            "latest"),
        files());
    assertEquals(
        ManifestFixtures.describe(writer.state()),
        ManifestFixtures.describe(Manifest.open(store, 4).state()));
    assertEquals(List.of(), ManifestAudit.of(store).damages());
    commit(20);
    writer.prune(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(file(32, ".commit"), files().get(0));
    assertEquals(List.of(), ManifestAudit.of(store).damages());
    assertEquals(38, Manifest.open(store, 4).state().segments().size());
  }

  @Test
  void whatALeaseHoldsStays() throws IOException {
    commit(30);
    writer.prune(9, Long.MAX_VALUE);
    assertEquals(file(8, ".commit"), files().get(0));
    assertEquals(List.of(), ManifestAudit.of(store).damages());
    assertEquals(0, writer.prune(3, Long.MAX_VALUE));
  }

  @Test
  void whoIsBehindFindsTheNewestAndWritesNoNumberTwice() throws IOException {
    Manifest behind = Manifest.open(store, 4);
    commit(30);
    writer.prune(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(30, behind.refresh().number());
    Manifest other = Manifest.open(store, 4);
    commit(30);
    writer.prune(Long.MAX_VALUE, Long.MAX_VALUE);
    CommitResult result =
        ManifestFixtures.commit(
            other, ManifestFixtures.commit("new", new SourceRange("u:0", 0, 1, 5)));
    assertEquals(61, result.number());
    assertEquals(61, writer.refresh().number());
    assertEquals(61, writer.state().segments().size());
  }

  @Test
  void anAuditThatCommitsAreDeletedUnderFindsNoDamage() throws IOException {
    commit(30);
    // Like a prune that read the leases just before the audit made its own.
    ArchiveStore pruned = new PruningStore();
    assertEquals(List.of(), ManifestAudit.of(pruned).damages());
    assertEquals(file(24, ".commit"), files().get(0));
    assertEquals(30, ManifestAudit.of(store).segments().size());
  }

  @Test
  void aCommitThatIsMissingBeyondTheMarkIsDamage() throws IOException {
    commit(30);
    writer.prune(Long.MAX_VALUE, Long.MAX_VALUE);
    Files.delete(directory.resolve(Manifest.FOLDER).resolve(file(26, ".commit")));
    List<ManifestCorruptException> damages = ManifestAudit.of(store).damages();
    assertTrue(damages.stream().anyMatch(d -> d.file().contains("26.commit")), damages.toString());
  }

  /** Deletes old commits as soon as they were listed. */
  private final class PruningStore extends ForwardingArchiveStore {
    PruningStore() {
      super(store);
    }

    @Override
    public List<StoredFile> list(String folder) throws IOException {
      List<StoredFile> files = super.list(folder);
      writer.prune(Long.MAX_VALUE, Long.MAX_VALUE);
      return files;
    }
  }
}
