package org.flowmon.jobs.sql.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.jobs.sql.RandomArchive;
import org.flowmon.jobs.sql.SqlSession;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The functions keep to their bounds of the exact answers, and are those of the dialect. */
class SketchFunctionsTest {
  private static final long SEED = 2315;
  private static final double EPSILON = 0.01; // of QUANTILES
  private static final double HASH_ERROR = 5 * 0.0163; // five standard errors
  private static final String CALLS =
      "APPROX_DISTINCT(`bytes`), QUANTILE(`bytes`, 0.95), HEAVY_HITTERS(src_addr, packets, 3),"
          + " HEAVY_HITTERS(dst_port, 1, 2), APPROX_DISTINCT(service), QUANTILE(`bytes`, 0.5)";

  @TempDir static Path folder;

  private static Archive archive;

  @BeforeAll
  static void fill() throws Exception {
    archive = RandomArchive.create(folder.resolve("archive"), SEED, 3, 20_000);
  }

  @AfterAll
  static void close() {
    archive.close();
  }

  private static StreamTableEnvironment flink(EnvironmentSettings mode) {
    StreamTableEnvironment flink = SqlSession.of(archive, mode, 2);
    flink.executeSql(
        "CREATE TABLE timed (src_addr STRING, dst_port INT, packets BIGINT, `bytes` BIGINT,"
            + " protocol SMALLINT, service STRING, arrival TIMESTAMP_LTZ(3),"
            + " WATERMARK FOR arrival AS arrival - INTERVAL '3' HOUR)"
            + " WITH ('connector' = 'flowmon', 'archive' = '"
            + archive.directory()
            + "')");
    return flink;
  }

