package org.flowmon.it.oracle;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.flowmon.flow.FlowColumn;

/**
 * The flows of an archive as DuckDB reads them from its segments: times as µs, and beside them a
 * table of all addresses as numbers, since in the segments they are text.
 */
final class DuckDbFlows implements AutoCloseable {
  private final Connection connection;

  /**
   * Reads segments.
   *
   * @param files Parquet files
   * @param condition which rows of them are part of the archive, over {@code filename} and {@code
   *     file_row_number}
   */
  DuckDbFlows(List<String> files, String condition) throws SQLException, UnknownHostException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    List<String> names = files.stream().map(file -> "'" + file + "'").toList();
    execute("SET threads = 1");
    execute(
        "CREATE TABLE flows AS SELECT * REPLACE (epoch_us(start_time) AS start_time,"
            + " epoch_us(end_time) AS end_time, epoch_us(arrival) AS arrival) FROM read_parquet(["
            + String.join(", ", names)
            + "], union_by_name = true, filename = true, file_row_number = true) WHERE "
            + condition);
    // A column that no segment has is not in the files.
    for (FlowColumn column : FlowColumn.all()) {
      String type =
          switch (column.type()) {
            case TEXT, ADDRESS -> "VARCHAR";
            case BOOLEAN -> "BOOLEAN";
            default -> "BIGINT";
          };
      execute("ALTER TABLE flows ADD COLUMN IF NOT EXISTS " + column.sqlName() + " " + type);
    }
    execute("CREATE TABLE addresses (address VARCHAR, ipv4 BOOLEAN, number VARCHAR, net VARCHAR)");
    try (DuckDBAppender addresses =
        connection.unwrap(DuckDBConnection.class).createAppender("addresses")) {
      for (String row : rows("SELECT src_addr FROM flows UNION SELECT dst_addr FROM flows", 1)) {
        String address = row.substring(0, row.length() - 1);
        if (!address.equals("null")) {
          boolean ipv4 = !address.contains(":");
          addresses
              .beginRow()
              .append(address)
              .append(ipv4)
              .append(number(address).toString(16).transform(DuckDbFlows::padded))
              .append(text(masked(address, ipv4 ? 24 : 64), ipv4))
              .endRow();
        }
      }
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String padded(String hex) {
    return "0".repeat(32 - hex.length()) + hex;
  }

  private static BigInteger number(String address) throws UnknownHostException {
    return new BigInteger(1, InetAddress.getByName(address).getAddress());
  }

  private static BigInteger masked(String address, int length) throws UnknownHostException {
    int rest = (address.contains(":") ? 128 : 32) - length;
    return number(address).shiftRight(rest).shiftLeft(rest);
  }

  /** RFC 5952 of the few networks that there are: java.net does not shorten. */
  private static String text(BigInteger number, boolean ipv4) {
    if (ipv4) {
      int n = number.intValue();
      return (n >>> 24) + "." + (n >>> 16 & 255) + "." + (n >>> 8 & 255) + "." + (n & 255);
    }
    // Of a network of 64 bits the last four groups are 0, the longest run unless the rest has it.
    StringBuilder text = new StringBuilder();
    int groups = 4;
    while (groups > 0 && group(number, groups - 1) == 0) {
      groups--;
    }
    for (int g = 0; g < groups; g++) {
      text.append(g == 0 ? "" : ":").append(Integer.toHexString(group(number, g)));
    }
    return text + "::";
  }

  private static int group(BigInteger number, int place) {
    return number.shiftRight(112 - 16 * place).intValue() & 0xFFFF;
  }

  /** In DuckDB's SQL: whether an address lies in a prefix of its family. */
  static String inPrefix(String column, String address, int length) {
    try {
      boolean ipv4 = !address.contains(":");
      BigInteger first = masked(address, length);
      BigInteger last =
          first.add(BigInteger.ONE.shiftLeft((ipv4 ? 32 : 128) - length)).subtract(BigInteger.ONE);
      // In SQL even NULL is not in a list of none: here it is not known whether it is in a prefix.
      return "(CASE WHEN "
          + column
          + " IS NULL THEN NULL ELSE "
          + column
          + " IN (SELECT address FROM addresses WHERE ipv4 = "
          + ipv4
          + " AND number BETWEEN '"
          + padded(first.toString(16))
          + "' AND '"
          + padded(last.toString(16))
          + "') END)";
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** In DuckDB's SQL: the network of 24 (IPv4) or 64 bits of an address. */
  static String network(String column) {
    return "(SELECT net FROM addresses WHERE address = " + column + ")";
  }

  /** All rows as text, in their order. */
  List<String> rows(String sql, int columns) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int c = 1; c <= columns; c++) {
          row.append(result.getString(c)).append('|');
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
