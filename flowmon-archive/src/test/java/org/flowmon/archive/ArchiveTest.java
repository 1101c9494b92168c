package org.flowmon.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitRefusedException.Reason;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchiveTest {
  private static final ImportedFile FILE = new ImportedFile("0f".repeat(32), "conn.log", 9);

  @TempDir Path parent;
  private Path directory;

  @BeforeEach
  void name() {
    directory = parent.resolve("archive");
  }

  private static FlowBatch batch(int rows, long time) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.END_TIME, time + i);
      builder.set(FlowColumn.ARRIVAL, time + i + 5);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000000 + i);
      builder.set(FlowColumn.BYTES, i);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rows, 0));
  }

  private static SealedSegment seal(Archive archive, int rows, long time) throws IOException {
    return new SegmentWriter()
        .seal(archive.segmentsDirectory(), List.of(batch(rows, time)), Provenance.NONE);
  }

  private static ArchiveCommit commit(SealedSegment segment, long first, long end) {
    return ArchiveCommit.ofRanges(
        List.of(segment), List.of(new SourceRange("t:0", first, end, end)), "test");
  }

  private List<String> segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void anArchiveIsMadeOnce() throws IOException {
    assertFalse(Archive.exists(directory));
    assertThrows(NoSuchFileException.class, () -> Archive.open(directory));
    Archive.create(directory, ArchiveOptions.DEFAULTS).close();
    assertTrue(Archive.exists(directory));
    assertThrows(
        FileAlreadyExistsException.class, () -> Archive.create(directory, ArchiveOptions.DEFAULTS));
    Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS).close();
  }

  @Test
  void newSegmentsAreSealedAsTheArchiveIsSet() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      assertEquals(SegmentOptions.LOOKUP, archive.segmentOptions());
      Files.writeString(directory.resolve("settings"), "later: kept\nsegments: lookup\n");
      SegmentOptions options = SegmentOptions.COMPACT.withPageBytes(1 << 20);
      archive.setSegmentOptions(options);
      assertEquals(
          "later: kept\nsegments: " + options + "\n",
          Files.readString(directory.resolve("settings")));
      assertEquals(options, archive.newSegmentWriter().options());
      Files.writeString(directory.resolve("settings"), "segments: tiny\n");
      IOException e = assertThrows(IOException.class, archive::segmentOptions);
      assertTrue(e.getMessage().contains("settings: 'segments: tiny': no profile"), e.getMessage());
    }
  }

  @Test
  void twoUsersInOneProcessSeeEachOthersCommits() throws IOException {
    try (Archive one = Archive.create(directory, ArchiveOptions.DEFAULTS);
        Archive two = Archive.open(directory)) {
      one.commit(commit(seal(one, 10, 100), 0, 4));
      assertEquals(4, two.committedEnd("t:0"));
      assertEquals(-1, two.committedEnd("t:1"));
      assertEquals(4, two.historyThrough());
    }
  }

  @Test
  void aSnapshotOutlivesItsArchive() throws IOException {
    Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
    SealedSegment segment = seal(archive, 10, 100);
    archive.commit(commit(segment, 0, 4));
    ArchiveSnapshot snapshot = archive.snapshot();
    archive.close();
    try (SegmentLease lease = snapshot.open(snapshot.segments().get(0), true)) {
      snapshot.close();
      assertEquals(10, lease.rows().rows());
      long[] bytes = new long[10];
      lease.rows().readLongs(FlowColumn.BYTES, 0, 10, bytes);
      assertEquals(9, bytes[9]);
    }
    assertThrows(IllegalStateException.class, () -> snapshot.open(segment, true));
    assertThrows(IllegalStateException.class, archive::snapshot);
  }

  @Test
  void noMoreSegmentsStayOpenThanAllowed() throws IOException {
    try (Archive archive = Archive.create(directory, new ArchiveOptions(64, 3))) {
      for (int i = 0; i < 8; i++) {
        archive.commit(commit(seal(archive, 5, i), i, i + 1));
      }
      OpenSegments open =
          new OpenSegments(new LocalArchiveStore(archive.directory()), 3, () -> true);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        List<SegmentLease> leases = new ArrayList<>();
        for (SealedSegment segment : snapshot.segments()) {
          leases.add(open.lease(segment, true, 0));
        }
        assertEquals(8, open.size());
        for (SegmentLease lease : leases) {
          assertEquals(5, lease.rows().rows());
          lease.close();
          lease.close();
        }
        assertEquals(3, open.size());
      }
      open.close();
      assertEquals(0, open.size());
    }
  }

  @Test
  void aSegmentWithoutItsFilesIsRefused() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment = seal(archive, 10, 100);
      Files.delete(archive.segmentsDirectory().resolve(segment.indexFileName()));
      CommitRefusedException refused =
          assertThrows(CommitRefusedException.class, () -> archive.commit(commit(segment, 0, 4)));
      assertEquals(Reason.SEGMENT_MISSING, refused.reason());
      assertTrue(refused.getMessage().contains(segment.indexFileName()), refused.getMessage());
      assertEquals(-1, archive.committedEnd("t:0"));
    }
  }

  @Test
  void aRepeatIsAcknowledgedEvenWhereItsSegmentsWereCleanedAway() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      archive.commit(commit(seal(archive, 10, 100), 0, 4));
      SealedSegment again = seal(archive, 10, 100);
      Files.delete(archive.segmentsDirectory().resolve(again.fileName()));
      assertTrue(archive.commit(commit(again, 0, 4)).isRepeat());
    }
  }

  @Test
  void orphansAreNamedAndOnlyOldOnesRemoved() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment kept = seal(archive, 10, 100);
      archive.commit(commit(kept, 0, 4));
      assertEquals(List.of(), archive.orphans());
      SealedSegment fresh = seal(archive, 10, 200);
      SealedSegment old = seal(archive, 10, 300);
      Path temporary = directory.resolve("manifest/.tmp-left");
      Files.write(temporary, new byte[] {1});
      FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(3)));
      List<Path> aged =
          List.of(
              temporary,
              archive.segmentsDirectory().resolve(old.indexFileName()),
              archive.segmentsDirectory().resolve(old.fileName()),
              archive.segmentsDirectory().resolve(kept.fileName()));
      for (Path file : aged) {
        Files.setLastModifiedTime(file, longAgo);
      }
      assertEquals(5, archive.orphans().size());
      assertEquals(
          aged.subList(0, 3).stream().map(Path::toString).sorted().toList(),
          archive.removeOrphans(Duration.ofDays(2)).stream().sorted().toList());
      assertEquals(4, segmentFiles().size());
      assertTrue(segmentFiles().contains(kept.fileName()));
      assertTrue(segmentFiles().contains(fresh.fileName()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void anImportIsAllOrNothing(int threads) throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      try (ArchiveImporter importer = new ArchiveImporter(archive, FILE, false, 25, threads)) {
        for (int i = 0; i < 10; i++) {
          importer.add(batch(10, i));
        }
      }
      assertEquals(List.of(), segmentFiles());
      try (ArchiveImporter importer = new ArchiveImporter(archive, FILE, false, 25, threads)) {
        for (int i = 0; i < 10; i++) {
          importer.add(batch(10, i));
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            assertEquals(0, snapshot.rows());
          }
        }
        assertEquals(100, importer.rows());
        importer.commit("test");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(100, snapshot.rows());
        assertEquals(5, snapshot.segments().size());
        assertTrue(snapshot.isImported(FILE.sha256()));
        assertEquals(9 + 9 + 5, snapshot.historyThrough());
      }
      assertEquals(List.of(), archive.orphans());
    }
  }

  @Test
  void segmentsAreTheSameHoweverManyThreadsSealThem() throws IOException {
    List<List<String>> found = new ArrayList<>();
    for (int threads : new int[] {1, 2, 5}) {
      Path folder = directory.resolve("by-" + threads);
      try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS);
          ArchiveImporter importer = new ArchiveImporter(archive, FILE, false, 100, threads)) {
        for (int i = 0; i < 60; i++) {
          importer.add(batch(10 + i, 1000 - i));
        }
        importer.commit("test");
        try (ArchiveSnapshot snapshot = archive.snapshot()) {
          found.add(
              snapshot.segments().stream()
                  .map(s -> s.rows() + " rows of " + s.endTime() + ", " + s.totalBytes() + " bytes")
                  .toList());
        }
      }
    }
    assertTrue(found.get(0).size() > 10, found.get(0).toString());
    assertEquals(found.get(0), found.get(1));
    assertEquals(found.get(0), found.get(2));
  }

  @Test
  void aFileIsImportedTwiceOnlyByForce() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      try (ArchiveImporter first = new ArchiveImporter(archive, FILE, false);
          ArchiveImporter second = new ArchiveImporter(archive, FILE, false)) {
        first.add(batch(10, 1));
        second.add(batch(10, 1));
        first.commit("first");
        CommitRefusedException refused =
            assertThrows(CommitRefusedException.class, () -> second.commit("second"));
        assertEquals(Reason.ALREADY_IMPORTED, refused.reason());
      }
      assertEquals(2, segmentFiles().size());
      assertThrows(CommitRefusedException.class, () -> new ArchiveImporter(archive, FILE, false));
      try (ArchiveImporter forced = new ArchiveImporter(archive, FILE, true)) {
        forced.add(batch(10, 1));
        forced.commit("forced");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(20, snapshot.rows());
      }
    }
  }

  @Test
  void anImportThatIsRefusedDeletesNoSegmentThatACommitNames() throws IOException {
    Archive.create(directory, ArchiveOptions.DEFAULTS).close();
    try (Archive archive = Archive.open(directory)) {
      try (ArchiveImporter importer = new ArchiveImporter(archive, FILE, false, 25, 1)) {
        for (int i = 0; i < 10; i++) {
          importer.add(batch(10, i));
        }
        assertEquals(4, importer.sealed().size(), "with one thread all but the last are sealed");
        // The commit stands already, as if its answer had been lost.
        archive.commit(ArchiveCommit.ofFile(List.copyOf(importer.sealed()), FILE, false, "first"));
        CommitRefusedException refused =
            assertThrows(CommitRefusedException.class, () -> importer.commit("second"));
        assertEquals(Reason.ALREADY_IMPORTED, refused.reason());
        assertEquals(10, segmentFiles().size());
      }
      assertEquals(8, segmentFiles().size(), "what is committed stays, what is not goes");
      assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
    }
  }
}
