package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB answers the same question over the same files. */
class DuckDbAgreesTest {
  private static final long SEED = 91;

  @TempDir Path directory;

  @Test
  void duckDbGivesTheSameAnswersOverTheSameFiles() throws Exception {
    Traffic traffic = new Traffic(SEED, true, 0.05);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS);
        Connection duckdb = DriverManager.getConnection("jdbc:duckdb:")) {
      List<String> files = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        String file =
            Traffic.commit(archive, traffic.batches(15_000, i * 0.15, i * 0.15 + 0.4)).fileName();
        files.add("'" + archive.segmentsDirectory().resolve(file) + "'");
      }
      try (Statement statement = duckdb.createStatement()) {
        statement.execute(
            "CREATE VIEW flows AS SELECT * REPLACE (epoch_us(start_time) AS start_time,"
                + " epoch_us(end_time) AS end_time, epoch_us(arrival) AS arrival)"
                + " FROM read_parquet(["
                + String.join(", ", files)
                + "], union_by_name = true)");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String where : conditions(traffic)) {
          for (String select : SELECTS) {
            compare(snapshot, duckdb, select, where);
          }
        }
      }
    }
  }

  private static final String[] SELECTS = {
    "SELECT src_addr, SUM(bytes), COUNT(*), COUNT(reverse_bytes), MAX(packets) FROM flows{}"
        + " GROUP BY src_addr",
    "SELECT dst_port, protocol, SUM(reverse_bytes), MIN(bytes) FROM flows{} GROUP BY dst_port,"
        + " protocol",
    "SELECT src_addr, DAYS_BEFORE(end_time, :now), SUM(bytes) FROM flows{} GROUP BY src_addr,"
        + " DAYS_BEFORE(end_time, :now)",
    "SELECT COUNT(*), SUM(bytes), SUM(packets), COUNT(src_as) FROM flows{}",
    "SELECT src_addr, dst_addr, src_port, service, bytes FROM flows{}",
    "SELECT src_addr, COUNT(DISTINCT dst_addr), COUNT(DISTINCT dst_port), SUM(bytes) FROM flows{}"
        + " GROUP BY src_addr",
    "SELECT COUNT(DISTINCT service), COUNT(DISTINCT src_addr) FROM flows{}",
    "SELECT n, COUNT(*) FROM (SELECT src_addr, COUNT(*) AS n FROM flows{} GROUP BY src_addr) AS x"
        + " GROUP BY n",
    "SELECT a.src_addr, a.b, c.b AS back FROM (SELECT src_addr, SUM(bytes) AS b FROM flows{} GROUP"
        + " BY src_addr) AS a LEFT JOIN (SELECT dst_addr, SUM(reverse_bytes) AS b FROM flows GROUP"
        + " BY dst_addr) AS c ON c.dst_addr = a.src_addr",
    "SELECT dst_addr, COUNT(*) FROM flows WHERE dst_addr IN (SELECT src_addr FROM flows{}) GROUP BY"
        + " dst_addr",
  };

  private static List<String> conditions(Traffic traffic) {
    Set<String> hundred = new TreeSet<>();
    while (hundred.size() < 100) {
      hundred.add("'" + traffic.address() + "'");
    }
    String sources = String.join(", ", hundred);
    String one = "'192.0.2.5'";
    return List.of(
        " WHERE src_addr IN (" + sources + ") AND SAME_HOUR(end_time, :now, 7)",
        " WHERE src_addr = " + one + " OR dst_addr = " + one,
        " WHERE (src_addr = "
            + one
            + " OR dst_addr = "
            + one
            + ") AND SAME_HOUR(end_time, :now, 3)",
        " WHERE src_addr = '203.0.113.99'",
        " WHERE protocol = 17 AND dst_port IN (53, 443) AND NOT outgoing",
        " WHERE bytes IS NULL OR src_as = 64503",
        " WHERE NOT (src_addr IN (" + sources + ")) AND service <> 'dns' AND bytes > 10000",
        " WHERE dst_addr IN ('192.0.2.5', '192.0.2.9') AND src_port BETWEEN 1000 AND 9000");
  }

  private static void compare(
      ArchiveSnapshot snapshot, Connection duckdb, String select, String where) throws Exception {
    ResultTable ours =
        ArchiveQuery.run(
                snapshot,
                QueryParser.parseQuery(select.replace("{}", where))
                    .bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW))),
                QueryOptions.DEFAULTS)
            .table();
    String sql = translate(select.replace("{}", where));
    String context = "seed " + SEED + ": " + sql;
    List<String> theirs = rows(duckdb, sql, ours.columnCount());
    List<String> mine = rows(ours);
    assertEquals(theirs.size(), mine.size(), context);
    for (int i = 0; i < mine.size(); i++) {
      assertEquals(theirs.get(i), mine.get(i), context);
    }
    assertTrue(!theirs.isEmpty() || where.contains("203.0.113.99"), "says nothing: " + context);
  }

  /** Translates the dialect's own functions to DuckDB. */
  private static String translate(String sql) {
    String text =
        sql.replace(
            "DAYS_BEFORE(end_time, :now)",
            "CAST(ceil((" + Traffic.NOW + " - end_time) / " + Traffic.DAY + ".0) AS BIGINT)");
    for (int days : new int[] {3, 7}) {
      List<String> hours = new ArrayList<>();
      for (int i = 1; i <= days; i++) {
        long from = Traffic.NOW - i * Traffic.DAY;
        hours.add("(end_time >= " + from + " AND end_time < " + (from + Traffic.HOUR) + ")");
      }
      text =
          text.replace(
              "SAME_HOUR(end_time, :now, " + days + ")", "(" + String.join(" OR ", hours) + ")");
    }
    return text;
  }

  private static List<String> rows(Connection duckdb, String sql, int columns) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int c = 1; c <= columns; c++) {
          row.append(result.getString(c)).append('|');
        }
        rows.add(row.toString());
      }
    }
    Collections.sort(rows);
    return rows;
  }

  private static List<String> rows(ResultTable table) {
    List<String> rows = new ArrayList<>();
    for (int r = 0; r < table.rowCount(); r++) {
      StringBuilder row = new StringBuilder();
      for (int c = 0; c < table.columnCount(); c++) {
        row.append(table.isNull(r, c) ? "null" : table.formatted(r, c)).append('|');
      }
      rows.add(row.toString());
    }
    Collections.sort(rows);
    return rows;
  }
}
