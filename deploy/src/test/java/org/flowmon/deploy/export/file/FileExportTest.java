package org.flowmon.deploy.export.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileExportTest {
  @TempDir Path folder;

  @Test
  void filesReadBackAreTheVerySameFlows() throws Exception {
    for (long seed = 1; seed <= 6 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      int rows = seed == 1 ? 0 : seed == 2 ? 1 : 200 + (int) (seed * 97 % 400);
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, rows, true);
      List<String> expected = ExportedFlows.sorted(ExportedFlows.rows(archive));
      assertEquals(rows, expected.size());
      for (String name : List.of("flows.csv", "flows.json.gz", "flows.parquet")) {
        Path file = folder.resolve(seed + name);
        CommandRun said = CommandRun.of("export", "--archive", archive, "--to", file);
        assertEquals(0, said.code(), said.err());
        Path back = folder.resolve("b" + seed + name);
        said = CommandRun.of("import", file, "--archive", back);
        if (rows == 0) {
          // JSON without flows cannot be recognized; of the others no archive is made.
          assertNotEquals(0, said.code(), name + ": " + said);
          assertFalse(Files.exists(back), name);
          continue;
        }
        assertEquals(0, said.code(), "seed " + seed + ", " + name + ": " + said);
        assertTrue(said.out().contains("; lost: nothing\n"), said.out());
        assertEquals(
            expected, ExportedFlows.sorted(ExportedFlows.rows(back)), "seed " + seed + ", " + name);
      }
    }
  }

  @Test
  void aNullAndAnEmptyTextOfASingleColumnAreToldApartByDuckDb() throws Exception {
    Path input =
        Files.writeString(
            folder.resolve("in.csv"), "end_time,service,bytes\n1,,\n2,\"\",5\n3,dns,\n4,,7\n");
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    for (String column : List.of("service", "bytes")) {
      Path csv = folder.resolve(column + ".csv");
      String sql = "SELECT " + column + " FROM flows ORDER BY end_time";
      assertEquals(
          0, CommandRun.of("export", "--archive", archive, "--to", csv, "--query", sql).code());
      assertEquals(
          List.of(column.equals("service") ? "NULL,,dns,NULL" : "NULL,5,NULL,7"),
          duckdb(
              "SELECT string_agg(coalesce("
                  + column
                  + ", 'NULL'), ',') FROM read_csv('"
                  + csv
                  + "', header = true, delim = ',', columns = {'"
                  + column
                  + "': 'VARCHAR'}, allow_quoted_nulls = false)"));
    }
  }

  @Test
  void timesAsTextsSortAsTimes() throws Exception {
    Path input =
        Files.writeString(folder.resolve("in.csv"), "end_time,bytes\n10,1\n10.5,2\n10.000001,3\n");
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    String url = "jdbc:sqlite:" + folder.resolve("flows.db");
    assertEquals(
        0, CommandRun.of("export", "--archive", archive, "--to", url, "--types", "text").code());
    List<String> times = new ArrayList<>();
    try (Connection sqlite = DriverManager.getConnection(url);
        Statement statement = sqlite.createStatement();
        ResultSet result = statement.executeQuery("SELECT end_time FROM flows ORDER BY end_time")) {
      while (result.next()) {
        times.add(result.getString(1));
      }
    }
    assertEquals(
        List.of(
            "1970-01-01T00:00:10.000000Z",
            "1970-01-01T00:00:10.000001Z",
            "1970-01-01T00:00:10.500000Z"),
        times);
  }

  @Test
  void duckDbReadsTheParquetFileWithEveryValue() throws Exception {
    for (long seed = 1; seed <= 6; seed++) {
      int rows = seed == 1 ? 0 : 300;
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, rows, false);
      Path file = folder.resolve(seed + ".parquet");
      assertEquals(
          0, CommandRun.of("export", "--archive", archive, "--to", file).code(), "seed " + seed);
      assertEquals(ExportedFlows.rows(archive), parquet(file), "seed " + seed);
    }
  }

  private static List<Map<FlowColumn, Object>> parquet(Path file) throws Exception {
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM '" + file + "'")) {
      while (result.next()) {
        Map<FlowColumn, Object> row = new TreeMap<>();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          FlowColumn column = FlowColumn.byName(result.getMetaData().getColumnName(c));
          Object value = result.getObject(c);
          if (value != null) {
            row.put(column, value(column, value));
          }
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static Object value(FlowColumn column, Object value) {
    return switch (column.type()) {
      case TIMESTAMP ->
          ChronoUnit.MICROS.between(Instant.EPOCH, ((OffsetDateTime) value).toInstant());
      case ADDRESS -> IpAddress.parse((String) value);
      case TEXT -> value;
      case BOOLEAN -> (Boolean) value ? 1L : 0L;
      default -> ((Number) value).longValue();
    };
  }

  @Test
  void manyRowGroupsAndSumsBeyond64BitsAreReadByDuckDb() throws Exception {
    StringBuilder csv = new StringBuilder("end_time,src_addr,bytes\n");
    int rows = ParquetRows.GROUP_ROWS + 5000;
    for (int i = 0; i < rows; i++) {
      csv.append(i).append(",10.0.0.1,").append(Long.MAX_VALUE - i).append('\n');
    }
    Path input = Files.writeString(folder.resolve("in.csv"), csv);
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    Path flows = folder.resolve("flows.parquet");
    assertEquals(0, CommandRun.of("export", "--archive", archive, "--to", flows).code());
    Path sums = folder.resolve("sums.parquet");
    String sql =
        "SELECT src_addr, SUM(bytes) AS s, AVG(src_port) AS a FROM flows GROUP BY src_addr";
    assertEquals(
        0, CommandRun.of("export", "--archive", archive, "--to", sums, "--query", sql).code());
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < rows; i++) {
      sum = sum.add(BigInteger.valueOf(Long.MAX_VALUE - i));
    }
    assertEquals(
        List.of(rows + "|" + sum + "|" + (rows - 1) + "|null"),
        duckdb(
            "SELECT (SELECT count(*) FROM '"
                + flows
                + "') || '|' || s || '|' ||"
                + " (SELECT max(epoch_us(end_time)) // 1000000 FROM '"
                + flows
                + "') || '|' ||"
                + " coalesce(CAST(a AS VARCHAR), 'null') FROM '"
                + sums
                + "'"));
    assertEquals(
        List.of("2"),
        duckdb("SELECT count(DISTINCT row_group_id) FROM parquet_metadata('" + flows + "')"));
  }

  private static List<String> duckdb(String sql) throws Exception {
    List<String> lines = new ArrayList<>();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        lines.add(result.getString(1));
      }
    }
    return lines;
  }

  @Test
  void aConditionChoosesAndAQueryAnswersAndNothingIsOverwritten() throws Exception {
    Path input =
        Files.writeString(
            folder.resolve("in.csv"),
            "end_time,src_addr,dst_port,uid\n5,10.0.0.1,53,b\n3,::1,53,\n4,::1,80,\"x,\"\"y\n\"\n");
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    Path file = folder.resolve("dns.csv");
    String[] export = {
      "export", "--archive", archive.toString(), "--to", file.toString(), "--where", "dst_port = 53"
    };
    assertEquals(0, CommandRun.of((Object[]) export).code());
    assertEquals(
        "end_time,arrival,src_addr,dst_port,source_kind,uid\r\n"
            + "1970-01-01T00:00:03Z,1970-01-01T00:00:03Z,::1,53,csv,\r\n"
            + "1970-01-01T00:00:05Z,1970-01-01T00:00:05Z,10.0.0.1,53,csv,b\r\n",
        Files.readString(file));
    assertEquals(2, CommandRun.of((Object[]) export).code(), "the file is there");
    CommandRun said =
        CommandRun.of(
            "export",
            "--archive",
            archive,
            "--to",
            "-",
            "--format",
            "json",
            "--query",
            "SELECT src_addr, COUNT(*) AS flows, MAX(src_port) AS p FROM flows"
                + " WHERE dst_port = :port GROUP BY src_addr",
            "--param",
            "port=53");
    assertEquals(
        "{\"src_addr\":\"::1\",\"flows\":1}\n{\"src_addr\":\"10.0.0.1\",\"flows\":1}\n",
        said.out());
    String kinds = "SELECT source_kind, COUNT(*) AS flows FROM flows GROUP BY source_kind";
    said = CommandRun.of("export", "--archive", archive, "--to", "-", "--query", kinds);
    assertEquals("source_kind,flows\r\ncsv,3\r\n", said.out());
    said = CommandRun.of("export", "--archive", archive, "--to", folder.resolve("x.txt"));
    assertEquals(2, said.code());
    assertTrue(said.err().contains("--format csv, json, parquet or arrow"), said.err());
    said =
        CommandRun.of(
            "export", "--archive", archive, "--to", folder.resolve("x.csv"), "--where", "nonsense");
    assertEquals(2, said.code(), said.err());
    assertFalse(Files.exists(folder.resolve("x.csv")));
    try (Stream<Path> files = Files.list(folder)) {
      assertTrue(files.noneMatch(path -> path.toString().endsWith(".part")));
    }
  }
}
