package org.flowmon.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users' columns in an archive; each step is a process of its own, as it defines columns. */
class OwnColumnsTest {
  private static final int NAME_ID = 200;
  private static final int LATENCY_ID = 201;

  @TempDir Path folder;

  @Test
  void aColumnIsKnownToProcessesThatOnlyOpenTheArchive() throws Exception {
    run("write", "dns_name");
    assertEquals(
        List.of("host0 9 0 s", "host1 8 0 s", "host2 8 0 s"),
        run(
            "query",
            "SELECT dns_name, COUNT(*) AS n, MIN(rtt) AS r FROM flows GROUP BY dns_name ORDER BY"
                + " dns_name"));
    assertEquals(
        List.of("host1 3 0.000019 s"),
        run(
            "query",
            "SELECT dns_name, COUNT(*) AS n, MAX(rtt) AS r FROM flows WHERE dns_name = 'host1' AND"
                + " rtt > INTERVAL '0' SECOND GROUP BY dns_name ORDER BY dns_name"));
  }

  @Test
  void aMergeByAProcessWithoutDefinitionsKeepsThem() throws Exception {
    for (int i = 0; i < 3; i++) {
      run("write", "dns_name");
    }
    List<String> merged = run("merge", "");
    assertEquals(List.of("3 -> 1"), merged);
    assertEquals(
        List.of("host0 27 0 s", "host1 24 0 s", "host2 24 0 s"),
        run(
            "query",
            "SELECT dns_name, COUNT(*) AS n, MIN(rtt) AS r FROM flows GROUP BY dns_name ORDER BY"
                + " dns_name"));
  }

  @Test
  void aColumnIsRenamedWithoutWritingSegmentsAnew() throws Exception {
    run("write", "dns_name");
    run("write", "domain");
    assertEquals(
        List.of("host0 18 0 s", "host1 16 0 s", "host2 16 0 s"),
        run(
            "query",
            "SELECT domain, COUNT(*) AS n, MIN(rtt) AS r FROM flows GROUP BY domain ORDER BY"
                + " domain"));
  }

  @Test
  void aNewNameTakesThePlaceOfTheOldOneInTheSettingsAlone() throws Exception {
    run("write", "dns_name");
    List<byte[]> sealed = segments();
    run("rename", "text");
    assertEquals(
        "segments: lookup index=src_addr,dst_addr,src_port,dst_port,protocol,tcp_flags,outgoing,"
            + "state,src_as,dst_as,exporter,text column: 201 rtt duration us column: 200 text text",
        String.join(
            " ", new TreeSet<>(Files.readAllLines(folder.resolve("settings"))).descendingSet()));
    List<byte[]> after = segments();
    assertEquals(sealed.size(), after.size());
    for (int i = 0; i < sealed.size(); i++) {
      assertArrayEquals(sealed.get(i), after.get(i));
    }
    assertEquals(
        List.of("host1 8"),
        run("query", "SELECT text, COUNT(*) AS n FROM flows WHERE text = 'host1' GROUP BY text"));
  }

  private List<byte[]> segments() throws Exception {
    List<byte[]> segments = new ArrayList<>();
    try (var files = Files.list(folder.resolve("segments"))) {
      for (Path file : files.sorted().toList()) {
        segments.add(Files.readAllBytes(file));
      }
    }
    return segments;
  }

  @Test
  void anIdOfAnotherTypeIsReadAsNullAndNotCommitted() throws Exception {
    run("write", "dns_name");
    List<String> said = run("retype", "");
    assertTrue(said.contains("0"), said.toString());
    assertTrue(said.get(said.size() - 1).contains("column dns_name of id 200 is text there"));
  }

  @Test
  void aUnitThatWouldBreakAFooterIsRefused() {
    for (String unit : List.of("kB, raw", "a\nsegments: x", "a:b")) {
      assertThrows(
          IllegalArgumentException.class,
          () -> FlowColumn.define(254, "broken", ColumnType.COUNT, unit));
    }
    assertNull(FlowColumn.byId(254));
  }

