package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentCommitTest {
  private static final int COMMITS = 40;

  @TempDir Path directory;

  /** Commits ranges that only this committer has, and ranges that all have. */
  static int commitAll(Path directory, int committer) throws Exception {
    Manifest manifest = Manifest.open(new LocalArchiveStore(directory), 8);
    int committed = 0;
    for (int i = 0; i < COMMITS; i++) {
      String id = "c" + committer + "-" + i;
      ManifestFixtures.commit(
          manifest,
          ManifestFixtures.commit(id, new SourceRange("own:" + committer, 2L * i, 2L * i + 2, i)));
      CommitResult result =
          ManifestFixtures.commit(
              manifest,
              ManifestFixtures.commit(id + "-all", new SourceRange("all", 3L * i, 3L * i + 3, i)));
      committed += result.isRepeat() ? 0 : 1;
    }
    return committed;
  }

  /** Runs in a process of its own. */
  public static void main(String[] args) throws Exception {
    System.out.println(commitAll(Path.of(args[0]), Integer.parseInt(args[1])));
  }

  private void check(int committers, int sharedCommitted) throws Exception {
    ArchiveStore store = new LocalArchiveStore(directory);
    ManifestAudit audit = ManifestAudit.of(store);
    assertEquals(List.of(), audit.damages());
    assertEquals(List.of(), audit.orphans());
    ManifestState state = Manifest.open(store, 8).state();
    assertEquals(COMMITS, sharedCommitted, "each shared range is committed by exactly one");
    assertEquals(COMMITS * (committers + 1), state.segments().size());
    assertEquals(COMMITS * (committers + 1L), state.number());
    assertEquals(3L * COMMITS, state.reach().committedEnd("all"));
    for (int c = 0; c < committers; c++) {
      assertEquals(2L * COMMITS, state.reach().committedEnd("own:" + c));
    }
    assertEquals(List.of(), state.reach().gaps());
  }

  @Test
  void threadsThatCommitAtTheSameTimeLoseNothingAndDoubleNothing() throws Exception {
    Manifest.create(new LocalArchiveStore(directory));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> committers = new ArrayList<>();
      for (int c = 0; c < 4; c++) {
        int committer = c;
        committers.add(() -> commitAll(directory, committer));
      }
      int committed = 0;
      for (Future<Integer> one : threads.invokeAll(committers)) {
        committed += one.get();
      }
      check(4, committed);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void processesThatCommitAtTheSameTimeLoseNothingAndDoubleNothing() throws Exception {
    Manifest.create(new LocalArchiveStore(directory));
    Path output = Files.createTempFile("committer", ".txt");
    Process child =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-cp",
                System.getProperty("java.class.path"),
                ConcurrentCommitTest.class.getName(),
                directory.toString(),
                "1")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(output.toFile())
            .start();
    try {
      // Begins together with the child: else one would end before the other starts.
      ArchiveStore store = new LocalArchiveStore(directory);
      while (child.isAlive() && !store.exists(ManifestFrame.Kind.COMMIT.fileName(1))) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      int own = commitAll(directory, 0);
      assertTrue(child.waitFor(60, TimeUnit.SECONDS), "the other process does not end");
      String text = Files.readString(output, StandardCharsets.UTF_8).trim();
      assertEquals(0, child.exitValue(), text);
      check(2, own + Integer.parseInt(text));
    } finally {
      child.destroyForcibly();
      Files.deleteIfExists(output);
    }
  }
}
