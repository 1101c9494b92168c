package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.Crc32c;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a manifest with any bytes and a correct checksum: read, or refused as damage. */
class ForgedManifestTest {
  private static final long SEED = 1711;
  private static final int HEADER = 52;
  private static final int ROUNDS = 4000;

  @TempDir Path directory;

  private static SealedSegment seal(Archive archive, int i) throws IOException {
    FlowBatchBuilder builder = new FlowBatchBuilder(50);
    while (!builder.isFull()) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_000_000L * i);
      builder.set(FlowColumn.END_TIME, 1_000_000L * i);
      builder.setIpv4(FlowColumn.SRC_ADDR, i);
      builder.endRow();
    }
    List<FlowBatch> rows = List.of(FlowBatch.open(builder.build(1, 0, 50, 0)));
    return archive.seal(archive.newSegmentWriter(), rows, Provenance.NONE);
  }

  /** Commits of most kinds, and snapshots of their sum. */
  private void fill() throws IOException {
    try (Archive archive = Archive.create(directory, new ArchiveOptions(3, 8))) {
      for (int i = 0; i < 4; i++) {
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(seal(archive, i)), List.of(new SourceRange("t:0", i, i + 1, i)), "test"));
      }
      archive.commit(
          ArchiveCommit.ofFile(
              List.of(seal(archive, 5)),
              new ImportedFile("00".repeat(32), "name", 10),
              false,
              "test"));
      archive.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(RetentionOptions.of(120, 40, Duration.ZERO, 0)), "test"));
      archive.commit(
          ArchiveCommit.ofRanges(
              List.of(seal(archive, 6)), List.of(new SourceRange("t:0", 4, 6, 6)), "test"));
    }
  }

  private static byte[] forge(byte[] bytes, Random random) {
    byte[] sections = java.util.Arrays.copyOfRange(bytes, HEADER, bytes.length - 4);
    for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
      int at = random.nextInt(sections.length);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(sections, 0, at);
      int kind = random.nextInt(6);
      int n = Math.min(1 + random.nextInt(40), sections.length - at);
      switch (kind) {
        case 0 -> out.write(sections, at + n, sections.length - at - n); // cut out
        case 1 -> { // repeated
          out.write(sections, at, n);
          out.write(sections, at, sections.length - at);
        }
        case 2 -> { // a large or negative number
          byte[] number = new byte[Math.min(8, sections.length - at)];
          java.util.Arrays.fill(number, (byte) (random.nextBoolean() ? 0xFF : 0x7F));
          out.writeBytes(number);
          out.write(sections, at + number.length, sections.length - at - number.length);
        }
        default -> {
          out.write(random.nextInt());
          out.write(sections, at + 1, sections.length - at - 1);
        }
      }
      sections = out.size() == 0 ? new byte[1] : out.toByteArray();
    }
    ByteBuffer forged =
        ByteBuffer.allocate(HEADER + sections.length + 4).order(ByteOrder.LITTLE_ENDIAN);
    forged.put(bytes, 0, HEADER).put(sections).putInt(48, sections.length);
    if (random.nextInt(20) == 0) {
      forged.put(random.nextInt(HEADER), (byte) random.nextInt());
    }
    forged.putInt(Crc32c.of(forged.array(), 0, forged.position()));
    return forged.array();
  }

  private void openAndAudit(Path file, String context) throws IOException {
    try {
      Manifest.open(new LocalArchiveStore(directory), 100).state().segments();
    } catch (ManifestCorruptException e) {
      // Damage may be reported.
    } catch (RuntimeException | Error e) {
      throw new AssertionError(context + ": open with " + file, e);
    }
    try {
      ManifestAudit.of(new LocalArchiveStore(directory));
    } catch (RuntimeException | Error e) {
      throw new AssertionError(context + ": audit with " + file, e);
    }
  }

  @Test
  void anyBytesBehindARightChecksumAreReadOrRefusedAsDamage() throws IOException {
    fill();
    Path folder = directory.resolve("manifest");
    int files = 0;
    try (var all = Files.list(folder)) {
      for (Path file : all.filter(f -> f.toString().matches(".*(commit|snapshot)")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        boolean whole = bytes.length > HEADER + 8;
        for (int round = 0; whole && round < ROUNDS / 8; round++) {
          long seed = SEED + round;
          Files.write(file, forge(bytes, new Random(seed)));
          openAndAudit(file, "seed " + seed);
        }
        Files.write(file, bytes);
        files++;
      }
    }
    assertTrue(files > 8, files + " files");
  }
}
