package org.flowmon.jobs.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.jobs.scan.ArchiveSplit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flink SQL over an archive answers as DuckDB does over the archive's files. */
class FlowmonSqlTest {
  private static final long SEED = 2311;
  private static final int ROWS = 3 * 90_000; // of two splits
  private static final String[] CONDITIONS = {
    "src_addr = '192.0.2.1'",
    "dst_addr IN ('192.0.2.2', '2001:db8::3', '2001:0db8::6')",
    "dst_addr IN ('192.0.2.2', '192.0.2.4', '192.0.2.5', '2001:db8::3', '2001:db8::6')",
    "dst_port NOT IN (22, 443)",
    "src_addr <> '2001:db8::9'",
    "src_addr < '192.0.2.2'",
    "protocol = 6",
    "dst_port > 53 AND dst_port <= 65535",
    "53 < dst_port",
    "src_as >= 4294967293",
    "`bytes` BETWEEN 1000 AND 1000000",
    "NOT outgoing",
    "outgoing IS FALSE OR protocol IN (1, 17) AND src_as > 4294967293",
    "(outgoing OR protocol = 6) IS NOT FALSE",
    "outgoing IS NOT TRUE",
    "service = 'é'''",
    "service LIKE 'd%'",
    "dst_addr IS NULL",
    "end_time >= {1800000000}",
    "end_time < {5400000000} OR protocol IS NULL",
    "end_time = arrival",
    "`bytes` + packets > 100000"
  };
  private static final String[] KEYS = {
    "src_addr", "dst_addr", "protocol", "dst_port", "src_as", "outgoing", "service"
  };
  private static final String[] AGGREGATES = {
    "COUNT(*)",
    "COUNT(src_as)",
    "SUM(`bytes`)",
    "MIN(`bytes`)",
    "MAX(packets)",
    "AVG(packets)",
    "MIN(end_time)",
    "MAX(src_addr)",
    "COUNT(DISTINCT dst_addr)"
  };

  @TempDir static Path folder;

  private static Archive archive;
  private static Connection duckDb;

  @BeforeAll
  static void fill() throws Exception {
    archive = RandomArchive.create(folder.resolve("archive"), SEED, 3, ROWS / 3);
    duckDb = DriverManager.getConnection("jdbc:duckdb:");
    try (ArchiveSnapshot snapshot = archive.snapshot();
        Statement statement = duckDb.createStatement()) {
      String files =
          snapshot.files().stream().map(file -> "'" + file + "'").collect(Collectors.joining(","));
      statement.execute(
          "CREATE TABLE flows AS SELECT * FROM read_parquet([" + files + "], union_by_name=true)");
    }
  }

  @AfterAll
  static void close() throws SQLException {
    duckDb.close();
    archive.close();
  }

  private static StreamTableEnvironment flink() {
    return SqlSession.of(archive, EnvironmentSettings.inBatchMode(), 2);
  }

  /** Cells as text, in any order of rows. */
  private static List<String> inFlink(StreamTableEnvironment flink, String sql) throws Exception {
    List<String> rows = new ArrayList<>();
    String query =
        times(
            sql,
            time ->
                "CAST('"
                    + time.toString().replace("T", " ").replace("Z", "")
                    + "' AS TIMESTAMP_LTZ(6))");
    for (Row row : SqlSession.rows(flink, query)) {
      List<Object> cells = new ArrayList<>();
      for (int i = 0; i < row.getArity(); i++) {
        cells.add(row.getField(i));
      }
      rows.add(cells.toString());
    }
    rows.sort(null);
    return rows;
  }

  private static List<String> inDuckDb(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    // Flink's AVG of whole numbers is one.
    String own = sql.replace('`', '"').replace("AVG(packets)", "SUM(packets) // COUNT(packets)");
    String query = times(own, time -> "TIMESTAMPTZ '" + time + "'");
    try (Statement statement = duckDb.createStatement();
        ResultSet all = statement.executeQuery(query)) {
      while (all.next()) {
        List<Object> cells = new ArrayList<>();
        for (int i = 1; i <= all.getMetaData().getColumnCount(); i++) {
          Object cell = all.getObject(i);
          cells.add(cell instanceof OffsetDateTime time ? time.toInstant() : cell);
        }
        rows.add(cells.toString());
      }
    }
    rows.sort(null);
    return rows;
  }

