package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An independent reader sees the sealed values in a segment, and its pruning by statistics loses no
 * row.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "lookup",
      "compact",
      "compact codec=lz4 page=4096 split=true",
      "compact codec=none page=4096 split=true"
    })
class DuckDbReadsSegmentsTest {
  @Parameter String options;

  @TempDir Path directory;
  private Connection duckdb;

  @BeforeEach
  void connect() throws SQLException {
    duckdb = DriverManager.getConnection("jdbc:duckdb:");
  }

  @AfterEach
  void disconnect() throws SQLException {
    duckdb.close();
  }

  private String from(SealedSegment sealed) {
    return " FROM read_parquet('" + directory.resolve(sealed.fileName()) + "')";
  }

  private long single(String sql) throws SQLException {
    try (Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertTrue(result.next(), sql);
      long value = result.getLong(1);
      assertFalse(result.next(), sql);
      return value;
    }
  }

  /** A column of DuckDB, in the form of the oracle. */
  private static String expression(FlowColumn column) {
    return column.type() == ColumnType.TIMESTAMP
        ? "epoch_us(" + column.sqlName() + ")"
        : column.sqlName();
  }

  private static Object expected(FlowColumn column, Object value) {
    if (value == null) {
      return null;
    }
    return switch (column.type()) {
      case ADDRESS -> value.toString();
      case BOOLEAN -> (Long) value == 1;
      default -> value;
    };
  }

  @ParameterizedTest(name = "{0} rows, seed {1}, IPv6 {2}")
  @CsvSource({"1, 1, true", "9, 5, true", "1000, 9, false", "20000, 13, false", "70001, 14, true"})
  void everyValueIsTheSameInTheSameOrder(int rows, long seed, boolean ipv6) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, ipv6).batches(rows);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    List<Object[]> oracle = RowsOracle.sorted(batches);
    for (FlowColumn column : FlowColumn.all()) {
      int c = column.ordinal();
      if (oracle.stream().allMatch(r -> r[c] == null)) {
        continue;
      }
      try (Statement statement = duckdb.createStatement();
          ResultSet result =
              statement.executeQuery("SELECT " + expression(column) + from(sealed))) {
        for (int r = 0; r < rows; r++) {
          int row = r;
          assertTrue(result.next());
          Object value = result.getObject(1);
          Object found = value instanceof Number number ? (Object) number.longValue() : value;
          assertEquals(
              expected(column, oracle.get(row)[c]),
              found,
              () -> column.sqlName() + ", row " + row + ", seed " + seed);
        }
        assertFalse(result.next());
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @CsvSource({"21", "22"})
  void filtersOnEveryColumnFindAllRows(long seed) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, true).batches(3000);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    List<Object[]> oracle = RowsOracle.sorted(batches);
    for (FlowColumn column : FlowColumn.all()) {
      List<Object> values =
          oracle.stream()
              .map(r -> expected(column, r[column.ordinal()]))
              .filter(Objects::nonNull)
              .toList();
      for (int i = 0; i < values.size(); i += 1 + values.size() / 5) {
        Object value = values.get(i);
        long count = values.stream().filter(value::equals).count();
        String where = " WHERE " + column.sqlName() + " = " + literal(column, value);
        assertEquals(
            count, single("SELECT count(*)" + from(sealed) + where), where + ", seed " + seed);
      }
      if (!values.isEmpty()) {
        String where = " WHERE " + column.sqlName() + " IS NULL";
        assertEquals(
            oracle.size() - values.size(), single("SELECT count(*)" + from(sealed) + where), where);
      }
    }
  }

  private static String literal(FlowColumn column, Object value) {
    return switch (column.type()) {
      case ADDRESS, TEXT -> "'" + value + "'";
      case TIMESTAMP -> "make_timestamptz(" + value + ")";
      default -> value.toString();
    };
  }

  @Test
  void addressesOutOfTextOrderAreFoundByEqualityAndByRange() throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(100);
    String[] addresses = {
      "9.0.0.1", "10.0.0.1", "10.0.0.1", "100.0.0.1", "2001:db8::1", "::1", "255.255.255.255"
    };
    for (int i = 0; i < addresses.length; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(addresses[i]));
      builder.set(FlowColumn.SRC_AS, 0xFFFF_FFFFL - i);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, List.of(batch), Provenance.NONE);
    String count = "SELECT count(*)" + from(sealed) + " WHERE ";
    assertEquals(1, single(count + "src_addr = '9.0.0.1'"));
    assertEquals(2, single(count + "src_addr = '10.0.0.1'"));
    assertEquals(1, single(count + "src_addr = '2001:db8::1'"));
    assertEquals(1, single(count + "src_addr = '::1'"));
    assertEquals(3, single(count + "src_addr >= '10.0.0.1' AND src_addr <= '100.0.0.1'"));
    // In the order of text, which is Parquet's: 255.255.255.255, 9.0.0.1, ::1.
    assertEquals(3, single(count + "src_addr > '255'"));
    assertEquals(1, single(count + "src_as = 4294967295"));
    assertEquals(7, single(count + "src_as > 4294967200"));
  }

  @Test
  void metadataNamesColumnsByIdAndPagesByPlace() throws Exception {
    List<FlowBatch> batches = new RandomFlows(3, true).batches(500);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, batches, Provenance.of("source", "test"));
    String path = "('" + directory.resolve(sealed.fileName()) + "')";
    try (SegmentReader reader = SegmentReader.open(directory, sealed);
        Statement statement = duckdb.createStatement();
        ResultSet schema =
            statement.executeQuery(
                "SELECT name, field_id FROM parquet_schema"
                    + path
                    + " WHERE field_id IS NOT NULL")) {
      int columns = 0;
      while (schema.next()) {
        assertEquals(FlowColumn.byName(schema.getString(1)).id(), schema.getInt(2));
        columns++;
      }
      assertEquals(
          FlowColumn.all().stream().filter(c -> reader.nullCount(c) < reader.rows()).count(),
          columns);
    }
    assertEquals(
        1,
        single(
            "SELECT count(*) FROM parquet_kv_metadata"
                + path
                + " WHERE decode(key) = 'flowmon.provenance.source' AND decode(value) = 'test'"));
    assertEquals(1, single("SELECT max(row_group_id) + 1 FROM parquet_metadata" + path));
  }
}
