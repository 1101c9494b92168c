package org.flowmon.archive.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestAudit;
import org.flowmon.archive.manifest.ManifestFixtures;
import org.flowmon.archive.manifest.ManifestState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory as a crash would leave it after each step of a commit. */
class CrashDuringCommitTest {
  @TempDir Path parent;

  private void crashAtEveryStep(boolean useLinks) throws IOException {
    Path directory = parent.resolve("archive");
    Files.createDirectories(directory);
    Manifest.create(new LocalArchiveStore(directory));
    int[] copies = {0};
    Set<String> steps = new HashSet<>();
    LocalArchiveStore store =
        new LocalArchiveStore(
            directory,
            useLinks,
            step -> {
              steps.add(step);
              try {
                ManifestFixtures.copy(directory, parent.resolve("crash" + copies[0]++));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    Manifest manifest = Manifest.open(store, 2);
    for (int i = 0; i < 4; i++) {
      int first = copies[0];
      String before = ManifestFixtures.describe(manifest.state());
      ManifestFixtures.commit(
          manifest, ManifestFixtures.commit("s" + i, new SourceRange("t:0", i, i + 1, i)));
      String after = ManifestFixtures.describe(manifest.state());
      boolean isNew = false;
      for (int c = first; c < copies[0]; c++) {
        ManifestState found = check(c, i);
        String state = ManifestFixtures.describe(found);
        assertTrue(state.equals(before) || state.equals(after), "copy " + c + ": " + state);
        assertTrue(!isNew || state.equals(after), "copy " + c + " goes back");
        isNew = state.equals(after);
      }
      assertTrue(isNew);
    }
    assertTrue(steps.contains(useLinks ? "linked" : "renamed"), steps.toString());
  }

  /** Opens a copy, and repeats the commit: there must be exactly one in the end. */
  private ManifestState check(int copy, int commit) throws IOException {
    Path crashed = parent.resolve("crash" + copy);
    LocalArchiveStore store = new LocalArchiveStore(crashed);
    assertEquals(List.of(), ManifestAudit.of(store).damages(), "copy " + copy);
    Manifest reopened = Manifest.open(store, 2);
    ManifestState found = reopened.state();
    ManifestFixtures.commit(
        reopened,
        ManifestFixtures.commit("s" + commit, new SourceRange("t:0", commit, commit + 1, commit)));
    assertEquals(commit + 1, reopened.state().reach().committedEnd("t:0"));
    assertEquals(commit + 1, reopened.state().segments().size());
    assertEquals(List.of(), ManifestAudit.of(store).damages(), "copy " + copy);
    return found;
  }

  @Test
  void aCrashLeavesTheOldStateOrTheNewOne() throws IOException {
    crashAtEveryStep(true);
  }

  @Test
  void aCrashLeavesTheOldStateOrTheNewOneWithoutHardLinks() throws IOException {
    crashAtEveryStep(false);
  }

  @Test
  void onlyTheFirstPutOfANameSucceeds() throws IOException {
    for (boolean useLinks : new boolean[] {true, false}) {
      LocalArchiveStore store = new LocalArchiveStore(parent, useLinks, step -> {});
      String name = "folder/file" + useLinks;
      assertTrue(store.putIfAbsent(name, new byte[] {1}));
      assertEquals(false, store.putIfAbsent(name, new byte[] {2}));
      assertEquals(1, store.read(name, 10)[0]);
    }
  }

  @Test
  void aCommitWhoseAnswerIsLostIsFoundToStand() throws IOException {
    LocalArchiveStore local = new LocalArchiveStore(parent);
    Manifest.create(local);
    // Like a network file system that repeats a request and answers that the name is taken.
    ArchiveStore lossy =
        (ArchiveStore)
            Proxy.newProxyInstance(
                ArchiveStore.class.getClassLoader(),
                new Class<?>[] {ArchiveStore.class},
                (proxy, method, arguments) -> {
                  Object result = method.invoke(local, arguments);
                  return method.getName().equals("putIfAbsent") ? (Object) false : result;
                });
    Manifest manifest = Manifest.open(lossy, 100);
    ImportedFile file = new ImportedFile("0f".repeat(32), "conn.log", 9);
    for (boolean force : new boolean[] {false, true}) {
      CommitResult result =
          ManifestFixtures.commit(
              manifest,
              ArchiveCommit.ofFile(
                  List.of(ManifestFixtures.segment("s" + force, 3, 4)), file, force, "test"));
      assertEquals(CommitResult.Outcome.COMMITTED, result.outcome());
    }
    assertEquals(2, Manifest.open(local, 100).state().segments().size());
  }
}
