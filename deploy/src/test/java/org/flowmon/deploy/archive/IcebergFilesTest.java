package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.time.FlowTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The metadata that {@code flowmon files --format iceberg} writes, read by Iceberg's own library;
 * DuckDB reads the files that a scan of the table plans, with their deletes.
 */
final class IcebergFilesTest {
  private static final int DAYS = 3;
  private static final int FLOWS = 400;
  private static final long SEED = 23;

  @TempDir Path folder;
  private Path archive;

  @BeforeEach
  void fill() throws IOException {
    archive = folder.toRealPath().resolve("kept 'archive'");
    Random random = new Random(SEED);
    for (int day = 1; day <= DAYS; day++) {
      StringBuilder csv = new StringBuilder("end_time,src_addr,dst_port,bytes,src_as,input_if\n");
      for (int i = 0; i < FLOWS; i++) {
        csv.append(
            String.format(
                "2026-11-0%dT%02d:00:%02dZ,10.0.%d.%d,%d,%d,%d,%s%n",
                day,
                i % 24,
                i % 60,
                day,
                i % 250,
                i % 2 == 0 ? 65_535 : 443,
                random.nextInt(1_000_000),
                0xFFFF_FFFFL - random.nextInt(100),
                i % 3 == 0 ? "" : "7"));
      }
      Path file = Files.writeString(folder.resolve("day" + day + ".csv"), csv);
      run("import", file, "--archive", archive);
    }
  }

  private static String run(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(0, run.code(), run.err());
    return run.out();
  }

  private Path written() {
    return Path.of(run("files", "--archive", archive, "--format", "iceberg").strip());
  }

  /** The table by Iceberg's own reader of metadata, with no part of flowmon. */
  private static Table table(Path metadata) throws IOException {
    InMemoryFileIO io = new InMemoryFileIO();
    for (Path file : files(metadata.getParent())) {
      io.addFile(file.toString(), Files.readAllBytes(file));
    }
    return new BaseTable(new StaticTableOperations(metadata.toString(), io), "flows");
  }

