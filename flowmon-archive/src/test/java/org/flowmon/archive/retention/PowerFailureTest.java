package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.unsynced.UnsyncedDisk;
import org.flowmon.archive.unsynced.UnsyncedStoreProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The power fails at any step of committing, expiring, merging and deleting, also after another
 * process was killed in between. Acknowledged flows remain; else the flows are those of before or
 * after.
 */
class PowerFailureTest {
  private static final int KEPT = 60;
  private static final int SLACK = 10;

  private static final ArchiveOptions OPTIONS = new ArchiveOptions(2, 8);

  @TempDir Path parent;
  private Random random;
  private UnsyncedDisk disk;
  private int copies;
  private boolean isSealed;

  /** The remains of a step. */
  private record Left(String step, Path archive, boolean isSealed) {}

  /** A process was killed at a step, and the machine keeps running. */
  private record Killed(String step, UnsyncedDisk disk, boolean isSealed) {}

  private final List<Left> lefts = new ArrayList<>();
  private final List<Killed> killed = new ArrayList<>();

  private interface Step {
    void run() throws IOException;
  }

  private UnsyncedDisk newDisk() throws IOException {
    return new UnsyncedDisk(Files.createDirectory(parent.resolve("disk" + copies++)));
  }

  private Path failed(UnsyncedDisk of, Predicate<String> folders, Predicate<String> files)
      throws IOException {
    Path copy = parent.resolve("failed" + copies++);
    of.afterPowerFailure(copy, folders, files);
    return copy.resolve("archive");
  }

  private static boolean none(String name) {
    return false;
  }

  /** Decides by chance for each folder or file. */
  private Predicate<String> chance() {
    long seed = random.nextLong();
    return name -> (new Random(seed ^ name.hashCode() * 0x9E37_79B9L).nextInt() & 1) == 0;
  }

