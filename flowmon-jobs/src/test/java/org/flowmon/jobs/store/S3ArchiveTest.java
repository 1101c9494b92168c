package org.flowmon.jobs.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives in a server that speaks S3, and through a link to it that fails. */
class S3ArchiveTest {
  private static final String BY_SOURCE =
      "SELECT src_addr, SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr"
          + " ORDER BY src_addr";

  @TempDir private static Path directory;
  private static S3Server server;

  @BeforeAll
  static void start() throws IOException {
    server = new S3Server(directory.resolve("s3"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static FlowBatch batch(long seed, int rows) {
    Random random = new Random(seed);
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    long time = 1_790_000_000_000_000L + random.nextInt(1000) * 1_000_000L;
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time + i);
      if (random.nextInt(10) > 0) {
        builder.set(FlowColumn.END_TIME, time - random.nextInt(1_000_000));
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + random.nextInt(50));
      }
      builder.set(FlowColumn.BYTES, random.nextInt(1_000_000));
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, seed, rows, 0));
  }

  private static void commit(Archive archive, String source, FlowBatch batch) throws IOException {
    SealedSegment segment = archive.seal(new SegmentWriter(), List.of(batch), Provenance.NONE);
    long first = Math.max(0, archive.committedEnd(source));
    SourceRange range = new SourceRange(source, first, first + 1, segment.arrival().max());
    archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
  }

  private static void requireAnswer(ArchiveLocation location, List<FlowBatch> flows)
      throws IOException {
    FlowQuery query = QueryParser.parse(BY_SOURCE);
    try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(
          FlowQueries.run(flows, query).toString(),
          ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table().toString());
    }
  }

  @Test
  void anArchiveLivesInABucket() throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    assertFalse(Archive.exists(server.archive("life", "a")));
    try (Archive archive =
        Archive.create(server.archive("life", "a"), new ArchiveOptions(4, 100))) {
      for (int i = 0; i < 12; i++) {
        flows.add(batch(i, i == 3 ? 1 : 300));
        commit(archive, "t:0", flows.get(i));
      }
      Compactor compactor = new Compactor(archive, new CompactionOptions(10_000, 10_000));
      assertEquals(12, compactor.step(() -> false).replaced());
      assertEquals(List.of(), archive.orphans());
    }
    requireAnswer(server.archive("life", "b"), flows);
    requireAnswer(server.archive("life", "b"), flows);
    assertEquals(List.of(), ArchiveVerifier.verify(server.archive("life", "c")).damages());
  }

  @Test
  void twoProcessesAndThisOneNeverBothWinANumber() throws Exception {
    ArchiveLocation location = server.archive("race", "here");
    Archive.create(location, ArchiveOptions.DEFAULTS).close();
    List<Process> children = new ArrayList<>();
    for (int c = 1; c <= 2; c++) {
      children.add(child("race", "child" + c, "t:" + c, 20));
    }
    List<FlowBatch> flows = new ArrayList<>();
    try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS)) {
      for (int i = 0; i < 20; i++) {
        commit(archive, "t:0", batch(i, 20));
      }
    }
    for (Process child : children) {
      assertEquals(0, child.waitFor());
    }
    for (int i = 0; i < 60; i++) {
      flows.add(batch(i % 20, 20)); // each of the three commits the same flows of its own source
    }
    requireAnswer(location, flows);
    try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(60, snapshot.number());
      assertEquals(Map.of("t:0", 20L, "t:1", 20L, "t:2", 20L), snapshot.committedEnds());
    }
    assertTrue(ArchiveVerifier.verify(location).isSound());
  }

  private static Process child(String archive, String host, String source, int commits)
      throws IOException {
    return child(server.archive(archive, host), source, commits);
  }

  private static Process child(ArchiveLocation location, String source, int commits)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(
        List.of(S3ArchiveTest.class.getName(), location.address(), source, "" + commits));
    location.settings().forEach((key, value) -> command.add(key + "=" + value));
    return new ProcessBuilder(command).inheritIO().start();
  }

  /** Runs a committer as a process of its own: URL, source, number of commits, settings. */
  public static void main(String[] args) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    for (int i = 3; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      settings.put(args[i].substring(0, equals), args[i].substring(equals + 1));
    }
    ArchiveLocation location = ArchiveLocation.parse(args[0], settings);
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      for (int i = 0; i < Integer.parseInt(args[2]); i++) {
        commit(archive, args[1], batch(i, 20));
      }
    }
  }

  @Test
  void whoIsKilledInTheMiddleOfAnUploadLeavesNothingOfIt() throws Exception {
    List<FlowBatch> flows = List.of(batch(5, 50), batch(6, 50));
    try (Archive archive =
        Archive.create(server.archive("killed", "here"), ArchiveOptions.DEFAULTS)) {
      commit(archive, "t:0", flows.get(0));
      CountDownLatch uploading = new CountDownLatch(1);
      try (FaultyLink link = new FaultyLink(server.port())) {
        link.judge =
            request -> {
              if (request.startsWith("PUT") && request.contains(".idx")) {
                uploading.countDown();
                return FaultyLink.Fate.HANG;
              }
              return FaultyLink.Fate.PASS;
            };
        Process child = child(through(link, "killed"), "t:1", 1);
        assertTrue(uploading.await(2, TimeUnit.MINUTES), "the child uploads");
        child.destroyForcibly().waitFor();
      }
      assertEquals(-1, archive.committedEnd("t:1"));
      assertEquals(1, archive.orphans().size(), "the file that had arrived");
      commit(archive, "t:0", flows.get(1));
      requireAnswer(server.archive("killed", "there"), flows);
      assertTrue(ArchiveVerifier.verify(server.archive("killed", "there")).isSound());
    }
  }

  @Test
  void whatFailsInPassingIsTriedAgainAndNothingIsTwice() throws IOException {
    long seed = 71;
    Random random = new Random(seed);
    List<FlowBatch> flows = new ArrayList<>();
    try (FaultyLink link = new FaultyLink(server.port())) {
      ArchiveLocation location = through(link, "faults");
      try (Archive archive = Archive.create(location, new ArchiveOptions(4, 100))) {
        link.judge =
            request ->
                switch (random.nextInt(12)) {
                  case 0 -> FaultyLink.Fate.REFUSE;
                  case 1 -> FaultyLink.Fate.LOSE_ANSWER;
                  case 2 -> FaultyLink.Fate.CUT_ANSWER;
                  default -> FaultyLink.Fate.PASS;
                };
        for (int i = 0; i < 25; i++) {
          flows.add(batch(seed + i, 100));
          commit(archive, "t:0", flows.get(i));
        }
      }
      Map<String, String> settings = new TreeMap<>(location.settings());
      settings.put("cache_directory", directory.resolve("empty").toString());
      requireAnswer(ArchiveLocation.parse(location.address(), settings), flows);
      assertTrue(link.faults.get() > 30, link.faults + " faults");
    }
    assertTrue(ArchiveVerifier.verify(server.archive("faults", "direct")).isSound());
    requireAnswer(server.archive("faults", "direct"), flows);
  }

  private static ArchiveLocation through(FaultyLink link, String name) {
    Map<String, String> settings = server.settings("link-" + name, link.port());
    settings.put("timeout_seconds", "1");
    settings.put("attempts", "8");
    return ArchiveLocation.parse("s3://" + S3Server.BUCKET + "/" + name, settings);
  }

  @Test
  void aServerThatDoesNotAnswerIsAnErrorThatNamesTheFileWithinTheAttempts() throws IOException {
    try (FaultyLink link = new FaultyLink(server.port())) {
      ArchiveLocation location = through(link, "hanging");
      Map<String, String> few = new TreeMap<>(location.settings());
      few.put("attempts", "2");
      location = ArchiveLocation.parse(location.address(), few);
      try (Archive archive = Archive.create(location, ArchiveOptions.DEFAULTS)) {
        commit(archive, "t:0", batch(1, 10));
        AtomicBoolean hang = new AtomicBoolean(true);
        link.judge = request -> hang.get() ? FaultyLink.Fate.HANG : FaultyLink.Fate.PASS;
        long begun = System.nanoTime();
        IOException e = assertThrows(IOException.class, () -> commit(archive, "t:0", batch(2, 10)));
        assertTrue(e.getMessage().contains("s3://flows/hanging/segments/"), e.getMessage());
        assertTrue(System.nanoTime() - begun < 60_000_000_000L, "two attempts of two seconds");
        hang.set(false);
        commit(archive, "t:0", batch(2, 10));
        assertEquals(2, archive.committedEnd("t:0"));
      }
    }
  }

  @Test
  void aServerThatReplacesSilentlyIsRefusedAtTheStart() throws IOException {
    // Signatures cover the condition: without them it can be taken away on the way.
    try (S3Server unsigned = new S3Server(directory.resolve("unsigned"), false);
        FaultyLink link = new FaultyLink(unsigned.port())) {
      link.judge = request -> FaultyLink.Fate.STRIP_CONDITION;
      ArchiveLocation location =
          ArchiveLocation.parse(
              "s3://" + S3Server.BUCKET + "/silent", unsigned.settings("x", link.port()));
      IOException e =
          assertThrows(
              IOException.class, () -> Archive.openOrCreate(location, ArchiveOptions.DEFAULTS));
      assertTrue(e.getMessage().contains("s3://flows/silent"), e.getMessage());
      assertTrue(e.getMessage().contains("it replaced a file"), e.getMessage());
    }
  }

  @Test
  void whatCannotBeOpenedSaysWhyAndNoSecret() throws IOException {
    Map<String, String> settings = server.settings("wrong");
    settings.put("access_key", "another-key");
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                Archive.openOrCreate(
                    ArchiveLocation.parse("s3://flows/wrong", settings), ArchiveOptions.DEFAULTS));
    assertTrue(e.getMessage().contains("s3://flows/wrong"), e.getMessage());
    assertFalse(e.getMessage().contains("a-secret"), e.getMessage());
    IOException none =
        assertThrows(
            IOException.class,
            () ->
                Archive.open(
                    ArchiveLocation.parse("s3://no-such-bucket/x", server.settings("x")),
                    ArchiveOptions.DEFAULTS));
    assertTrue(none.getMessage().contains("no-such-bucket"), none.getMessage());
    Map<String, String> unknown = server.settings("y");
    unknown.put("secret_key", "in plain sight");
    IOException what =
        assertThrows(
            IOException.class, () -> ArchiveLocation.parse("s3://flows/x", unknown).openStore());
    assertTrue(what.getMessage().contains("secret_key"), what.getMessage());
    assertFalse(what.getMessage().contains("plain sight"), what.getMessage());
  }
}
