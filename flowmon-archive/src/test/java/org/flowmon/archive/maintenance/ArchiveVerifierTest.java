package org.flowmon.archive.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveVerifierTest {
  private static final long SEED = 5;

  @TempDir Path directory;

  @BeforeEach
  void threeCommitsAndASnapshotOfTheManifest() throws IOException {
    try (Archive archive = Archive.create(directory, new ArchiveOptions(2, 8))) {
      for (int i = 0; i < 3; i++) {
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(seal(archive, i)), List.of(new SourceRange("t:0", i, i + 1, i)), "test"));
      }
    }
  }

  private static SealedSegment seal(Archive archive, int i) throws IOException {
    FlowBatchBuilder builder = new FlowBatchBuilder(300);
    Random random = new Random(SEED + i);
    while (!builder.isFull()) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_000_000L * i + random.nextInt(1000));
      builder.set(FlowColumn.END_TIME, 1_000_000L * i + random.nextInt(1000));
      builder.setIpv4(FlowColumn.SRC_ADDR, random.nextInt(40));
      builder.set(FlowColumn.BYTES, random.nextInt(100_000));
      builder.setText(FlowColumn.SERVICE, "s" + random.nextInt(5));
      builder.endRow();
    }
    List<FlowBatch> batches = List.of(FlowBatch.open(builder.build(1, 0, 300, 0)));
    return new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.getParent().endsWith("leases")) // locks hold no data
          .sorted()
          .toList();
    }
  }

  private void requireNamed(Path file, String context) throws IOException {
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertTrue(
        report.damages().stream().anyMatch(d -> d.file().equals(file.toString())),
        context + " of " + file + ", seed " + SEED + ": " + report);
    assertFalse(report.isSound());
    assertEquals(
        List.of(), report.orphans(), context + ": what is committed is never called an orphan");
  }

  @Test
  void aSoundArchiveIsSound() throws IOException {
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertEquals(List.of(), report.damages());
    assertEquals(List.of(), report.orphans());
    assertTrue(report.isSound());
    assertEquals(4, report.commits());
    assertEquals(3, report.segments());
    assertEquals(900, report.rows());
    long bytes = 0;
    for (Path file : files()) {
      bytes += Files.size(file);
    }
    long latest = Files.size(directory.resolve("manifest/latest"));
    assertEquals(bytes - latest, report.bytes());
  }

  @Test
  void flippedBytesOfEveryFileAreNamed() throws IOException {
    Random random = new Random(SEED);
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      for (int i = 0; i < 25; i++) {
        byte[] flipped = bytes.clone();
        int at = i < 5 ? i : i < 10 ? bytes.length - i + 4 : random.nextInt(bytes.length);
        flipped[at] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, flipped);
        requireNamed(file, "byte " + at);
      }
      Files.write(file, bytes);
    }
    assertTrue(ArchiveVerifier.verify(directory).isSound());
  }

  @Test
  void truncatedLongerAndMissingFilesAreNamed() throws IOException {
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      for (int length : new int[] {0, 1, bytes.length / 2, bytes.length - 1, bytes.length + 1}) {
        Files.write(file, Arrays.copyOf(bytes, length));
        requireNamed(file, "length " + length);
      }
      Files.delete(file);
      String name = file.getFileName().toString();
      // These two are derived from the commits: their loss loses nothing.
      if (name.equals("latest") || name.endsWith(".snapshot")) {
        assertTrue(ArchiveVerifier.verify(directory).isSound());
      } else {
        requireNamed(file, "missing");
      }
      Files.write(file, bytes);
    }
  }

  @Test
  void orphansAreNoDamage() throws IOException {
    Path segment = directory.resolve("segments/left-behind.parquet");
    Path temporary = directory.resolve("manifest/.tmp-1");
    Files.write(segment, new byte[] {1});
    Files.write(temporary, new byte[] {2});
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertTrue(report.isSound());
    assertEquals(List.of(temporary.toString(), segment.toString()), report.orphans());
  }

  @Test
  void whatIsNoArchiveIsNotSound() {
    assertThrows(
        NoSuchFileException.class, () -> ArchiveVerifier.verify(directory.resolve("none")));
    assertFalse(Archive.exists(directory.resolve("none")));
  }
}
