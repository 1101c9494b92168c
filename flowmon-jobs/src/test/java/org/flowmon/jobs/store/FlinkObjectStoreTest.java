package org.flowmon.jobs.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.manifest.CommitPreparation;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestAudit;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.RemoteArchiveStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkObjectStoreTest {
  @TempDir Path directory;

  /** Flink's local file system, but with a rename that never replaces, as in HDFS. */
  private static final class KeepingFileSystem extends LocalFileSystem {
    @Override
    public boolean rename(org.apache.flink.core.fs.Path from, org.apache.flink.core.fs.Path to)
        throws IOException {
      try {
        Files.createLink(Path.of(to.getPath()), Path.of(from.getPath()));
      } catch (java.nio.file.FileAlreadyExistsException e) {
        return false;
      }
      return delete(from, false);
    }
  }

  private FlinkObjectStore store(FileSystem files) {
    return new FlinkObjectStore(files, directory.resolve("store").toUri());
  }

  private RemoteArchiveStore archive(FlinkObjectStore store, String host) throws IOException {
    return new RemoteArchiveStore(
        store,
        new RemoteArchiveStore.Options(directory.resolve(host), 1 << 20, Duration.ofSeconds(1)));
  }

  @Test
  void aFileSystemThatReplacesWhenItRenamesIsRefusedEachTime() throws IOException {
    for (int i = 0; i < 100; i++) {
      try (ArchiveStore store = archive(store(new LocalFileSystem()), "a")) {
        IOException e = assertThrows(IOException.class, store::requireCommits, "probe " + i);
        assertTrue(
            e.getMessage().contains("nothing can be committed")
                && e.getMessage().contains("it replaced a file"),
            e.getMessage());
        assertThrows(IOException.class, () -> Manifest.create(store), "probe " + i);
      }
    }
  }

  @Test
  void filesAreWrittenWholeReadAndListed() throws IOException {
    byte[] bytes = new byte[100_000];
    new Random(5).nextBytes(bytes);
    Path local = Files.write(directory.resolve("local"), bytes);
    try (FlinkObjectStore store = store(new KeepingFileSystem())) {
      assertEquals(List.of(), store.list("segments"));
      assertNull(store.read("segments/x", 10));
      assertEquals(-1, store.length("segments/x"));
      assertThrows(NoSuchFileException.class, () -> store.readRange("segments/x", 0, 1));
      store.put("segments/x", local);
      assertEquals(bytes.length, store.length("segments/x"));
      assertArrayEquals(bytes, store.read("segments/x", bytes.length));
      assertThrows(IOException.class, () -> store.read("segments/x", bytes.length - 1));
      assertArrayEquals(
          java.util.Arrays.copyOfRange(bytes, 500, 1500), store.readRange("segments/x", 500, 1000));
      assertThrows(IOException.class, () -> store.readRange("segments/x", bytes.length - 1, 2));
      assertTrue(store.putIfAbsent("segments/y", new byte[] {1}));
      assertFalse(store.putIfAbsent("segments/y", new byte[] {2}));
      assertArrayEquals(new byte[] {1}, store.read("segments/y", 10));
      store.put("segments/y", new byte[] {3});
      assertArrayEquals(new byte[] {3}, store.read("segments/y", 10));
      assertEquals(
          List.of("segments/x", "segments/y"),
          store.list("segments").stream().map(file -> file.name()).toList(),
          "no temporary file is left");
      assertTrue(store.delete("segments/x"));
      assertEquals(-1, store.length("segments/x"));
    }
  }

  @Test
  void commitsAndFilesOfAnArchiveGoThroughIt() throws IOException {
    try (ArchiveStore store = archive(store(new KeepingFileSystem()), "a");
        ArchiveStore other = archive(store(new KeepingFileSystem()), "b")) {
      assertTrue(Manifest.create(store));
      assertFalse(Manifest.create(other));
      Manifest one = Manifest.open(store, 4);
      Manifest two = Manifest.open(other, 4);
      for (int i = 0; i < 20; i++) {
        (i % 2 == 0 ? one : two)
            .commit(
                ArchiveCommit.ofRanges(
                    List.of(), List.of(new SourceRange("t:0", i, i + 1, i)), "test"),
                CommitPreparation.NONE);
      }
      assertEquals(20, one.refresh().reach().committedEnd("t:0"));
      assertEquals(List.of(), ManifestAudit.of(other).damages());
      byte[] bytes = {1, 2, 3};
      Files.write(store.writeFolder("segments").resolve("f"), bytes);
      store.publish("segments/f");
      try (HeldFolder held = other.asStored(List.of("segments/f", "segments/none"))) {
        assertArrayEquals(bytes, Files.readAllBytes(held.folder().resolve("f")));
        assertFalse(Files.exists(held.folder().resolve("none")));
      }
    }
  }

  @Test
  void aSchemeThatFlinkDoesNotKnowIsNamed() {
    IOException e =
        assertThrows(
            IOException.class, () -> ArchiveLocation.parse("nowhere://host/x").openStore());
    assertTrue(e.getMessage().contains("nowhere"), e.getMessage());
  }
}