  /** Writes each {µs after the first flows} as a literal. */
  private static String times(String sql, Function<Instant, String> literal) {
    String text = sql;
    for (int at = text.indexOf('{'); at >= 0; at = text.indexOf('{')) {
      int end = text.indexOf('}', at);
      long micros = RandomArchive.BEGIN + Long.parseLong(text.substring(at + 1, end));
      Instant time = Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
      text = text.substring(0, at) + literal.apply(time) + text.substring(end + 1);
    }
    return text;
  }

  private static void assertAnswersAlike(StreamTableEnvironment flink, String sql)
      throws Exception {
    assertEquals(inDuckDb(sql), inFlink(flink, sql), "seed " + SEED + ": " + sql);
  }

  @Test
  void flowsAreThoseOfTheFiles() throws Exception {
    StreamTableEnvironment flink = flink();
    assertAnswersAlike(
        flink,
        "SELECT src_addr, dst_addr, protocol, dst_port, src_as, `bytes`, packets, outgoing,"
            + " service, end_time, arrival FROM flows WHERE EXTRACT(SECOND FROM arrival) < 4");
  }

  @Test
  void everyConditionSelectsTheSameFlows() throws Exception {
    StreamTableEnvironment flink = flink();
    StringBuilder all = new StringBuilder("SELECT 0 AS c, COUNT(*) FROM flows");
    for (int i = 0; i < CONDITIONS.length; i++) {
      all.append(" UNION ALL SELECT ").append(i + 1).append(", COUNT(*) FROM flows WHERE ");
      all.append(CONDITIONS[i]);
    }
    assertAnswersAlike(flink, all.toString());
  }

  @Test
  void randomGroupsAreThoseOfDuckDb() throws Exception {
    StreamTableEnvironment flink = flink();
    Random random = new Random(SEED);
    for (int i = 0; i < 8; i++) {
      String key = KEYS[random.nextInt(KEYS.length)];
      StringBuilder sql = new StringBuilder("SELECT ").append(key);
      for (int a = 0; a < 3; a++) {
        sql.append(", ").append(AGGREGATES[random.nextInt(AGGREGATES.length)]);
      }
      sql.append(" FROM flows WHERE ").append(CONDITIONS[random.nextInt(CONDITIONS.length)]);
      assertAnswersAlike(flink, sql.append(" GROUP BY ").append(key).toString());
    }
  }