  @Test
  void aNameThatHasBecomeAStandardColumnsIsChangedUnderTheSameId() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> FlowColumn.define(254, "in_if_name", ColumnType.TEXT, ""));
    assertEquals(
        "column 'in_if_name' of id 254 has the name of a standard column (id 84); give it another"
            + " name under the same id",
        e.getMessage());
    assertNull(FlowColumn.byId(254));
  }

  @Test
  void columnsOfAnotherArchiveAreNotWrittenIntoThisOne() throws Exception {
    run("write", "dns_name");
    run("copy", "");
    assertTrue(Files.readString(folder.resolve("settings")).contains("column: 200 dns_name text"));
    assertFalse(Files.exists(folder.resolve("other").resolve("settings")));
  }

  @Test
  void aColumnOfALaterVersionsTypeIsLeftOut() throws Exception {
    run("write", "dns_name");
    Files.writeString(
        folder.resolve("settings"), "column: 210 later quaternion\n", StandardOpenOption.APPEND);
    List<String> said = run("query", "SELECT COUNT(*) AS n FROM flows"); // a warning before
    assertEquals("25", said.get(said.size() - 1));
  }

  @Test
  void aColumnThatOnlyTheSegmentNamesIsKeptByMerges() throws Exception {
    for (int i = 0; i < 3; i++) {
      run("write", "dns_name");
    }
    Path settings = folder.resolve("settings");
    String named = Files.readString(settings);
    Files.delete(settings);
    assertEquals(List.of("3 -> 1"), run("merge", ""));
    Files.writeString(settings, named);
    assertEquals(
        List.of("75"), run("query", "SELECT COUNT(*) AS n FROM flows WHERE dns_name IS NOT NULL"));
  }

  private List<String> run(String step, String argument) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                OwnColumnsTest.class.getName(),
                folder.toString(),
                step,
                argument)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      child.waitFor(1, TimeUnit.MINUTES);
      assertEquals(0, child.exitValue(), out);
    } finally {
      child.destroyForcibly();
    }
    return out.lines().toList();
  }

  @Test
  void columnsThatNobodyFillsTakeNoByteOfBatchesSegmentsAndSidecars() throws Exception {
    List<String> bytes = run("unfilled", "50");
    assertEquals(2, bytes.size(), bytes::toString);
    assertEquals(bytes.get(0), bytes.get(1));
  }

  /** Runs one step. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    switch (args[1]) {
      case "write" -> write(folder, args[2]);
      case "merge" -> merge(folder);
      case "copy" -> copy(folder);
      case "rename" -> rename(folder, args[2]);
      case "retype" -> retype(folder);
      case "unfilled" -> unfilled(folder, Integer.parseInt(args[2]));
      default -> query(folder, args[2]);
    }
  }

  private static void write(Path folder, String name) throws Exception {
    FlowColumn text = FlowColumn.define(NAME_ID, name, ColumnType.TEXT, "");
    FlowColumn rtt = FlowColumn.define(LATENCY_ID, "rtt", ColumnType.DURATION, "us");
    try (Archive archive = Archive.openOrCreate(folder, ArchiveOptions.DEFAULTS)) {
      archive.setSegmentOptions(SegmentOptions.parse("lookup index=+" + name));
      long from = Math.max(0, archive.committedEnd("test"));
      FlowBatchBuilder builder = new FlowBatchBuilder(25);
      for (int i = 0; i < 25; i++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 1_000_000L * (from + i));
        builder.set(FlowColumn.END_TIME, 1_000_000L * (from + i));
        builder.setText(text, "host" + i % 3);
        if (i % 2 == 1 || i < 5) {
          builder.set(rtt, i < 5 ? 0 : i);
        }
        builder.endRow();
      }
      FlowBatch batch = FlowBatch.open(builder.build(1, 0, 25, 0));
      SealedSegment segment =
          archive.seal(archive.newSegmentWriter(), List.of(batch), Provenance.NONE);
      archive.commit(
          ArchiveCommit.ofRanges(
              List.of(segment),
              List.of(
                  new SourceRange("test", from, from + 25, Long.MAX_VALUE, Long.MIN_VALUE, false)),
              "test"));
    }
  }

  /** Prints bytes of the same flows before and after so many columns are defined. */
  private static void unfilled(Path folder, int columns) throws Exception {
    printBytes(folder);
    for (int i = 0; i < columns; i++) {
      ColumnType type = i % 2 == 0 ? ColumnType.TEXT : ColumnType.NUMBER;
      FlowColumn.define(FlowColumn.FIRST_OWN_ID + i, "own_" + i, type, "");
    }
    printBytes(folder);
  }

  private static void printBytes(Path folder) throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(100);
    for (int i = 0; i < 100; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_000_000L * i);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + i % 7);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 100, 0));
    SealedSegment sealed = new SegmentWriter().seal(folder, List.of(batch), Provenance.NONE);
    System.out.printf(
        "%d %d %d%n",
        batch.bytes().length, sealed.segmentFile().length(), sealed.indexFile().length());
  }

  private static void rename(Path folder, String name) throws Exception {
    FlowColumn.define(NAME_ID, name, ColumnType.TEXT, "");
    try (Archive archive = Archive.open(folder)) {
      archive.commit(ArchiveCommit.empty("test"));
    }
  }

  /** Prints how many values the column has as a number, and why nothing can be committed. */
  private static void retype(Path folder) throws Exception {
    FlowColumn.define(NAME_ID, "weight", ColumnType.COUNT, "");
    query(folder, "SELECT COUNT(weight) AS n FROM flows WHERE weight IS NULL");
    try (Archive archive = Archive.open(folder)) {
      IOException e =
          assertThrows(IOException.class, () -> archive.commit(ArchiveCommit.empty("test")));
      System.out.println(e.getMessage());
    }
  }

  /** Commits to another archive while this one is open. */
  private static void copy(Path folder) throws Exception {
    try (Archive archive = Archive.open(folder);
        Archive other = Archive.openOrCreate(folder.resolve("other"), ArchiveOptions.DEFAULTS)) {
      archive.snapshot().close();
      other.commit(ArchiveCommit.empty("test"));
    }
  }

  private static void merge(Path folder) throws Exception {
    try (Archive archive = Archive.open(folder)) {
      Compactor.Step step = new Compactor(archive, new CompactionOptions(60, 60)).step(() -> false);
      System.out.println(step.replaced() + " -> " + step.written());
    }
  }

  private static void query(Path folder, String sql) throws Exception {
    try (Archive archive = Archive.open(folder);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      var table =
          ArchiveQuery.run(List.of(snapshot), QueryParser.parse(sql), QueryOptions.DEFAULTS)
              .table();
      for (int row = 0; row < table.rowCount(); row++) {
        List<String> values = new ArrayList<>();
        for (int c = 0; c < table.columnCount(); c++) {
          values.add(table.formatted(row, c));
        }
        System.out.println(String.join(" ", values));
      }
    }
  }
}
