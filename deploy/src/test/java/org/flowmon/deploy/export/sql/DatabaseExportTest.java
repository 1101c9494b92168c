package org.flowmon.deploy.export.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports to real databases, and reads back by their own drivers. */
final class DatabaseExportTest {
  @TempDir static Path shared;
  private static EmbeddedPostgres postgres;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start(shared.resolve("postgres"));
  }

  @AfterAll
  static void stop() throws Exception {
    postgres.close();
  }

  private String postgresUrl() {
    return postgres.jdbcUrl() + "?user=" + postgres.user() + "&password=" + postgres.password();
  }

  private String sqliteUrl() {
    return "jdbc:sqlite:" + folder.resolve("flows.db");
  }

  private static CommandRun export(Path archive, String url, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("export", "--archive", archive, "--to", url));
    arguments.addAll(List.of(more));
    return CommandRun.of(arguments.toArray());
  }

  static List<Map<FlowColumn, Object>> read(String url, String table) throws SQLException {
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
      while (result.next()) {
        Map<FlowColumn, Object> row = new TreeMap<>();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          FlowColumn column = FlowColumn.byName(result.getMetaData().getColumnName(c));
          Object value =
              column.type() == ColumnType.TIMESTAMP ? time(result, c) : result.getObject(c);
          if (value != null) {
            row.put(column, value(column, value));
          }
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static Object time(ResultSet result, int column) throws SQLException {
    return switch (result.getMetaData().getColumnTypeName(column)) {
      case "timestamptz" -> result.getObject(column, OffsetDateTime.class);
      case "DATETIME" -> {
        java.time.LocalDateTime time = result.getObject(column, java.time.LocalDateTime.class);
        yield time == null ? null : time.atOffset(java.time.ZoneOffset.UTC);
      }
      default -> result.getObject(column);
    };
  }

  /** A value of any type of a column. */
  private static Object value(FlowColumn column, Object value) {
    if (column.type() == ColumnType.TEXT) {
      return value;
    }
    if (column.type() == ColumnType.ADDRESS) {
      if (value instanceof byte[] bytes) {
        return IpAddress.ofBytes(bytes);
      }
      if (value instanceof Number || value.toString().matches("\\d+")) {
        java.math.BigInteger number = new BigDecimal(value.toString()).toBigInteger();
        return number.bitLength() <= 32
            ? IpAddress.ofIpv4(number.intValue())
            : new IpAddress(number.shiftRight(64).longValue(), number.longValue());
      }
      return IpAddress.parse(value.toString());
    }
    if (value instanceof OffsetDateTime time) {
      return ChronoUnit.MICROS.between(Instant.EPOCH, time.toInstant());
    }
    if (value instanceof Boolean flag) {
      return flag ? 1L : 0L;
    }
    return value instanceof Number number
        ? number.longValue()
        : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse((String) value));
  }

  @Test
  void databasesHoldTheVerySameFlowsWhateverTypesAndBatches() throws Exception {
    String[] batches = {"auto", "off", "7", "auto", "100"};
    for (int seed = 1; seed <= 5; seed++) {
      Path archive =
          ExportedFlows.archive(folder.resolve("a" + seed), seed, seed == 1 ? 1 : 250, false);
      List<String> expected = ExportedFlows.sorted(ExportedFlows.rows(archive));
      for (String url : List.of(postgresUrl(), sqliteUrl())) {
        for (SqlTypes types : SqlTypes.values()) {
          if (types == SqlTypes.INTEGER && seed == 3) {
            continue;
          }
          String table = "t" + seed + "_" + types.name().toLowerCase(java.util.Locale.ROOT);
          CommandRun said =
              export(
                  archive, url, "--table", table, "--types", types, "--batch", batches[seed - 1]);
          String what = url + " " + table;
          if (types == SqlTypes.INTEGER && said.code() == 3) {
            assertTrue(said.err().contains("is that of an IPv4 address"), what + said.err());
            continue;
          }
          assertEquals(0, said.code(), what + ": " + said.err());
          assertEquals(expected, ExportedFlows.sorted(read(url, table)), what);
        }
      }
    }
  }

  @Test
  void nativeTypesAreTheDatabasesOwn() throws Exception {
    Path archive = archive("end_time,src_addr,bytes,outgoing,src_port\n5,10.0.0.1,7,1,53\n");
    assertEquals(0, export(archive, postgresUrl(), "--table", "own").code());
    try (Connection connection = DriverManager.getConnection(postgresUrl());
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT pg_typeof(end_time) || ' ' || pg_typeof(src_addr) || ' ' ||"
                    + " pg_typeof(bytes) || ' ' || pg_typeof(outgoing) || ' ' || (src_addr << inet"
                    + " '10.0.0.0/8') FROM own")) {
      assertTrue(result.next());
      assertEquals("timestamp with time zone inet bigint boolean true", result.getString(1));
    }
  }

  private Path archive(String csv) throws Exception {
    Path input = Files.writeString(folder.resolve(csv.hashCode() + ".csv"), csv);
    Path archive = folder.resolve("archive" + csv.hashCode());
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    return archive;
  }

  @Test
  void aTableThatIsThereIsAddedToOnlyWhereThatIsSaid() throws Exception {
    Path archive = archive("end_time,src_addr\n5,10.0.0.1\n6,10.0.0.2\n");
    for (String url : List.of(postgresUrl(), sqliteUrl())) {
      assertEquals(0, export(archive, url, "--table", "twice", "--append").code());
      CommandRun refused = export(archive, url, "--table", "twice");
      assertEquals(3, refused.code());
      assertTrue(refused.err().contains("--append adds to it"), refused.err());
      assertEquals(2, read(url, "twice").size());
      assertEquals(0, export(archive, url, "--table", "twice", "--append").code());
      assertEquals(4, read(url, "twice").size());
      assertEquals(List.of(), tables(url, "_loading_"));
    }
  }

  @Test
  void whatIsCancelledWhileRowsAreAddedLeavesTheTableAsItWas() throws Exception {
    SlowTable.fill(folder.resolve("slow"), postgresUrl()).requireCancelled();
  }

  private static List<String> tables(String url, String part) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet result = connection.getMetaData().getTables(null, null, "%", null)) {
      while (result.next()) {
        if (result.getString("TABLE_NAME").contains(part)) {
          tables.add(result.getString("TABLE_NAME"));
        }
      }
    }
    return tables;
  }

  @Test
  void anExportThatFailsInTheMiddleLeavesNoTable() throws Exception {
    // PostgreSQL does not allow NUL in a text: the last batch fails after the others were
    // committed.
    StringBuilder csv = new StringBuilder("end_time,src_addr,uid\n");
    for (int i = 0; i < 100; i++) {
      csv.append(i).append(",10.0.0.1,").append(i == 99 ? "\"a\0b\"" : "c").append('\n');
    }
    Path archive = archive(csv.toString());
    CommandRun said = export(archive, postgresUrl(), "--table", "broken", "--batch", "10");
    assertEquals(3, said.code());
    assertTrue(said.err().contains("table broken: "), said.err());
    assertTrue(said.err().contains("SQLSTATE 22021"), said.err());
    assertEquals(List.of(), tables(postgresUrl(), "broken"));
    assertEquals(0, export(archive, sqliteUrl(), "--table", "whole", "--batch", "10").code());
  }

  @Test
  void namesAreNamesAndNeverStatements() throws Exception {
    Path archive = archive("end_time,src_addr\n5,10.0.0.1\n");
    String name = "x\"; DROP TABLE y; --`";
    for (String url : List.of(postgresUrl(), sqliteUrl())) {
      assertEquals(
          0,
          export(
                  archive,
                  url,
                  "--table",
                  name,
                  "--query",
                  "SELECT src_addr AS \"a; b'`\", COUNT(*) FROM flows GROUP BY src_addr")
              .code());
      assertEquals(List.of(name), tables(url, "DROP"));
      CommandRun said =
          export(
              archive,
              url,
              "--table",
              "z",
              "--query",
              "SELECT bytes AS a, packets AS A FROM flows");
      assertEquals(said.code() == 2 ? 2 : 3, said.code());
    }
    CommandRun said = export(archive, "jdbc:oracle:thin:@x");
    assertEquals(2, said.code());
    assertTrue(said.err().contains("expected jdbc:postgresql:"), said.err());
    assertEquals(2, export(archive, sqliteUrl(), "--batch", "0").code());
    assertEquals(3, export(archive, "jdbc:postgresql://127.0.0.1:1/none").code());
  }
}