  @Test
  void groupsOfSeveralSplitsAreMerged() throws Exception {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      List<VisibleSegment> all = snapshot.segments().stream().map(snapshot::visible).toList();
      assertEquals(2, ArchiveSplit.pack(all, 2).size());
    }
    // All values of the first split are NULL.
    assertAnswersAlike(
        flink(),
        "SELECT src_addr, COUNT(*), COUNT(packets), SUM(`bytes`), AVG(packets), MIN(packets),"
            + " MAX(end_time) FROM flows WHERE packets IS NULL OR arrival >= {4805000000}"
            + " GROUP BY src_addr");
  }

  @Test
  void anArchiveWithoutMatchingSegmentsCountsZero() throws Exception {
    assertAnswersAlike(
        flink(), "SELECT COUNT(*), SUM(`bytes`) FROM flows WHERE end_time < {-3600000000}");
  }

  @Test
  void limitGivesThatManyRows() throws Exception {
    StreamTableEnvironment flink = flink();
    String sql = "SELECT src_addr FROM flows LIMIT 7";
    assertEquals(7, inFlink(flink, sql).size());
    assertPlan(flink, sql, "limit=[7]");
  }

  private static String assertPlan(StreamTableEnvironment flink, String sql, String... parts) {
    String plan = flink.explainSql(sql);
    for (String part : parts) {
      assertTrue(plan.contains(part), part + " is not in\n" + plan);
    }
    return plan;
  }

  @Test
  void planShowsWhatIsPushedDown() {
    StreamTableEnvironment flink = flink();
    String plan =
        assertPlan(
            flink,
            "SELECT src_addr, COUNT(*), SUM(`bytes`), AVG(packets) FROM flows"
                + " WHERE protocol = 6 AND dst_addr = '192.0.2.1' GROUP BY src_addr",
            "filter=[and(=(CAST(protocol AS INTEGER), 6), =(dst_addr, _UTF-16LE'192.0.2.1'",
            "project=[src_addr, bytes, packets]",
            "aggregates=[grouping=[src_addr]");
    assertFalse(plan.contains("LocalHashAggregate"), plan);
    assertPlan(
        flink,
        "SELECT `bytes` FROM flows WHERE src_addr < '192.0.2.1'",
        "filter=[]",
        "where=[(src_addr < ");
    for (String pushed :
        List.of(
            "outgoing IS NOT TRUE",
            "outgoing IS NOT FALSE",
            "dst_port NOT IN (22, 443)",
            "src_addr IN ('192.0.2.2', '192.0.2.4', '2001:db8::3')")) {
      plan = flink.explainSql("SELECT `bytes` FROM flows WHERE " + pushed);
      assertFalse(plan.contains("where=["), plan);
    }
  }

  @Test
  void timesAreCutToTheDigitsDeclared() throws Exception {
    StreamTableEnvironment flink = flink();
    flink.executeSql(
        "CREATE TABLE cut (end_time TIMESTAMP_LTZ(0), src_addr BINARY(16), protocol BIGINT)"
            + options());
    StringBuilder inFlink = new StringBuilder("SELECT COUNT(DISTINCT src_addr), MAX(protocol)");
    StringBuilder inDuckDb = new StringBuilder(inFlink);
    for (String operator : List.of("<", "<=", ">", ">=", "=", "<>")) {
      for (String time : List.of("{1800000000}", "{1800500000}")) {
        String count = ", (SELECT COUNT(*) FROM %s WHERE %s " + operator + " " + time + ")";
        inFlink.append(String.format(count, "cut", "end_time"));
        inDuckDb.append(String.format(count, "flows", "date_trunc('second', end_time)"));
      }
    }
    assertEquals(
        inDuckDb(inDuckDb.append(" FROM flows").toString()),
        inFlink(flink, inFlink.append(" FROM cut").toString()));
  }

  private static String options() {
    return " WITH ('connector' = 'flowmon', 'archive' = '" + archive.directory() + "')";
  }

  @Test
  void anUnfitDeclarationSaysWhatFits() {
    StreamTableEnvironment flink = flink();
    flink.executeSql("CREATE TABLE narrow (src_as INT)" + options());
    assertFails(flink, "narrow", "column src_as is declared as INT; declare it as BIGINT");
    flink.executeSql("CREATE TABLE strange (source STRING)" + options());
    assertFails(flink, "strange", "flows have no column 'source'");
  }

  private static void assertFails(StreamTableEnvironment flink, String table, String why) {
    Throwable thrown =
        assertThrows(RuntimeException.class, () -> flink.explainSql("SELECT * FROM " + table));
    while (thrown.getCause() != null) {
      thrown = thrown.getCause();
    }
    assertTrue(thrown.getMessage().startsWith(why), thrown.getMessage());
  }

  @Test
  void windowsOverTheArchiveCountAllFlows() throws Exception {
    String windows =
        "SELECT COUNT(*) AS flows FROM TABLE(TUMBLE(TABLE flows, DESCRIPTOR(arrival), INTERVAL '10'"
            + " MINUTES)) GROUP BY window_start, window_end";
    assertEquals(
        List.of("[" + ROWS + "]"), inFlink(flink(), "SELECT SUM(flows) FROM (" + windows + ")"));
  }
}