  private void lookAt(String step) {
    try {
      if (step.startsWith("written") && random.nextInt(40) != 0) {
        return; // a segment is written in many pieces
      }
      boolean isLucky = random.nextBoolean();
      Path left =
          isLucky
              ? failed(disk, chance(), chance())
              : failed(disk, PowerFailureTest::none, PowerFailureTest::none);
      lefts.add(
          new Left(step + (isLucky ? ", some names or bytes are lucky" : ""), left, isSealed));
      if (random.nextInt(isSealed ? 3 : 10) == 0) {
        Path copy = Files.createDirectory(parent.resolve("killed" + copies++));
        killed.add(new Killed(step, disk.fork(copy), isSealed));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void watched(Step step) throws IOException {
    lefts.clear();
    killed.clear();
    isSealed = false;
    disk.listen(this::lookAt);
    step.run();
    disk.listen(s -> {});
  }

  @ParameterizedTest
  @ValueSource(longs = {2})
  void whatWasAcknowledgedIsThereAndElseTheFlowsOfBeforeOrAfter(long seed) throws IOException {
    random = new Random(seed);
    disk = newDisk();
    RetentionModel model = new RetentionModel(new Random(seed), false);
    model.beforeCommit = () -> isSealed = true;
    RetentionOptions limits = new RetentionOptions(KEPT, SLACK, 0, 0);
    try (Archive archive = Archive.openOrCreate(UnsyncedStoreProvider.archiveOf(disk), OPTIONS)) {
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
      for (int i = 0; i < 3; i++) {
        String context = "seed " + seed + ", commit " + i + ", ";
        Set<Long> before = model.ids();
        ArchiveCommit[] commit = new ArchiveCommit[1];
        watched(() -> commit[0] = model.commit(archive, 25, 2, 1_000_000));
        lefts.add(
            new Left(
                "acknowledged",
                failed(disk, PowerFailureTest::none, PowerFailureTest::none),
                true));
        model.expire(limits);
        checkAll(context, commit[0], before, model.ids());
        assertEquals(
            model.ids(),
            found(failed(disk, PowerFailureTest::none, PowerFailureTest::none)),
            context + "acknowledged");
        watched(
            () -> {
              new Compactor(archive, new CompactionOptions(30, 60)).step(() -> false);
              archive.updateDirectory(false, () -> false);
              archive.removeReplaced(Duration.ZERO);
            });
        checkAll(context + "merged, ", null, model.ids(), model.ids());
      }
    }
  }

  private void checkAll(String context, ArchiveCommit commit, Set<Long> before, Set<Long> after)
      throws IOException {
    assertTrue(!lefts.isEmpty(), context + "nothing was done");
    for (Left left : lefts) {
      check(context + left.step(), left.archive(), left.isSealed() ? commit : null, before, after);
    }
    for (Killed one : killed) {
      goOn(context + "killed: " + one.step(), one, one.isSealed() ? commit : null, before, after);
    }
  }

  /** Opens the remains and, if there was a pending commit, commits it again. */
  private void check(
      String context, Path archive, ArchiveCommit commit, Set<Long> before, Set<Long> after)
      throws IOException {
    Set<Long> found = found(archive);
    assertTrue(found.equals(before) || found.equals(after), context + ": " + found);
    assertEquals(List.of(), ArchiveVerifier.verify(archive).damages(), context);
    if (commit != null) {
      try (Archive again = Archive.open(archive)) {
        again.commit(commit);
      }
      assertEquals(after, found(archive), context + ", committed again");
    }
  }

  /** Another process commits the same and deletes unneeded files; then the power fails. */
  private void goOn(
      String context, Killed one, ArchiveCommit commit, Set<Long> before, Set<Long> after)
      throws IOException {
    UnsyncedDisk going = one.disk();
    List<Path> nasty = new ArrayList<>();
    Set<Long> least = commit == null ? before : after;
    try (Archive archive = Archive.open(UnsyncedStoreProvider.archiveOf(going), OPTIONS)) {
      if (commit != null) {
        archive.commit(commit);
        assertEquals(
            after,
            found(failed(going, PowerFailureTest::none, PowerFailureTest::none)),
            context + ", acknowledged");
      }
      going.listen(
          step -> {
            try {
              if (step.startsWith("deleted")) {
                nasty.add(failed(going, "archive/segments"::equals, PowerFailureTest::none));
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      archive.removeReplaced(Duration.ZERO);
      going.listen(s -> {});
    }
    for (Path left : nasty) {
      check(context + ", deleting", left, commit, least, after);
    }
  }

  private static Set<Long> found(Path archive) throws IOException {
    try (Archive opened = Archive.open(archive);
        ArchiveSnapshot snapshot = opened.snapshot()) {
      assertTrue(snapshot.storedRows() <= KEPT + SLACK);
      return RetentionModel.found(snapshot);
    }
  }

  @Test
  void anArchiveThatWasHalfMadeIsMadeAgainAndOneThatWasMadeIsThere() throws IOException {
    random = new Random(5);
    disk = newDisk();
    watched(() -> Archive.openOrCreate(UnsyncedStoreProvider.archiveOf(disk), OPTIONS).close());
    assertTrue(Archive.exists(failed(disk, PowerFailureTest::none, PowerFailureTest::none)));
    for (Left left : lefts) {
      Archive.openOrCreate(left.archive(), OPTIONS).close();
      assertEquals(Set.of(), found(left.archive()), left.step());
    }
  }

  @Test
  void whatIsCommittedToAnArchiveThatAKilledProcessBeganIsThere() throws IOException {
    disk = newDisk();
    List<Killed> begun = new ArrayList<>();
    disk.listen(
        step -> {
          try {
            Path copy = Files.createDirectory(parent.resolve("begun" + copies++));
            begun.add(new Killed(step, disk.fork(copy), false));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    Archive.openOrCreate(UnsyncedStoreProvider.archiveOf(disk), OPTIONS).close();
    disk.listen(s -> {});
    assertTrue(begun.size() > 5, begun.size() + " steps");
    for (Killed one : begun) {
      RetentionModel model = new RetentionModel(new Random(7), false);
      try (Archive archive =
          Archive.openOrCreate(UnsyncedStoreProvider.archiveOf(one.disk()), OPTIONS)) {
        model.commit(archive, 25, 2, 1_000_000);
        Path left = failed(one.disk(), PowerFailureTest::none, PowerFailureTest::none);
        assertTrue(Archive.exists(left), "killed: " + one.step());
        assertEquals(model.ids(), found(left), "killed: " + one.step());
      }
    }
  }
}