  private static List<Path> files(Path below) throws IOException {
    try (Stream<Path> all = Files.walk(below)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<FileScanTask> tasks(TableScan scan) throws IOException {
    try (CloseableIterable<FileScanTask> planned = scan.planFiles()) {
      List<FileScanTask> tasks = new ArrayList<>();
      planned.forEach(tasks::add);
      return tasks;
    }
  }

  /** Rows, bytes and AS numbers of a scan, as an engine reads them: without deleted positions. */
  private static String sums(TableScan scan) throws Exception {
    List<String> parts = new ArrayList<>();
    for (FileScanTask task : tasks(scan)) {
      String rows = "read_parquet(" + quoted(task.file().location()) + ", file_row_number = true)";
      StringBuilder part =
          new StringBuilder("SELECT bytes, src_as, input_if FROM " + rows + " WHERE true");
      for (DeleteFile deletes : task.deletes()) {
        part.append(" AND file_row_number NOT IN (SELECT pos FROM read_parquet(");
        part.append(quoted(deletes.location())).append(") WHERE file_path = ");
        part.append(quoted(task.file().location())).append(')');
      }
      parts.add(part.toString());
    }
    String sql =
        "SELECT count(*), sum(bytes), sum(src_as), max(src_as), count(input_if) FROM ("
            + String.join(" UNION ALL ", parts)
            + ")";
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertTrue(result.next());
      return Stream.of(1, 2, 3, 4, 5).map(i -> text(result, i)).toList().toString();
    }
  }

  private static String quoted(String path) {
    return "'" + path.replace("'", "''") + "'";
  }

  private static String text(ResultSet result, int column) {
    try {
      return result.getString(column);
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String asked() {
    String sql =
        "SELECT COUNT(*) AS n, SUM(bytes) AS b, SUM(src_as) AS s, MAX(src_as) AS m, COUNT(input_if)"
            + " AS i FROM flows";
    String csv = run("query", sql, "--archive", archive, "--format", "csv");
    return List.of(csv.lines().toList().get(1).split(",")).toString();
  }

  @Test
  void aTableHasTheFlowsOfTheArchiveAndASnapshotForEachCommit() throws Exception {
    Path metadata = written();
    Table table = table(metadata);
    assertEquals(asked(), sums(table.newScan()));
    List<Long> ids = new ArrayList<>();
    for (Snapshot snapshot : table.snapshots()) {
      ids.add(snapshot.snapshotId());
      long rows = tasks(table.newScan().useSnapshot(snapshot.snapshotId())).size() * (long) FLOWS;
      assertEquals(snapshot.snapshotId() * FLOWS, rows);
      assertEquals(Long.toString(rows), snapshot.summary().get("total-records"));
    }
    assertEquals(List.of(1L, 2L, 3L), ids);
    try (Archive opened = Archive.open(archive);
        ArchiveSnapshot newest = opened.snapshot()) {
      for (ManifestState commit : newest.history(0, DAYS)) {
        Snapshot snapshot = table.snapshot(commit.number());
        assertEquals(commit.timeMicros() / 1000, snapshot.timestampMillis());
        assertEquals(
            FlowTime.text(commit.timeMicros()), snapshot.summary().get("flowmon.commit-time"));
      }
    }
    assertEquals(
        FlowColumn.SRC_AS.id(), table.schema().findField(FlowColumn.SRC_AS.sqlName()).fieldId());
    assertEquals(Types.LongType.get(), table.schema().findType(FlowColumn.SRC_AS.id()));
  }

  @Test
  void withoutACommitNothingIsWritten() throws Exception {
    Path metadata = written();
    Map<Path, ByteBuffer> before = contents();
    assertEquals(metadata, written());
    assertEquals(before, contents());
    run("import", folder.resolve("day1.csv"), "--force", "--archive", archive);
    Path next = written();
    assertNotEquals(metadata, next);
    assertEquals(asked(), sums(table(next).newScan()));
  }

  private Map<Path, ByteBuffer> contents() throws IOException {
    Map<Path, ByteBuffer> contents = new TreeMap<>();
    for (Path file : files(archive.resolve("iceberg"))) {
      contents.put(file, ByteBuffer.wrap(Files.readAllBytes(file)));
    }
    return contents;
  }

  @Test
  void boundsAreThoseOfTheRowsAndPruneFiles() throws Exception {
    Table table = table(written());
    for (FileScanTask task : tasks(table.newScan().includeColumnStats())) {
      DataFile file = task.file();
      assertEquals(FLOWS, file.recordCount());
      for (FlowColumn column : List.of(FlowColumn.BYTES, FlowColumn.SRC_AS, FlowColumn.DST_PORT)) {
        String range =
            "SELECT min(%1$s) || ' ' || max(%1$s) FROM read_parquet(%2$s)"
                .formatted(column.sqlName(), quoted(file.location()));
        assertEquals(single(range), bounds(table, file, column.id()), column.sqlName());
      }
      assertEquals(
          Long.parseLong(
              single(
                  "SELECT count(*) FILTER (input_if IS NULL) FROM read_parquet(%s)"
                      .formatted(quoted(file.location())))),
          file.nullValueCounts().get(FlowColumn.INPUT_IF.id()));
    }
    assertEquals(1, tasks(after(table, "2026-11-03T00:00:00+00:00")).size());
    assertEquals(2, tasks(after(table, "2026-11-02T12:00:00+00:00")).size());
    assertEquals(0, tasks(after(table, "2026-11-04T00:00:00+00:00")).size());
    assertEquals(
        1, tasks(table.newScan().filter(Expressions.equal("src_addr", "10.0.2.7"))).size());
    assertEquals(
        0, tasks(table.newScan().filter(Expressions.lessThan("src_as", 4_000_000_000L))).size());
  }

  private static TableScan after(Table table, String time) {
    return table.newScan().filter(Expressions.greaterThanOrEqual("end_time", time));
  }

  private static String bounds(Table table, DataFile file, int id) {
    Type type = table.schema().findType(id);
    Object smallest = Conversions.fromByteBuffer(type, file.lowerBounds().get(id));
    Object largest = Conversions.fromByteBuffer(type, file.upperBounds().get(id));
    return smallest + " " + largest;
  }

  private static String single(String sql) throws Exception {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertTrue(result.next());
      return result.getString(1);
    }
  }

  @Test
  void expiredFlowsAreAbsentWhetherTheirFileIsGoneOrNot() throws Exception {
    written();
    // Part of the second day expires, and the first day's file leaves.
    run("expire", "--archive", archive, "--rows", FLOWS + 150, "--slack", 100_000);
    Table table = table(written());
    assertEquals(asked(), sums(table.newScan()));
    List<FileScanTask> tasks = tasks(table.newScan());
    assertEquals(2, tasks.size());
    assertEquals(
        FLOWS - 150L,
        tasks.stream().flatMap(t -> t.deletes().stream()).mapToLong(DeleteFile::recordCount).sum());
    // More of the same file, whose deletes are replaced; older snapshots are unreadable and gone.
    run("expire", "--archive", archive, "--rows", FLOWS + 20, "--slack", 100_000);
    Path metadata = written();
    table = table(metadata);
    assertEquals(asked(), sums(table.newScan()));
    assertEquals("1", table.currentSnapshot().summary().get("total-delete-files"));
    table.snapshots().forEach(snapshot -> assertTrue(snapshot.snapshotId() > DAYS));
    assertEquals(named(table), stored());
    run("expire", "--archive", archive, "--trim");
    table = table(written());
    assertEquals(asked(), sums(table.newScan()));
    assertEquals("0", table.currentSnapshot().summary().get("total-delete-files"));
  }

  /** The files that snapshots have of their own: manifest lists, manifests and deletes. */
  private static Set<String> named(Table table) throws IOException {
    Set<String> named = new TreeSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      named.add(snapshot.manifestListLocation());
      snapshot.allManifests(table.io()).forEach(manifest -> named.add(manifest.path()));
      for (FileScanTask task : tasks(table.newScan().useSnapshot(snapshot.snapshotId()))) {
        task.deletes().forEach(deletes -> named.add(deletes.location()));
      }
    }
    return named;
  }

  private Set<String> stored() throws IOException {
    Set<String> stored = new TreeSet<>();
    for (Path file : files(archive.resolve("iceberg"))) {
      if (file.toString().endsWith(".avro") || file.toString().endsWith(".parquet")) {
        stored.add(file.toString());
      }
    }
    return stored;
  }

  @Test
  void mergedSegmentsReplaceOthersWithoutAChangeOfRows() throws Exception {
    for (int i = 0; i < DAYS; i++) {
      run("import", folder.resolve("day1.csv"), "--force", "--archive", archive);
    }
    written();
    run("compact", "--archive", archive);
    Table table = table(written());
    assertEquals(asked(), sums(table.newScan()));
    assertEquals("replace", table.currentSnapshot().operation());
    for (Snapshot snapshot : table.snapshots()) {
      for (FileScanTask task : tasks(table.newScan().useSnapshot(snapshot.snapshotId()))) {
        assertTrue(Files.exists(Path.of(task.file().location())), snapshot.toString());
      }
    }
  }

  @Test
  void anArchiveWithoutFlowsIsATableWithoutRows() throws Exception {
    archive = folder.resolve("empty");
    Archive.create(archive, ArchiveOptions.DEFAULTS).close();
    Table table = table(written());
    assertEquals(List.of(), tasks(table.newScan()));
    assertNull(table.currentSnapshot());
    run("import", folder.resolve("day1.csv"), "--archive", archive);
    assertEquals(asked(), sums(table(written()).newScan()));
  }

  @Test
  void segmentsOfAnEarlierVersionAreNamedAndRepackMakesThemAnew() throws Exception {
    Path golden = Path.of("../flowmon-archive/src/test/resources/golden/segment-2-compact");
    archive = folder.toRealPath().resolve("old");
    for (Path file : files(golden)) {
      Path copy = archive.resolve(golden.relativize(file));
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy);
    }
    CommandRun old = CommandRun.of("files", "--archive", archive, "--format", "iceberg");
    assertEquals(0, old.code(), old.err());
    assertTrue(old.err().contains("warning: 4 segments were sealed by an earlier"), old.err());
    String rows = asked();
    assertEquals(rows, sums(table(Path.of(old.out().strip())).newScan()));
    run("repack", "--archive", archive);
    CommandRun now = CommandRun.of("files", "--archive", archive, "--format", "iceberg");
    assertEquals("", now.err());
    assertEquals(rows, sums(table(Path.of(now.out().strip())).newScan()));
  }

  @Test
  void anotherFolderTakesTheMetadataOfOneArchiveAlone() throws Exception {
    Path to = folder.resolve("tables/flows");
    String metadata = run("files", "--archive", archive, "--format", "iceberg", "--to", to).strip();
    assertTrue(Path.of(metadata).startsWith(to.toRealPath()), metadata);
    assertEquals(asked(), sums(table(Path.of(metadata)).newScan()));
    assertTrue(Files.notExists(archive.resolve("iceberg")));
    Path other = folder.resolve("other");
    run("import", folder.resolve("day1.csv"), "--archive", other);
    CommandRun run = CommandRun.of("files", "--archive", other, "--format", "iceberg", "--to", to);
    assertEquals(ExitCodes.FAILED, run.code());
    assertTrue(run.err().contains("is of another archive"), run.err());
    CommandRun list = CommandRun.of("files", "--archive", archive, "--to", to);
    assertEquals(ExitCodes.USAGE, list.code());
  }
}
