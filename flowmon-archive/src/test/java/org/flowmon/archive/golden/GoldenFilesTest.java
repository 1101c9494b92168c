package org.flowmon.archive.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SegmentVerifier;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Archives that earlier versions wrote still answer; {@link GoldenArchive} made them. */
class GoldenFilesTest {
  @TempDir Path temporary;

  static List<Path> archives() throws IOException, URISyntaxException {
    try (Stream<Path> found = Files.list(GoldenRows.folder())) {
      return found
          .filter(path -> path.getFileName().toString().startsWith("segment-"))
          .sorted()
          .toList();
    }
  }

  private Path copy(Path golden) throws IOException {
    return GoldenRows.copy(golden, temporary.resolve("archive"));
  }

  private static List<String> expected(Path golden) throws IOException {
    return Files.readAllLines(golden.resolveSibling("rows.txt")).stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("archives")
  void everyRowIsReadAsItWasWritten(Path golden) throws IOException {
    List<String> found = new ArrayList<>();
    try (Archive archive = Archive.open(copy(golden));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (SealedSegment segment : snapshot.segments()) {
        assertEquals(
            List.of(), SegmentVerifier.verify(archive.segmentsDirectory(), segment), segment.id());
        try (SegmentLease lease = snapshot.open(segment, true)) {
          found.addAll(GoldenRows.lines(lease.rows()));
        }
      }
    }
    assertEquals(expected(golden), found.stream().sorted().toList());
  }

  @ParameterizedTest
  @MethodSource("archives")
  void everySidecarFindsWhatAScanFinds(Path golden) throws IOException {
    int lists = 0;
    try (Archive archive = Archive.open(copy(golden));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (SealedSegment segment : snapshot.segments()) {
        try (SegmentLease lease = snapshot.open(segment, true)) {
          SegmentIndex index = lease.index();
          assertNotNull(index, lease.indexProblem());
          assertTrue(index.isIndexed(FlowColumn.SRC_ADDR) || segment.rows() == 37);
          for (FlowColumn column : FlowColumn.all()) {
            if (index.isIndexed(column)) {
              checkPostings(lease.rows(), index, column);
              lists++;
            }
          }
        }
      }
    }
    assertTrue(lists >= 15, lists + " indexed columns");
  }

  private static void checkPostings(SegmentReader rows, SegmentIndex index, FlowColumn column) {
    String[] values =
        IntStream.range(0, rows.rows())
            .mapToObj(row -> GoldenRows.value(rows, column, row))
            .toArray(String[]::new);
    assertEquals(
        Arrays.stream(values).filter(v -> v != null).distinct().count(),
        index.dictionarySize(column));
    for (int id = 0; id < index.dictionarySize(column); id++) {
      int[] found = index.rows(column, id).toArray();
      assertTrue(found.length > 0);
      String value = values[found[0]];
      assertArrayEquals(
          IntStream.range(0, values.length).filter(r -> value.equals(values[r])).toArray(),
          found,
          column.sqlName() + " = " + value);
    }
  }

  @ParameterizedTest
  @MethodSource("archives")
  void sumsOfTheSidecarsAreThoseOfTheRows(Path golden) throws IOException {
    try (Archive archive = Archive.open(copy(golden));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(4, GoldenRows.checkSums(snapshot), "of hours and totals in two segments");
    }
  }

  @ParameterizedTest
  @MethodSource("archives")
  void theManifestKnowsWhatWasCommitted(Path golden) throws IOException {
    try (Archive archive = Archive.open(copy(golden));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(4, snapshot.number());
      assertEquals(248, snapshot.rows());
      assertEquals(4, snapshot.segments().size());
      assertEquals(20, snapshot.committedEnd("topic:0"));
      assertEquals(0, snapshot.committedFirst("topic:1"));
      assertEquals(2, snapshot.gaps().size());
      assertEquals(9, snapshot.gaps().get(0).firstOffset());
      assertEquals(12, snapshot.gaps().get(0).endOffset());
      assertTrue(snapshot.isImported(GoldenArchive.SHA_256));
      assertFalse(snapshot.isImported("00".repeat(32)));
      assertEquals(GoldenArchive.START + 20, snapshot.historyThrough());
      assertEquals(GoldenArchive.START, snapshot.historyFrom());
    }
  }

  @ParameterizedTest
  @MethodSource("archives")
  void oldSegmentsAreRewrittenWithTheSameRows(Path golden) throws IOException {
    List<SegmentLease> leases = new ArrayList<>();
    try (Archive archive = Archive.open(copy(golden));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (SealedSegment segment : snapshot.segments()) {
        leases.add(snapshot.open(segment, true));
      }
      SealedSegment merged =
          new SegmentWriter()
              .seal(temporary, leases.stream().map(SegmentLease::rows).toList(), Provenance.NONE);
      try (SegmentReader rows = SegmentReader.open(temporary, merged)) {
        assertEquals(expected(golden), GoldenRows.lines(rows).stream().sorted().toList());
      }
    } finally {
      leases.forEach(SegmentLease::close);
    }
  }
}
