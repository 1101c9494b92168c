package org.flowmon.archive.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.days.DaySums;
import org.flowmon.archive.days.DayTraffic;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.directory.HostDirectory;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.maintenance.VerifyReport.Damage;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ForwardingArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.AddressRanges;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged runs of the host directory and of the day sums. */
class DamagedRunsTest {
  private static final int VERSION_AT_END = 8; // bytes from the end

  @TempDir Path directory;

  @BeforeEach
  void anArchiveWithOneRunOfEach() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        SealedSegment segment =
            new SegmentWriter()
                .seal(
                    archive.segmentsDirectory(),
                    new DayTraffic(s, 0.1, false).batches(4000, s, s + 1),
                    Provenance.NONE);
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(segment), List.of(new SourceRange("t:0", s, s + 1, s)), "test"));
      }
      makeRuns(archive);
    }
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
  }

  private static void makeRuns(Archive archive) throws IOException {
    archive.updateDirectory(true, () -> false);
    archive.updateDays(DamagedRunsTest::all, true, () -> false);
  }

  private static BitSet all(List<SealedSegment> segments) {
    BitSet all = new BitSet();
    all.set(0, segments.size());
    return all;
  }

  private Path run(String folder) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(folder))) {
      List<Path> all = files.toList();
      assertEquals(1, all.size(), "runs of " + folder);
      return all.get(0);
    }
  }

  private static void flip(Path file, long at, int mask) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      channel.write(ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ mask)}), at);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HostDirectory.FOLDER, DaySums.FOLDER})
  void aFlippedVersionIsDamageThatIsNamedAndMended(String folder) throws IOException {
    for (int i = 0; i < 8; i++) {
      Path run = run(folder);
      long version = i < 4 ? 4 : Files.size(run) - VERSION_AT_END;
      flip(run, version + i % 4, 1 << i);
      VerifyReport report = ArchiveVerifier.verify(directory);
      assertEquals(1, report.damages().size(), "byte " + i + ": " + report);
      Damage damage = report.damages().get(0);
      assertEquals(run.toString(), damage.file(), "byte " + i);
      assertEquals("flowmon compact rebuilds it from the segments", damage.remedy());
      try (Archive archive = Archive.open(directory)) {
        makeRuns(archive);
      }
      assertTrue(Files.notExists(run), "byte " + i);
      assertTrue(ArchiveVerifier.verify(directory).isSound(), "byte " + i);
    }
  }

  @ParameterizedTest
  @CsvSource({HostDirectory.FOLDER + ",9,1", DaySums.FOLDER + ",10,1 to 2"})
  void aRunOfAnotherVersionIsPassedOverAndSaidToBe(String folder, int version, String known)
      throws IOException {
    Path run = run(folder);
    flip(run, 4, 8);
    flip(run, Files.size(run) - VERSION_AT_END, 8);
    VerifyReport report = ArchiveVerifier.verify(directory);
    assertEquals(List.of(), report.damages());
    assertEquals(
        List.of(run + ": " + run + ": version " + version + ", this reads " + known),
        report.passedOver());
    try (Archive archive = Archive.open(directory)) {
      makeRuns(archive);
    }
    assertTrue(Files.exists(run));
  }

  @Test
  void aRunThatCannotBeReadIsNamedAndWhatToDo() throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot();
        ArchiveStore store = ArchiveLocation.of(directory).openStore();
        ArchiveStore failing = new Failing(store)) {
      UUID id = snapshot.archive();
      List<SealedSegment> segments = snapshot.segments();
      try (HostDirectory hosts = new HostDirectory(failing, id);
          DaySums days = new DaySums(failing, id)) {
        requireUnread(HostDirectory.FOLDER, hosts.check(Archive.SEGMENTS, segments));
        requireUnread(DaySums.FOLDER, days.check(Archive.SEGMENTS, segments));
      }
    }
  }

  private void requireUnread(String folder, List<RunProblem> problems) throws IOException {
    assertEquals(1, problems.size(), folder);
    RunProblem problem = problems.get(0);
    assertEquals(run(folder).getFileName().toString(), problem.run());
    assertEquals("cannot be read: java.io.IOException: a bad sector", problem.what());
    assertNotNull(problem.remedy());
    assertTrue(problem.remedy().contains("flowmon compact"), problem.remedy());
  }

  /** Damage that shows while a process has a run mapped. */
  @Test
  void aRunIsNotAskedAgainOnceItIsSeenToBeDamaged() throws IOException {
    FlowQuery lookup = QueryParser.parse("SELECT bytes FROM flows WHERE src_addr = '203.0.113.1'");
    FlowQuery days =
        QueryParser.parse("SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr");
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(List.of(), warnings(snapshot, lookup));
      assertEquals(List.of(), warnings(snapshot, days));
      HostView before = snapshot.hosts();
      RunView<?> daysBefore = snapshot.days();
      // Blocks and a dictionary, which are not checked when a run is opened.
      Path hosts = run(HostDirectory.FOLDER);
      for (long at = 8; at < Files.size(hosts) / 2; at++) {
        flip(hosts, at, 0x55);
      }
      flip(run(DaySums.FOLDER), 8, 0x55);
      Collection<String> first = warnings(snapshot, lookup);
      assertEquals(1, first.size());
      assertTrue(first.iterator().next().contains(HostDirectory.FOLDER + "/"), first.toString());
      HostView after = snapshot.hosts();
      assertEquals(1, before.runs());
      assertEquals(0, after.runs(), "the damaged run is in use");
      assertEquals(first, warnings(snapshot, lookup), "the same is said to each query");
      assertEquals(first, warnings(before), "by who has it still, without asking");
      after.release();
      before.release();
      // Day sums were checked when they were first read: a process that did not read them is
      // warned.
      daysBefore.release();
    }
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      RunView<?> view = snapshot.days();
      assertEquals(1, view.shares().size());
      assertTrue(Files.size(run(DaySums.FOLDER)) > 1000, "there are sums");
      view.release();
      assertEquals(1, warnings(snapshot, days).size());
      RunView<?> after = snapshot.days();
      assertEquals(0, after.shares().size(), "the damaged run is in use");
      after.release();
      assertEquals(1, warnings(snapshot, days).size());
    }
  }

  private static List<String> warnings(HostView view) {
    List<String> warnings = new ArrayList<>();
    IpAddress address = IpAddress.ofIpv4(0x0A000001);
    view.sources(AddressRanges.of(address, address), warnings);
    return warnings;
  }

  private static List<String> warnings(ArchiveSnapshot snapshot, FlowQuery query)
      throws IOException {
    return ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).stats().warnings();
  }

  /** A store that cannot read runs. */
  private static final class Failing extends ForwardingArchiveStore {
    Failing(ArchiveStore store) {
      super(store);
    }

    @Override
    public HeldFolder asStored(List<String> names) throws IOException {
      if (names.stream().anyMatch(name -> name.endsWith(".hosts") || name.endsWith(".days"))) {
        throw new IOException("a bad sector");
      }
      return super.asStored(names);
    }
  }
}
