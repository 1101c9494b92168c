package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.manifest.ManifestFixtures;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.SteppingStoreProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory as a crash would leave it after each file operation of an expiration. */
class CrashDuringExpirationTest {
  private static final int KEPT = 60;
  private static final int SLACK = 10;

  @TempDir Path parent;
  private int copies;
  private final Set<String> steps = new HashSet<>();

  @AfterEach
  void listenToNothing() {
    SteppingStoreProvider.listen(step -> {});
  }

  private Path copy(int number) {
    return parent.resolve("crash" + number);
  }

  private void copyAtEachStep(Path directory) {
    SteppingStoreProvider.listen(
        step -> {
          steps.add(step);
          try {
            ManifestFixtures.copy(directory, copy(copies++));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void aCrashLeavesTheOldFlowsOrTheNewOnesAndARetryEndsInTheNew() throws IOException {
    Path directory = Files.createDirectories(parent.resolve("archive"));
    ArchiveLocation location = ArchiveLocation.parse("steps://" + directory);
    Random random = new Random(7);
    RetentionModel model = new RetentionModel(random, false);
    RetentionOptions limits = new RetentionOptions(KEPT, SLACK, 0, 0);
    try (Archive archive = Archive.openOrCreate(location, new ArchiveOptions(2, 8))) {
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
      for (int i = 0; i < 4; i++) {
        Set<Long> before = new HashSet<>(model.ids());
        int first = copies;
        copyAtEachStep(directory);
        ArchiveCommit commit = model.commit(archive, 25, 2, 1_000_000);
        SteppingStoreProvider.listen(step -> {});
        model.expire(limits);
        boolean isNew = false;
        for (int c = first; c < copies; c++) {
          isNew = check(c, commit, before, model.ids(), isNew);
        }
        assertTrue(isNew);
        // Merging and deleting change no answer, wherever they stop.
        first = copies;
        copyAtEachStep(directory);
        new Compactor(archive, new CompactionOptions(30, 60)).step(() -> false);
        archive.removeReplaced(Duration.ZERO);
        SteppingStoreProvider.listen(step -> {});
        for (int c = first; c < copies; c++) {
          check(c, null, model.ids(), model.ids(), false);
        }
      }
    }
    assertTrue(steps.containsAll(Set.of("published", "linked", "deleted")), steps.toString());
  }

  /** Opens a copy and commits again; returns whether it had the new flows already. */
  private boolean check(
      int number, ArchiveCommit commit, Set<Long> before, Set<Long> after, boolean wasNew)
      throws IOException {
    String context = "copy " + number;
    assertEquals(List.of(), ArchiveVerifier.verify(copy(number)).damages(), context);
    boolean isNew;
    try (Archive archive = Archive.open(copy(number))) {
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        Set<Long> found = RetentionModel.found(snapshot);
        isNew = found.equals(after);
        assertTrue(isNew || (found.equals(before) && !wasNew), context + ": " + found);
        assertTrue(snapshot.storedRows() <= KEPT + SLACK, context);
      }
      if (commit != null) {
        assertEquals(isNew, archive.commit(commit).isRepeat(), context);
      }
      archive.removeReplaced(Duration.ZERO);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(after, RetentionModel.found(snapshot), context);
        assertTrue(snapshot.storedRows() <= KEPT + SLACK, context);
      }
    }
    assertEquals(List.of(), ArchiveVerifier.verify(copy(number)).damages(), context);
    return isNew;
  }
}
