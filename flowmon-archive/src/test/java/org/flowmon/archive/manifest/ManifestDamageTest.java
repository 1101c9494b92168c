package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestDamageTest {
  private static final int COMMITS = 7;

  @TempDir Path directory;
  private ArchiveStore store;
  private String sound;

  @BeforeEach
  void sevenCommitsWithASnapshotAtFour() throws IOException {
    store = new LocalArchiveStore(directory);
    Manifest.create(store);
    Manifest manifest = Manifest.open(store, 4);
    for (int i = 0; i < COMMITS; i++) {
      ManifestFixtures.commit(
          manifest, ManifestFixtures.commit("s" + i, new SourceRange("t:0", i, i + 1, i)));
    }
    sound = ManifestFixtures.describe(manifest.state());
    assertEquals(List.of(), ManifestAudit.of(store).damages());
  }

  private Path commit(long number) {
    return directory.resolve(ManifestFrame.Kind.COMMIT.fileName(number));
  }

  private Path snapshot() {
    return directory.resolve(ManifestFrame.Kind.SNAPSHOT.fileName(4));
  }

  private void requireNamed(Path file, String context) throws IOException {
    List<ManifestCorruptException> damages = ManifestAudit.of(store).damages();
    assertFalse(damages.isEmpty(), context);
    assertTrue(
        damages.stream().anyMatch(d -> directory.resolve(d.file()).equals(file)),
        context + ": " + damages);
  }

  private void requireRefusedOrSame(long number, String context) throws IOException {
    if (number < 4) {
      // The snapshot covers it: history is still complete.
      assertEquals(sound, ManifestFixtures.describe(Manifest.open(store, 4).state()), context);
    } else if (number > 4) {
      ManifestCorruptException e =
          assertThrows(ManifestCorruptException.class, () -> Manifest.open(store, 4), context);
      assertTrue(e.getMessage().contains(commit(number).getFileName().toString()), e.getMessage());
    }
  }

  @Test
  void everyFlippedByteOfACommitIsNamed() throws IOException {
    for (long number : new long[] {2, COMMITS}) {
      byte[] bytes = Files.readAllBytes(commit(number));
      for (int i = 0; i < bytes.length; i++) {
        byte[] flipped = bytes.clone();
        flipped[i] ^= (byte) (1 << i % 8);
        Files.write(commit(number), flipped);
        String context = "commit " + number + ", byte " + i;
        requireNamed(commit(number), context);
        requireRefusedOrSame(number, context);
      }
      Files.write(commit(number), bytes);
    }
  }

  @Test
  void everyTruncationOfACommitIsNamed() throws IOException {
    byte[] bytes = Files.readAllBytes(commit(6));
    for (int length = 0; length < bytes.length; length++) {
      Files.write(commit(6), Arrays.copyOf(bytes, length));
      requireNamed(commit(6), "length " + length);
      requireRefusedOrSame(6, "length " + length);
    }
  }

  @Test
  void aMissingCommitIsNamedEvenTheNewest() throws IOException {
    for (long number = 0; number <= COMMITS; number++) {
      byte[] bytes = Files.readAllBytes(commit(number));
      Files.delete(commit(number));
      requireNamed(commit(number), "commit " + number);
      requireRefusedOrSame(number, "commit " + number);
      Files.write(commit(number), bytes);
    }
    assertEquals(List.of(), ManifestAudit.of(store).damages());
  }

  @Test
  void aDamagedSnapshotIsNamedAndCostsNothingButTime() throws IOException {
    byte[] bytes = Files.readAllBytes(snapshot());
    for (int i = 0; i < bytes.length; i += 3) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= 0x10;
      Files.write(snapshot(), flipped);
      requireNamed(snapshot(), "byte " + i);
      assertEquals(sound, ManifestFixtures.describe(Manifest.open(store, 4).state()));
    }
    Files.delete(snapshot());
    assertEquals(sound, ManifestFixtures.describe(Manifest.open(store, 4).state()));
  }

  @Test
  void aCommitOfAnotherArchiveIsNamed() throws IOException {
    Path other = directory.resolve("other");
    ArchiveStore otherStore = new LocalArchiveStore(other);
    Manifest.create(otherStore);
    Manifest manifest = Manifest.open(otherStore, 64);
    for (int i = 0; i < COMMITS; i++) {
      ManifestFixtures.commit(
          manifest, ManifestFixtures.commit("o" + i, new SourceRange("t:0", i, i + 1, i)));
    }
    Files.copy(
        other.resolve(ManifestFrame.Kind.COMMIT.fileName(6)),
        commit(6),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    requireNamed(commit(6), "exchanged");
    requireRefusedOrSame(6, "exchanged");
  }

  @Test
  void aDamagedHintIsNamedAndIgnored() throws IOException {
    Path latest = directory.resolve(LatestCommit.FILE);
    byte[] bytes = Files.readAllBytes(latest);
    for (int i = 0; i < bytes.length; i++) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= 1;
      Files.write(latest, flipped);
      requireNamed(latest, "byte " + i);
      assertEquals(sound, ManifestFixtures.describe(Manifest.open(store, 4).state()));
    }
    Files.delete(latest);
    assertEquals(sound, ManifestFixtures.describe(Manifest.open(store, 4).state()));
  }
}
