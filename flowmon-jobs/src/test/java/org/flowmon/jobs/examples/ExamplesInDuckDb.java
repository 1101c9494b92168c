package org.flowmon.jobs.examples;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.CodeNames;

/**
 * Flows in DuckDB, with types that allow most queries unchanged: times are TIMESTAMP, durations
 * INTERVAL, codes an ENUM in their order. An address is its text: the examples' addresses sort like
 * their bytes.
 */
final class ExamplesInDuckDb implements AutoCloseable {
  private static final Pattern INTERVAL =
      Pattern.compile("(?:(-?\\d+) days? ?)?(?:(-?)(\\d+):(\\d\\d):(\\d\\d(?:\\.\\d+)?))?");

  private final Connection connection;

  ExamplesInDuckDb(List<FlowBatch> flows) throws SQLException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    List<String> columns = new ArrayList<>();
    List<String> marks = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SET error_on_division_by_zero = false; SET ieee_floating_point_ops = false");
      statement.execute("CREATE TYPE address AS VARCHAR");
      for (FlowColumn column : FlowColumn.all()) {
        CodeNames names = column.codeNames();
        if (names != null) {
          List<String> all = new ArrayList<>();
          for (int code = 1; names.name(code) != null; code++) {
            all.add("'" + names.name(code) + "'");
          }
          statement.execute(
              "CREATE TYPE " + column.sqlName() + "_name AS ENUM (" + String.join(", ", all) + ")");
        }
        columns.add(column.sqlName() + " " + type(column));
        marks.add(column.sqlName().equals("duration") ? "to_microseconds(?)" : "?");
      }
      statement.execute("CREATE TABLE flows (" + String.join(", ", columns) + ")");
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO flows VALUES (" + String.join(", ", marks) + ")")) {
      for (FlowBatch batch : flows) {
        for (int row = 0; row < batch.rows(); row++) {
          for (FlowColumn column : FlowColumn.all()) {
            insert.setObject(column.ordinal() + 1, value(batch, column, row));
          }
          insert.execute();
        }
      }
    }
  }

  private static String type(FlowColumn column) {
    if (column.codeNames() != null) {
      return column.sqlName() + "_name";
    }
    return switch (column.type()) {
      case BOOLEAN -> "BOOLEAN";
      case ADDRESS, TEXT -> "VARCHAR";
      case TIMESTAMP -> "TIMESTAMP";
      case DURATION -> "INTERVAL";
      default -> "BIGINT";
    };
  }

  private static Object value(FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return null;
    } else if (column.codeNames() != null) {
      return column.codeNames().name(batch.getLong(column, row));
    }
    return switch (column.type()) {
      case BOOLEAN -> batch.getLong(column, row) != 0;
      case ADDRESS -> batch.getAddress(column, row).toString();
      case TEXT -> batch.text(column, row);
      case TIMESTAMP ->
          LocalDateTime.ofEpochSecond(
              Math.floorDiv(batch.getLong(column, row), 1_000_000L),
              (int) Math.floorMod(batch.getLong(column, row), 1_000_000L) * 1000,
              ZoneOffset.UTC);
      default -> batch.getLong(column, row);
    };
  }

  /** Returns the rows of an answer, in the form of {@link ExamplePage#cell}. */
  List<List<String>> rows(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<List<String>> rows = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int c = 1; c <= columns; c++) {
          boolean interval = result.getMetaData().getColumnTypeName(c).equals("INTERVAL");
          row.add(interval ? seconds(result.getString(c)) : text(result.getObject(c)));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  private static String text(Object value) {
    if (value == null) {
      return "NULL";
    } else if (value instanceof java.sql.Timestamp time) {
      return time.toLocalDateTime().toInstant(ZoneOffset.UTC).toString();
    } else if (value instanceof BigDecimal decimal) {
      return Double.toString(decimal.doubleValue());
    }
    return value.toString();
  }

  /** Converts {@code 1 day 00:05:30.5} to seconds. */
  private static String seconds(String interval) {
    if (interval == null) {
      return "NULL";
    }
    Matcher matcher = INTERVAL.matcher(interval);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("expected days and a time, found " + interval);
    }
    BigDecimal seconds = BigDecimal.ZERO;
    if (matcher.group(3) != null) {
      seconds =
          new BigDecimal(matcher.group(5))
              .add(
                  BigDecimal.valueOf(
                      Long.parseLong(matcher.group(3)) * 3600
                          + Long.parseLong(matcher.group(4)) * 60));
    }
    if ("-".equals(matcher.group(2))) {
      seconds = seconds.negate();
    }
    if (matcher.group(1) != null) {
      seconds = seconds.add(BigDecimal.valueOf(Long.parseLong(matcher.group(1)) * 86_400));
    }
    return seconds.setScale(6).stripTrailingZeros().toPlainString() + " s";
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
