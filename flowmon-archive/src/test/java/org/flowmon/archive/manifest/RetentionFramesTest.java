package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.flow.bytes.Crc32c;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the manifest with expired flows. */
class RetentionFramesTest {
  @TempDir Path directory;
  private ArchiveStore store;
  private Manifest manifest;

  /** Hides a given expiration. */
  private record Told(Expiration expiration) implements CommitPreparation {
    @Override
    public Expiration prepare(ManifestState before, ArchiveCommit commit) {
      return expiration;
    }

    @Override
    public void discard(Expiration unused, ManifestState now) {
      // nothing was written
    }
  }

  private static SealedSegment segment(String id) {
    return ManifestFixtures.segment(id, 10, 100);
  }

  private void commit(int number, Expiration expiration) throws IOException {
    manifest.commit(
        ArchiveCommit.ofRanges(
            List.of(segment("s" + number)),
            List.of(new SourceRange("t:0", number, number + 1, number)),
            "test"),
        new Told(expiration));
  }

  private static TimestampHistogram keys(long... times) {
    TimestampHistogram keys = new TimestampHistogram();
    for (long time : times) {
      keys.add(time);
    }
    return keys;
  }

  @BeforeEach
  void someCommitsThatHide() throws IOException {
    store = new LocalArchiveStore(directory);
    Manifest.create(store);
    manifest = Manifest.open(store, 4);
    commit(1, Expiration.NONE);
    assertEquals(3, version(1), "what knows of no limits stays as older readers know it");
    manifest.commit(
        ArchiveCommit.ofRetention(
            RetentionChange.to(new RetentionOptions(20, 10, 5, 1000)), "test"),
        new Told(new Expiration(1, 0, 0, Map.of(), List.of(), Map.of(), keys(100, 105))));
    commit(3, new Expiration(101, 4, 0, Map.of("s1", 4), List.of(), Map.of(), keys(110)));
    commit(
        4,
        new Expiration(
            102, 9, 2, Map.of("s3", 3), List.of(), Map.of("s1", segment("t1")), keys(1L << 40)));
    commit(5, new Expiration(102, 7, 0, Map.of(), List.of("s3"), Map.of(), null));
  }

  private int version(long number) throws IOException {
    byte[] bytes = Files.readAllBytes(commitFile(number));
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(4);
  }

  private Path commitFile(long number) {
    return directory.resolve(ManifestFrame.Kind.COMMIT.fileName(number));
  }

  private Path snapshotFile() {
    return directory.resolve(ManifestFrame.Kind.SNAPSHOT.fileName(4));
  }

  @Test
  void whatIsHiddenIsReadFromCommitsAndFromSnapshotsAlike() throws IOException {
    assertEquals(4, version(3));
    String state = ManifestFixtures.describe(manifest.state());
    assertEquals(state, ManifestFixtures.describe(Manifest.open(store, 4).state()));
    Files.delete(snapshotFile());
    ManifestState all = Manifest.open(store, 4).state();
    assertEquals(state, ManifestFixtures.describe(all));
    assertEquals(
        List.of("t1", "s4", "s5"), all.segments().stream().map(SealedSegment::id).toList());
    assertEquals(30, all.storedRows());
    assertEquals(30, all.rows());
    assertEquals(102, all.cutoff());
    assertEquals(20, all.expiredRows());
    assertEquals(2, all.lateRows());
    assertEquals(List.of("s1", "s3"), List.copyOf(all.removed().keySet()));
    assertEquals(new RetentionOptions(20, 10, 5, 1000), all.retention());
    assertEquals(List.of(), ManifestAudit.of(store).damages());
  }

  @Test
  void whatCannotBeHiddenIsRefusedByName() throws IOException {
    Expiration[] wrong = {
      new Expiration(103, 1, 0, Map.of("s9", 3), List.of(), Map.of(), null),
      new Expiration(103, 1, 0, Map.of("s4", 10), List.of(), Map.of(), null),
      new Expiration(103, 1, 0, Map.of("s4", 0), List.of(), Map.of(), null),
      new Expiration(103, 1, 0, Map.of(), List.of("s1"), Map.of(), null),
      new Expiration(103, 1, 0, Map.of(), List.of("s4", "s4"), Map.of(), null),
      new Expiration(103, 1, 0, Map.of("s4", 3), List.of("s4"), Map.of(), null),
      new Expiration(103, 1, 0, Map.of(), List.of(), Map.of("s4", segment("s5")), null),
      new Expiration(103, 1, 0, Map.of(), List.of(), Map.of("s9", segment("t9")), null)
    };
    ManifestState state = manifest.state();
    for (Expiration expiration : wrong) {
      byte[] bytes =
          CommitRecord.toBytes(
              6,
              state.archive(),
              state.checksum(),
              0,
              ManifestFixtures.commit("s6", new SourceRange("t:0", 6, 7, 6)),
              expiration);
      assertThrows(
          ManifestCorruptException.class,
          () -> state.with("six", CommitRecord.fromBytes("six", bytes, 6)),
          expiration.toString());
    }
  }

  /** Nonsense with a correct checksum ends in an error that names the file. */
  @Test
  void nonsenseUnderAGoodChecksumIsNamedOrReadNeverMore() throws IOException {
    SplittableRandom random = new SplittableRandom(9);
    int refused = 0;
    for (Path file : List.of(commitFile(2), commitFile(3), commitFile(4), snapshotFile())) {
      byte[] sound = Files.readAllBytes(file);
      for (int at = 52; at < sound.length - 4; at++) {
        byte[] bytes = sound.clone();
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        if (random.nextInt(4) == 0) {
          bytes = Arrays.copyOf(bytes, 56 + random.nextInt(sound.length - 56));
          ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(48, bytes.length - 56);
        }
        ByteBuffer.wrap(bytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(bytes.length - 4, Crc32c.of(bytes, 0, bytes.length - 4));
        refused += isRefused(file, bytes) ? 1 : 0;
      }
    }
    assertTrue(refused > 500, refused + " refused");
  }

  private static boolean isRefused(Path file, byte[] bytes) {
    String name = file.getFileName().toString();
    long number = Long.parseLong(name.substring(0, 20));
    try {
      if (name.endsWith(".snapshot")) {
        ManifestSnapshot.read(name, bytes, number).build();
      } else {
        CommitRecord.fromBytes(name, bytes, number);
      }
      return false;
    } catch (ManifestCorruptException e) {
      assertTrue(e.getMessage().contains(name), e.getMessage());
      return true;
    }
  }
}
