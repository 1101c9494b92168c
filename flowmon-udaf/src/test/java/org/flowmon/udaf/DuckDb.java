package org.flowmon.udaf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;

/**
 * The same flows in DuckDB, an independent oracle. Times and durations are BIGINT there. An address
 * is its 16 bytes as a BLOB, ordered as unsigned bytes.
 */
public final class DuckDb implements AutoCloseable {
  private final Connection connection;

  public DuckDb(List<FlowBatch> flows) throws SQLException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    StringBuilder columns = new StringBuilder();
    for (FlowColumn column : FlowColumn.all()) {
      columns
          .append(columns.isEmpty() ? "" : ", ")
          .append(column.sqlName())
          .append(' ')
          .append(type(column.type()));
    }
    try (Statement statement = connection.createStatement()) {
      // A division by 0 is NULL, as in our dialect.
      statement.execute(
          "SET error_on_division_by_zero = false; SET ieee_floating_point_ops = false");
      statement.execute("CREATE TABLE flows (" + columns + ")");
    }
    try (DuckDBAppender rows = connection.unwrap(DuckDBConnection.class).createAppender("flows")) {
      for (FlowBatch batch : flows) {
        for (int row = 0; row < batch.rows(); row++) {
          append(rows, batch, row);
        }
      }
    }
  }

  private static String type(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> "BOOLEAN";
      case ADDRESS -> "BLOB";
      case TEXT -> "VARCHAR";
      default -> "BIGINT";
    };
  }

  private static void append(DuckDBAppender rows, FlowBatch batch, int row) throws SQLException {
    rows.beginRow();
    for (FlowColumn column : FlowColumn.all()) {
      if (batch.isNull(column, row)) {
        rows.appendNull();
      } else {
        switch (column.type()) {
          case BOOLEAN -> rows.append(batch.getLong(column, row) != 0);
          case ADDRESS -> rows.append(batch.getAddress(column, row).toBytes());
          case TEXT -> rows.append(batch.text(column, row));
          default -> rows.append(batch.getLong(column, row));
        }
      }
    }
    rows.endRow();
  }

  /** The rows of a query, each as the texts of its values. */
  public List<List<String>> rows(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<List<String>> rows = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int c = 1; c <= columns; c++) {
          row.add(text(result.getObject(c)));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  private static String text(Object value) throws SQLException {
    if (value == null) {
      return "NULL";
    } else if (value instanceof java.sql.Blob blob) {
      return IpAddress.ofBytes(blob.getBytes(1, (int) blob.length())).toString();
    } else if (value instanceof BigInteger || value instanceof Long || value instanceof Integer) {
      return value.toString();
    } else if (value instanceof BigDecimal decimal) {
      return decimal.toBigInteger().toString();
    } else if (value instanceof Double number) {
      return Double.toString(number + 0.0); // DuckDB has two zeros, flowmon one
    }
    return value.toString();
  }

  /** Our rows, in the same form. */
  public static List<List<String>> rows(ResultTable table) {
    List<List<String>> rows = new ArrayList<>();
    for (int r = 0; r < table.rowCount(); r++) {
      List<String> row = new ArrayList<>();
      for (int c = 0; c < table.columnCount(); c++) {
        row.add(text(table, r, c));
      }
      rows.add(row);
    }
    return rows;
  }

  private static String text(ResultTable table, int row, int column) {
    if (table.isNull(row, column)) {
      return "NULL";
    }
    return switch (table.kind(column)) {
      case LONG, TIMESTAMP, DURATION -> table.bigValue(row, column).toString();
      default -> table.formatted(row, column);
    };
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
