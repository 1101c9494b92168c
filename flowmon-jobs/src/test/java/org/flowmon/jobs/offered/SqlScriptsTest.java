package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.sql.SqlSession;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts in docs/examples/sql say of a window what the analyses that come along say. */
class SqlScriptsTest {
  private static final int LIMIT = 100;
  private static final long SEED = 20_261_127;
  private static final long END = 1_795_255_200L * Program.SECOND; // 2026-11-21T10:00:00Z

  @TempDir private static Path directory;
  private static Archive archive;

  @BeforeAll
  static void archiveFlows() throws Exception {
    List<FlowBatch> batches = PlantedTraffic.batches(SEED, Cells.time(END), 1000);
    archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS);
    SealedSegment segment =
        new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
    SourceRange range = new SourceRange("t:0", 0, 1, 0, END + Program.HOUR, false);
    archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
  }

  @AfterAll
  static void close() {
    archive.close();
  }

  private static ResultTable replayed(String name) throws Exception {
    AnalysisConfig analysis =
        Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow();
    ReplaySpec spec =
        new ReplaySpec(
            List.of(archive.location()),
            analysis,
            END - analysis.live().windowMicros(),
            END,
            Duration.ofSeconds(20),
            Duration.ZERO);
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    env.setMaxParallelism(16);
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      return reports.next().rows();
    }
  }

  private static List<String> scripted(String name, String columns) throws Exception {
    Path scripts =
        Stream.of(Path.of("docs"), Path.of("../docs")) // the module's folder, or the project's
            .map(docs -> docs.resolve("examples/sql"))
            .filter(Files::isDirectory)
            .findFirst()
            .orElseThrow();
    String script =
        Files.readString(scripts.resolve(name + ".sql"))
            .lines()
            .filter(line -> !line.startsWith("--"))
            .reduce("", (text, line) -> text + line + "\n");
    StreamTableEnvironment flink = SqlSession.of(archive, EnvironmentSettings.inBatchMode(), 2);
    List<String> statements =
        Stream.of(script.split(";", -1)).map(String::strip).filter(one -> !one.isEmpty()).toList();
    for (String statement : statements.subList(0, statements.size() - 1)) {
      flink.executeSql(statement);
    }
    String query = statements.get(statements.size() - 1);
    List<String> rows = new ArrayList<>();
    for (Row row : SqlSession.rows(flink, query)) {
      List<Object> cells = new ArrayList<>();
      for (String column : columns.split(" ", -1)) {
        cells.add(row.getField(column));
      }
      rows.add(Cells.line(cells.toArray()));
    }
    rows.sort(null);
    return rows;
  }

  /** Without the last ones of those with a limit: of equal ones either may be left out. */
  private static String certain(List<String> rows, int order) {
    if (rows.size() < LIMIT) {
      return String.join("\n", rows);
    }
    long least = rows.stream().mapToLong(row -> cell(row, order)).min().orElseThrow();
    return rows.stream().filter(row -> cell(row, order) > least).collect(Collectors.joining("\n"));
  }

  private static long cell(String row, int place) {
    return Long.parseLong(row.split(" \\| ", -1)[place]);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "elephants, 1, src_addr estimated_bytes share rate median_rate verdict,"
        + " src_addr bytes share rate median_rate verdict, new",
    "mice, 2, src_addr dst_addr estimated_bytes, src_addr dst_addr bytes, 10.20",
    "portscans, 1, src_addr targets hosts ports flows median_targets verdict,"
        + " src_addr targets hosts ports flows median_targets verdict, scan"
  })
  void aScriptSaysWhatTheAnalysisSays(
      String name, int order, String inScript, String inReport, String present) throws Exception {
    List<String> rows =
        new ArrayList<>(Cells.lines(replayed(name).select(inReport.split(" ", -1))));
    rows.sort(null);
    String expected = certain(rows, order);
    assertTrue(expected.lines().count() > 1, expected);
    assertTrue(expected.contains(present), expected);
    List<String> found = scripted(name, inScript);
    assertEquals(rows.size(), found.size());
    assertEquals(expected, certain(found, order), name + ", seed " + SEED);
  }
}