  /** The flows' src_addr, dst_port, packets, bytes and service by key. */
  private static Map<String, List<Row>> flows(String keys) throws Exception {
    Map<String, List<Row>> groups = new HashMap<>();
    String sql =
        "SELECT src_addr, dst_port, packets, `bytes`, service, CONCAT_WS(' ', " + keys + ")";
    String windows =
        " FROM TABLE(HOP(TABLE timed, DESCRIPTOR(arrival), INTERVAL '20' MINUTE, INTERVAL '1'"
            + " HOUR))";
    for (Row row : SqlSession.rows(flink(EnvironmentSettings.inBatchMode()), sql + windows)) {
      groups.computeIfAbsent((String) row.getField(5), key -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  /** {@code answer}: the key, and what {@link #CALLS} gave. */
  private static void assertHolds(Row answer, List<Row> flows) {
    String of = "seed " + SEED + ": " + answer;
    List<Long> bytes =
        flows.stream()
            .map(row -> (Long) row.getField(3))
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    long different = new HashSet<>(bytes).size();
    assertEquals((double) different, (Long) answer.getField(1), HASH_ERROR * different, of);
    assertRank(bytes, 0.95, (Long) answer.getField(2), of);
    assertRank(bytes, 0.5, (Long) answer.getField(6), of);
    // Fewer items than a state has room for: exact.
    assertEquals(top(flows, 0, 2, 3), List.of((Row[]) answer.getField(3)), of);
    assertEquals(top(flows, 1, -1, 2), List.of((Row[]) answer.getField(4)), of);
    long services =
        flows.stream().map(row -> row.getField(4)).filter(Objects::nonNull).distinct().count();
    assertEquals(services, answer.getField(5), of);
  }

  private static void assertRank(List<Long> sorted, double share, Long value, String of) {
    if (sorted.isEmpty()) {
      assertEquals(null, value, of);
      return;
    }
    double rank = Math.ceil(share * sorted.size());
    double slack = EPSILON * sorted.size() + 1;
    assertTrue(sorted.contains(value), of);
    assertTrue(sorted.indexOf(value) + 1 <= rank + slack, of);
    assertTrue(sorted.lastIndexOf(value) + 1 >= rank - slack, of);
  }

  private static List<Row> top(List<Row> flows, int item, int weight, int most) {
    Map<String, Long> sums = new HashMap<>();
    for (Row row : flows) {
      Long by = weight < 0 ? Long.valueOf(1) : (Long) row.getField(weight);
      if (row.getField(item) != null && by != null) {
        sums.merge(row.getField(item).toString(), by, Long::sum);
      }
    }
    return sums.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(most)
        .map(sum -> Row.of(sum.getKey(), sum.getValue(), sum.getValue(), sum.getValue()))
        .toList();
  }

  private static void assertWindowsHold(EnvironmentSettings mode) throws Exception {
    String keys = "CAST(window_start AS STRING), CAST(protocol AS STRING)";
    Map<String, List<Row>> flows = flows(keys);
    List<Row> answers =
        SqlSession.rows(
            flink(mode),
            "SELECT CONCAT_WS(' ', "
                + keys
                + "), "
                + CALLS
                + " FROM TABLE(HOP(TABLE timed, DESCRIPTOR(arrival), INTERVAL '20' MINUTE,"
                + " INTERVAL '1' HOUR)) GROUP BY window_start, window_end, protocol");
    assertEquals(flows.keySet().size(), answers.size());
    assertTrue(answers.size() > 20);
    for (Row answer : answers) {
      assertHolds(answer, flows.get((String) answer.getField(0)));
    }
  }

  @Test
  void windowsOfAStreamKeepToTheBounds() throws Exception {
    assertWindowsHold(EnvironmentSettings.inStreamingMode());
  }

  @Test
  void windowsOfABatchKeepToTheBounds() throws Exception {
    assertWindowsHold(EnvironmentSettings.inBatchMode());
  }

  @Test
  void answersAreThoseOfTheDialect() throws Exception {
    String query =
        "SELECT protocol, CARDINALITY(APPROX_COUNT_DISTINCT(bytes)) AS n,"
            + " ESTIMATE(HEAVY_HITTERS(dst_port, bytes), 443) AS w FROM flows"
            + " WHERE protocol IS NOT NULL GROUP BY protocol ORDER BY protocol";
    List<String> expected = new ArrayList<>();
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      ResultTable table =
          ArchiveQuery.run(snapshot, QueryParser.parseQuery(query), QueryOptions.DEFAULTS).table();
      for (int i = 0; i < table.rowCount(); i++) {
        expected.add(table.low(i, 0) + " " + table.low(i, 1) + " " + table.low(i, 2));
      }
    }
    assertEquals(4, expected.size());
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    String sql =
        "SELECT protocol, n, weight FROM (SELECT protocol, APPROX_DISTINCT(`bytes`) AS n,"
            + " HEAVY_HITTERS(dst_port, `bytes`, 10) AS items FROM flows GROUP BY protocol)"
            + " CROSS JOIN UNNEST(items) AS t (item, weight, least, most_) WHERE item = '443'"
            + " AND protocol IS NOT NULL ORDER BY protocol";
    assertEquals(
        expected,
        SqlSession.rows(flink, sql).stream()
            .map(row -> row.getField(0) + " " + row.getField(1) + " " + row.getField(2))
            .toList());
  }

  @Test
  void anyCatalogCanHaveThemByTheirClass() throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    flink.executeSql(
        "CREATE FUNCTION default_catalog.default_database.part AS"
            + " 'org.flowmon.jobs.sql.function.Quantile'");
    assertEquals(
        SqlSession.rows(flink, "SELECT MAX(`bytes`), MIN(`bytes`) FROM flows"),
        SqlSession.rows(
            flink,
            "SELECT default_catalog.default_database.part(`bytes`, 1),"
                + " default_catalog.default_database.part(`bytes`, 0) FROM flows"));
  }

  @Test
  void withoutRowsNothingIsCounted() throws Exception {
    Row answer =
        SqlSession.rows(
                flink(EnvironmentSettings.inBatchMode()),
                "SELECT 0, " + CALLS + " FROM flows WHERE src_addr = '198.51.100.1'")
            .get(0);
    assertHolds(answer, List.of());
  }

  @Test
  void aTextThatIsNoAddressAndChangingParametersAreErrors() {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    SqlSession.assertFails(
        flink,
        "SELECT HEAVY_HITTERS(service, 1, 3) FROM flows",
        "takes addresses and whole numbers, found");
    SqlSession.assertFails(
        flink, "SELECT QUANTILE(`bytes`, dst_port / 1e5) FROM flows", "give it as a constant");
    SqlSession.assertFails(
        flink,
        "SELECT QUANTILE(`bytes`, 1.5) FROM flows",
        "expected share to be a number from 0 to 1");
  }
}
