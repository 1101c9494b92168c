package org.flowmon.archive.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.flowmon.archive.days.DayTraffic;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostDirectoryTest {
  private static final UUID ARCHIVE = new UUID(1, 2);
  private static final String SEGMENTS = "segments";

  @TempDir Path directory;

  private static List<RunProblem> problems(ArchiveStore store, List<SealedSegment> segments)
      throws IOException {
    try (HostDirectory hosts = new HostDirectory(store, ARCHIVE)) {
      return hosts.check(SEGMENTS, segments);
    }
  }

  /** Any changed content of a run, with correct checksums, is found and named. */
  @Test
  void aRunThatDoesNotSayWhatItsSegmentsHoldIsFound() throws IOException {
    Random random = new Random(5);
    Path folder = Files.createDirectories(directory.resolve(SEGMENTS));
    List<SealedSegment> segments = new ArrayList<>();
    SegmentWriter writer = new SegmentWriter();
    for (int s = 0; s < 70; s++) {
      segments.add(
          writer.seal(folder, new DayTraffic(s, 0.1, true).batches(50, 0, 1), Provenance.NONE));
    }
    try (ArchiveStore store = ArchiveLocation.of(directory).openStore()) {
      try (HostDirectory hosts = new HostDirectory(store, ARCHIVE)) {
        BitSet all = new BitSet();
        all.set(0, segments.size());
        hosts.update(SEGMENTS, segments, all, false, () -> false);
      }
      assertEquals(List.of(), problems(store, segments));
      try (HostDirectory hosts = new HostDirectory(store, ARCHIVE)) {
        assertEquals(List.of(), hosts.check(SEGMENTS, segments));
        assertEquals(List.of(), hosts.check(SEGMENTS, segments.subList(3, 66)));
      }
      Path run;
      try (Stream<Path> files = Files.list(directory.resolve(HostDirectory.FOLDER))) {
        run = files.findFirst().orElseThrow();
      }
      byte[] sound = Files.readAllBytes(run);
      int index = sound.length - HostRunFormat.FRAME.tailBytes();
      index -=
          java.nio.ByteBuffer.wrap(sound)
              .order(java.nio.ByteOrder.LITTLE_ENDIAN)
              .getInt(index + 32);
      for (int i = 0; i < 60; i++) {
        byte[] hurt = sound.clone();
        int at = RunFrame.HEADER_BYTES + HostRunFormat.BLOCK_HEADER_BYTES;
        at += random.nextInt(index - at);
        hurt[at] ^= (byte) (1 << random.nextInt(8));
        HostRunTest.repair(hurt);
        Files.delete(run);
        Files.write(run, hurt);
        List<RunProblem> problems = problems(store, segments);
        assertEquals(1, problems.size(), "byte " + at);
        assertEquals(run.getFileName().toString(), problems.get(0).run());
        assertTrue(problems.get(0).what().length() > 10);
      }
    }
  }
}
