package org.flowmon.archive.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An archive of {@link GoldenRetention} answers and takes commits: frames of version 4 of the
 * manifest, a mark of deleted commits, version 1 of the host directory.
 */
class GoldenRetentionTest {
  private static final long HOUR = 3_600_000_000L;

  @TempDir Path temporary;
  private Path directory;
  private List<String> visible;

  @BeforeEach
  void copy() throws Exception {
    Path golden = GoldenRows.folder().resolve("manifest-4");
    directory = GoldenRows.copy(golden, temporary.resolve("archive"));
    List<String> committed = Files.readAllLines(golden.resolveSibling("manifest-4.rows.txt"));
    assertEquals(GoldenRetention.COMMITTED, committed.size());
    visible = newest(committed, GoldenRetention.KEPT);
  }

  /** The most recent rows; no two have the same time key. */
  private static List<String> newest(List<String> rows, int kept) {
    assertEquals(rows.size(), rows.stream().map(GoldenRetentionTest::key).distinct().count());
    return rows.stream()
        .sorted(Comparator.comparingLong(GoldenRetentionTest::key).reversed())
        .limit(kept)
        .sorted()
        .toList();
  }

  private static long key(String line) {
    long arrival = number(line, "arrival");
    return line.contains("\tend_time=")
        ? Math.min(number(line, "end_time"), arrival + HOUR)
        : arrival;
  }

  private static long number(String line, String column) {
    String from = ("\t" + line).split("\t" + column + "=", 2)[1];
    return Long.parseLong(from.substring(0, from.indexOf('\t')));
  }

  private static List<String> found(ArchiveSnapshot snapshot) throws IOException {
    List<String> found = new ArrayList<>();
    for (SealedSegment segment : snapshot.segments()) {
      try (SegmentLease lease = snapshot.open(segment, true)) {
        List<String> all = GoldenRows.lines(lease.rows());
        found.addAll(all.subList(lease.firstRow(), all.size()));
      }
    }
    return found.stream().sorted().toList();
  }

  private void checkState() throws IOException {
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(visible, found(snapshot));
      assertEquals(GoldenRetention.KEPT, snapshot.rows());
      assertTrue(snapshot.storedRows() > GoldenRetention.KEPT);
      assertTrue(snapshot.segments().stream().anyMatch(s -> snapshot.firstRow(s) > 0));
      assertEquals(
          new RetentionOptions(
              GoldenRetention.KEPT, GoldenRetention.SLACK, GoldenRetention.AGE, 1L << 40),
          snapshot.retention());
      assertEquals(GoldenRetention.LATE, snapshot.lateRows());
      assertEquals(GoldenRetention.COMMITTED - GoldenRetention.KEPT, snapshot.expiredRows());
      long oldest = visible.stream().mapToLong(GoldenRetentionTest::key).min().orElseThrow();
      assertTrue(snapshot.cutoff() <= oldest && snapshot.cutoff() > oldest - 2_000_000);
      assertEquals(45, snapshot.committedEnd("topic:0"));
      assertEquals(2, snapshot.gaps().size());
      assertTrue(snapshot.isImported(GoldenArchive.SHA_256));
    }
  }

  /** Versions in the headers of the manifest's files of a kind. */
  private Set<Integer> versions(String suffix) throws IOException {
    Set<Integer> versions = new TreeSet<>();
    try (Stream<Path> files = Files.list(directory.resolve("manifest"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(suffix)).toList()) {
        versions.add((int) Files.readAllBytes(file)[4]);
      }
    }
    return versions;
  }

  @Test
  void itHoldsTheVersionsThatItIsThereFor() throws IOException {
    assertEquals(Set.of(3, 4), versions(".commit"));
    assertEquals(Set.of(4), versions(".snapshot"));
    assertEquals(Set.of(3), versions(".pruned"));
    try (Stream<Path> runs = Files.list(directory.resolve("directory"))) {
      byte[] run = Files.readAllBytes(runs.findFirst().orElseThrow());
      assertEquals("FLHD\u0001", new String(run, 0, 5, java.nio.charset.StandardCharsets.US_ASCII));
    }
  }

  @Test
  void theNewestFlowsAreReadAsTheyWereWritten() throws IOException {
    checkState();
  }

  @Test
  void anOlderSnapshotAndTheCommitsAfterItSayTheSame() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("manifest"))) {
      Files.delete(files.filter(f -> f.toString().endsWith(".snapshot")).sorted().toList().get(1));
    }
    checkState();
  }

  @Test
  void sumsAndTheHostDirectoryAnswerAsRowsDo() throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertTrue(GoldenRows.checkSums(snapshot) > 0);
      Set<String> addresses = new TreeSet<>(List.of("203.0.113.99"));
      for (String line : visible) {
        if (line.contains("src_addr=")) {
          addresses.add(line.replaceAll("(.*\t)?src_addr=([^\t]*).*", "$2"));
        }
      }
      int passedOver = 0;
      for (String address : addresses) {
        QueryAnswer answer =
            ArchiveQuery.run(
                snapshot,
                QueryParser.parse("SELECT arrival FROM flows WHERE src_addr = '" + address + "'"),
                QueryOptions.DEFAULTS);
        assertEquals(
            visible.stream().filter(line -> line.contains("src_addr=" + address + "\t")).count(),
            answer.table().rowCount(),
            address);
        passedOver += answer.stats().segmentsByDirectory();
      }
      assertTrue(addresses.size() > 2 && passedOver > 0, addresses + " " + passedOver);
    }
  }

  @Test
  void itExpiresMergesAndDeletesOn() throws IOException {
    try (Archive archive = Archive.open(directory)) {
      RetentionOptions fewer = new RetentionOptions(100, 0, 0, 0);
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(fewer), "test"));
      new Compactor(archive, new CompactionOptions(1000, 2000)).step(() -> false);
      archive.removeReplaced(Duration.ZERO);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(100, snapshot.storedRows());
        assertEquals(newest(visible, 100), found(snapshot));
      }
    }
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
  }
}
