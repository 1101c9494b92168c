package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.maintenance.VerifyReport;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.FetchCounts;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/** Reading an archive in an object store: caches, errors of the store, damage. */
class RemoteArchiveTest extends RemoteArchive {
  private long cachedBytes(String host) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(host))) {
      return files
          .filter(file -> file.toString().contains("/cache/") && Files.isRegularFile(file))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  private FetchCounts fetched(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.fetched();
    }
  }

  private long cachedSidecars(String host, List<SealedSegment> segments) throws IOException {
    Set<String> names = new TreeSet<>();
    segments.forEach(segment -> names.add(segment.indexFileName()));
    try (Stream<Path> files = Files.walk(directory.resolve(host))) {
      return files.filter(file -> names.contains(file.getFileName().toString())).count();
    }
  }

  @Test
  void aSidecarIsFetchedOnlyWhereItIndexesWhatIsAskedFor() throws IOException {
    List<String> notIndexed =
        List.of(
            "SELECT MAX(packets) AS m FROM flows WHERE bytes > 5",
            "SELECT MAX(packets) AS m FROM flows WHERE bytes = 5 OR packets = 7",
            "SELECT MAX(packets) AS m FROM flows WHERE bytes = 5 OR dst_port = 443",
            "SELECT src_addr, dst_addr, MAX(bytes) AS m FROM flows WHERE bytes > 5"
                + " GROUP BY src_addr, dst_addr");
    try (Archive archive = open(from("a"))) {
      fill(archive, 4, 5000);
    }
    try (Archive archive = open(from("b"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String sql : notIndexed) {
        ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS);
        assertEquals(0, cachedSidecars("b", snapshot.segments()), sql);
      }
      String ports = "SELECT MAX(bytes) AS m FROM flows WHERE dst_port = 443 OR src_port = 443";
      ArchiveQuery.run(snapshot, QueryParser.parse(ports), QueryOptions.DEFAULTS);
      assertEquals(3, cachedSidecars("b", snapshot.segments()), "of all but the segment of a row");
    }
  }

  @Test
  void answersAreThoseOfAllFlowsThroughCommitsMergesRestartsAndOtherHosts() throws IOException {
    assertFalse(Archive.exists(from("a")));
    assertThrows(NoSuchFileException.class, () -> Archive.open(from("a"), ArchiveOptions.DEFAULTS));
    try (Archive archive = open(from("a"))) {
      requireRightAnswers(archive, 5, SEED);
      fill(archive, 6, 4000);
      requireRightAnswers(archive, 25, SEED + 1);
      assertEquals(0, fetched(archive).fetches(), "what was sealed here is here");
      Compactor compactor = new Compactor(archive, new CompactionOptions(20_000, 20_000));
      while (compactor.step(() -> false) != null) {
        requireRightAnswers(archive, 5, SEED + 2);
      }
      fill(archive, 2, 1000);
      requireRightAnswers(archive, 10, SEED + 3);
    }
    assertTrue(Archive.exists(from("b")));
    try (Archive archive = open(from("b"))) {
      requireRightAnswers(archive, 25, SEED + 4);
      FetchCounts first = fetched(archive);
      assertTrue(first.fetches() > 0 && first.bytes() > 0, first.toString());
      requireRightAnswers(archive, 25, SEED + 4);
      assertEquals(0, fetched(archive).since(first).fetches(), "open segments are not fetched");
    }
    try (Archive archive = open(from("b"))) {
      requireRightAnswers(archive, 25, SEED + 4);
      FetchCounts again = fetched(archive);
      assertEquals(0, again.fetches(), "the cache survives a restart");
      assertTrue(again.hits() > 0, again.toString());
    }
    VerifyReport report = ArchiveVerifier.verify(from("c"));
    assertEquals(List.of(), report.damages());
    assertEquals(List.of(), report.orphans());
    assertTrue(store.names().stream().noneMatch(name -> name.startsWith("probe")), "left a probe");
  }

  @Test
  void replacedFilesGoAfterTheGraceAndNotBefore() throws Exception {
    try (Archive archive = open(from("a"))) {
      fill(archive, 6, 500);
      try (Archive other = open(from("b")); // shares what this process has open
          ArchiveSnapshot old = other.snapshot()) {
        assertFalse(old.keepsFiles());
        assertTrue(old.files().get(0).startsWith(url + "/segments/"), old.files().toString());
      }
      Compactor compactor = new Compactor(archive, new CompactionOptions(2000, 2000));
      int merges = 0;
      for (; compactor.step(() -> false) != null; merges++) {
        assertEquals(List.of(), archive.removeReplaced(Duration.ZERO), "the grace of the store");
      }
      assertTrue(merges > 0);
      Thread.sleep(1100);
      assertFalse(archive.removeReplaced(Duration.ZERO).isEmpty());
      requireRightAnswers(archive, 10, SEED);
    }
    assertTrue(ArchiveVerifier.verify(from("a")).isSound());
  }

  @Test
  void aDamagedFileOfTheCacheIsFetchedAgain() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 4, 800);
    }
    Random random = new Random(SEED);
    for (int round = 0; round < 3; round++) {
      try (Archive archive = open(from("b"))) {
        requireRightAnswers(archive, 10, SEED);
        // Sidecars of small segments are not read.
        long damaged = fetched(archive).damaged();
        assertTrue(round == 0 ? damaged == 0 : damaged >= 4, "round " + round + ": " + damaged);
      }
      try (Stream<Path> files = Files.walk(directory.resolve("b"))) {
        for (Path file : files.filter(f -> f.toString().contains("/cache/segments/")).toList()) {
          byte[] bytes = Files.readAllBytes(file);
          if (random.nextBoolean()) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
          } else {
            Files.write(file, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)));
          }
        }
      }
    }
  }

  @Test
  void damageInTheStoreIsNamedAndNoAnswer() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 3, 800);
    }
    String name =
        store.names().stream().filter(n -> n.endsWith(".parquet")).findFirst().orElseThrow();
    store.damage(name, 100);
    try (Archive archive = open(from("b"))) {
      SegmentCorruptException e =
          assertThrows(SegmentCorruptException.class, () -> requireRightAnswers(archive, 20, SEED));
      assertTrue(e.getMessage().contains(url + "/" + name), e.getMessage());
    }
    VerifyReport report = ArchiveVerifier.verify(from("a")); // whose cache has it sound
    assertFalse(report.isSound());
    assertEquals(url + "/" + name, report.damages().get(0).file());
  }

  @Test
  void theCacheStaysWithinItsBoundsWhateverIsOpen() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 12, 2000);
    }
    long all = cachedBytes("a");
    long bound = all / 3;
    try (Archive archive = open(from("b", Long.toString(bound)))) {
      requireRightAnswers(archive, 40, SEED);
      assertTrue(cachedBytes("b") <= bound, cachedBytes("b") + " of " + bound);
      FetchCounts counts = fetched(archive);
      assertTrue(counts.evicted() > 0, counts.toString());
    }
    // Less than one file: still right, one at a time.
    try (Archive archive = open(from("c", "1k"))) {
      requireRightAnswers(archive, 10, SEED);
    }
  }

  @Test
  void anErrorOfTheStoreIsAnErrorAndNoAnswerAndPassesWithIt() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 5, 800);
    }
    Random random = new Random(SEED);
    try (Archive archive = open(from("b", "1k"))) {
      int failed = 0;
      for (int i = 0; i < 60; i++) {
        store.fault =
            (operation, name) -> {
              if (random.nextInt(20) == 0) {
                throw new IOException("503 of " + operation + " " + name);
              }
            };
        try {
          requireAnswersOrWarnings(archive, SEED + i);
        } catch (IOException e) {
          failed++;
          assertTrue(e.getMessage().contains("503 of"), e.getMessage());
        }
        store.fault = (operation, name) -> {};
      }
      assertTrue(failed > 5 && failed < 60, failed + " failed");
      requireRightAnswers(archive, 20, SEED);
    }
  }

  @Test
  void aHostDirectoryThatCannotBeListedIsAWarningAndEverySegmentIsAsked() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 3, 400);
    }
    try (Archive archive = open(from("b"))) {
      store.fault =
          (operation, name) -> {
            if (operation.equals("list") && name.startsWith("directory")) {
              throw new IOException("503 of " + name);
            }
          };
      QueryStats stats = lookupOfNobody(archive).stats();
      assertEquals(3, stats.segmentsUncovered());
      assertTrue(stats.warnings().toString().contains("cannot be listed"), stats.toString());
      store.fault = (operation, name) -> {};
    }
  }

  /** An unavailable sidecar is a warning, and its rows answer. */
  private void requireAnswersOrWarnings(Archive archive, long seed) throws IOException {
    FlowQuery query =
        QueryParser.parse(new RandomQueries(seed).grouped())
            .bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
      assertEquals(FlowQueries.run(flows, query).toString(), answer.table().toString());
    }
  }

  @Test
  void aSidecarThatCouldNotBeReadOnceIsReadByTheNextQuery() throws IOException {
    try (Archive archive = open(from("a"))) {
      fill(archive, 1, 800);
    }
    try (Archive archive = open(from("b"))) {
      store.fault =
          (operation, name) -> {
            if (operation.equals("readRange") && name.endsWith(".idx")) {
              throw new IOException("503 of " + name);
            }
          };
      try (ArchiveSnapshot snapshot = archive.snapshot();
          SegmentLease lease = snapshot.open(snapshot.segments().get(0), false)) {
        assertNull(lease.index());
        assertTrue(lease.indexProblem().contains("503 of"), lease.indexProblem());
        store.fault = (operation, name) -> {};
        assertNull(lease.index(), "one query sees one state");
        assertTrue(lease.indexProblem().contains("503 of"), lease.indexProblem());
      }
      try (ArchiveSnapshot snapshot = archive.snapshot();
          SegmentLease lease = snapshot.open(snapshot.segments().get(0), false)) {
        assertNotNull(lease.index());
        assertNull(lease.indexProblem());
      }
    }
  }

  private QueryAnswer lookupOfNobody(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.lookup(
          snapshot,
          IpPrefix.parse("203.0.113.7"),
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          -1,
          QueryOptions.DEFAULTS);
    }
  }

  @Test
  void aRunOfTheDirectoryThatCannotBeReadIsAWarningUntilItCan() throws Exception {
    try (Archive archive = open(from("a"))) {
      fill(archive, 3, 500);
      archive.updateDirectory(false, () -> false);
    }
    long before = store.names().stream().filter(name -> name.endsWith(".hosts")).count();
    try (Archive archive = open(from("b"))) {
      store.fault =
          (operation, name) -> {
            if (name.endsWith(".hosts")) {
              throw new IOException("503 of " + name);
            }
          };
      QueryStats without = lookupOfNobody(archive).stats();
      assertEquals(3, without.segmentsUncovered());
      assertTrue(without.warnings().toString().contains("503 of"), without.warnings().toString());
      assertThrows(IOException.class, () -> archive.updateDirectory(false, () -> false));
      store.fault = (operation, name) -> {};
      Thread.sleep(1100);
      QueryStats with = lookupOfNobody(archive).stats();
      assertEquals(List.of(), with.warnings());
      assertEquals(3, with.segmentsByDirectory());
    }
    assertEquals(before, store.names().stream().filter(name -> name.endsWith(".hosts")).count());
  }

  @Test
  void whileARunOfTheDirectoryIsFetchedOthersQueryByWhatIsKnown() throws Exception {
    CountDownLatch fetching = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Archive archive = open(from("a"))) {
      fill(archive, 3, 500);
      archive.updateDirectory(false, () -> false);
      assertEquals(3, lookupOfNobody(archive).stats().segmentsByDirectory());
      fill(archive, 1, 500);
      archive.updateDirectory(false, () -> false);
      store.fault =
          (operation, name) -> {
            if (operation.equals("readRange") && name.endsWith(".hosts")) {
              fetching.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
          };
      Future<QueryAnswer> slow = threads.submit(() -> lookupOfNobody(archive));
      assertTrue(fetching.await(20, TimeUnit.SECONDS));
      Future<QueryAnswer> quick = threads.submit(() -> lookupOfNobody(archive));
      assertEquals(1, quick.get(20, TimeUnit.SECONDS).stats().segmentsUncovered());
      go.countDown();
      assertEquals(4, slow.get(20, TimeUnit.SECONDS).stats().segmentsByDirectory());
    } finally {
      go.countDown();
      threads.shutdownNow();
    }
  }
}
