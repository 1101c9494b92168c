package org.flowmon.jobs.sql.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.format.ProjectableDecodingFormat;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.UserCodeClassLoader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.sql.row.SqlTypes;
import org.junit.jupiter.api.Test;

/** The format gives the rows that a batch was written of. */
class FlowBatchFormatTest {
  private static final long SEED = 2313;
  private static final byte[] DAMAGED = "not a batch".getBytes(StandardCharsets.UTF_8);

  private final Random random = new Random(SEED);
  private final Counter skipped = new SimpleCounter();

  /** As an installation makes it: from the table's options, and sent to the task. */
  private DeserializationSchema<RowData> schema(
      DataType table, int[][] projection, boolean ignoreErrors) throws Exception {
    Configuration options = new Configuration();
    options.setString("ignore-parse-errors", Boolean.toString(ignoreErrors));
    ProjectableDecodingFormat<DeserializationSchema<RowData>> format =
        (ProjectableDecodingFormat<DeserializationSchema<RowData>>)
            new FlowBatchFormatFactory().createDecodingFormat(null, options);
    DeserializationSchema<RowData> schema =
        InstantiationUtil.clone(
            format.createRuntimeDecoder(ScanRuntimeProviderContext.INSTANCE, table, projection));
    schema.open(
        new DeserializationSchema.InitializationContext() {
          @Override
          public MetricGroup getMetricGroup() {
            return new Metrics();
          }

          @Override
          public UserCodeClassLoader getUserCodeClassLoader() {
            throw new UnsupportedOperationException();
          }
        });
    return schema;
  }

  private final class Metrics extends UnregisteredMetricsGroup {
    @Override
    public MetricGroup addGroup(String name) {
      assertEquals("flowmon", name);
      return this;
    }

    @Override
    public Counter counter(String name) {
      assertEquals("skipped_messages", name);
      return skipped;
    }
  }

  private static List<RowData> rows(DeserializationSchema<RowData> schema, byte[] message)
      throws IOException {
    List<RowData> rows = new ArrayList<>();
    schema.deserialize(
        message,
        new Collector<>() {
          @Override
          public void collect(RowData row) {
            rows.add(row);
          }

          @Override
          public void close() {}
        });
    return rows;
  }

  private static DataType table(List<FlowColumn> columns) {
    return DataTypes.ROW(
        columns.stream()
            .map(column -> DataTypes.FIELD(column.sqlName(), SqlTypes.of(column.type())))
            .toArray(DataTypes.Field[]::new));
  }

  /** Writes random rows, and gives them as Flink should have them. */
  private byte[] write(List<FlowColumn> columns, int count, List<GenericRowData> expected) {
    FlowBatchBuilder builder = new FlowBatchBuilder(count);
    int[] nulls = random.ints(columns.size(), 0, 4).toArray(); // all, many, some, none
    for (int i = 0; i < count; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      GenericRowData row = new GenericRowData(columns.size());
      for (int c = 0; c < nulls.length; c++) {
        if (columns.get(c) == FlowColumn.ARRIVAL) {
          row.setField(c, TimestampData.fromInstant(Instant.EPOCH.plusNanos(1000L * i)));
        } else if (random.nextInt(3) < nulls[c]) {
          row.setField(c, set(builder, columns.get(c)));
        }
      }
      builder.endRow();
      expected.add(row);
    }
    return builder.build(7, 0, count, 0);
  }

  private Object set(FlowBatchBuilder builder, FlowColumn column) {
    if (column.type() == ColumnType.ADDRESS) {
      int host = random.nextInt(300);
      boolean isIpv4 = random.nextBoolean();
      builder.setAddress(
          column,
          isIpv4
              ? IpAddress.ofIpv4(0xC000_0200 + host)
              : new IpAddress(0x2001_0db8L << 32, host + 1L));
      return StringData.fromString(
          isIpv4
              ? "192.0." + (2 + host / 256) + "." + host % 256
              : "2001:db8::" + Integer.toHexString(host + 1));
    }
    if (column.type() == ColumnType.TEXT) {
      String text = "é".repeat(random.nextInt(3)) + random.nextInt(1000);
      builder.setText(column, text);
      return StringData.fromString(text);
    }
    long value =
        switch (column.type()) {
          case TIMESTAMP -> random.nextLong() >> 13; // also before 1970
          case DURATION, NUMBER -> random.nextLong() >> random.nextInt(64);
          case COUNT -> random.nextLong() >>> (2 + random.nextInt(62));
          default -> random.nextLong() & column.type().maxValue();
        };
    builder.set(column, value);
    return switch (column.type()) {
      case BOOLEAN -> value == 1;
      case UINT8 -> (short) value;
      case UINT16 -> (int) value;
      case TIMESTAMP ->
          TimestampData.fromInstant(
              Instant.ofEpochSecond(
                  Math.floorDiv(value, 1_000_000L), Math.floorMod(value, 1_000_000) * 1000L));
      default -> value;
    };
  }

  @Test
  void rowsAreThoseOfTheBatch() throws Exception {
    List<FlowColumn> columns = FlowColumn.all();
    DeserializationSchema<RowData> schema = schema(table(columns), identity(columns.size()), false);
    for (int count : new int[] {1, 63, 64, 1024, 1025, 3000}) {
      List<GenericRowData> expected = new ArrayList<>();
      byte[] message = write(columns, count, expected);
      assertEquals(expected, rows(schema, message), "seed " + SEED + ", " + count + " rows");
    }
  }

  private static int[][] identity(int fields) {
    int[][] all = new int[fields][];
    Arrays.setAll(all, field -> new int[] {field});
    return all;
  }

  @Test
  void aProjectionGivesItsColumnsInItsOrder() throws Exception {
    List<FlowColumn> columns =
        List.of(FlowColumn.SRC_ADDR, FlowColumn.BYTES, FlowColumn.SERVICE, FlowColumn.ARRIVAL);
    List<GenericRowData> written = new ArrayList<>();
    byte[] message = write(columns, 100, written);
    List<GenericRowData> expected =
        written.stream().map(row -> GenericRowData.of(row.getField(3), row.getField(0))).toList();
    assertEquals(expected, rows(schema(table(columns), new int[][] {{3}, {0}}, false), message));
  }

  @Test
  void addressesMayBeBytesAndTimesShorter() throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, -1);
    builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(0xC000_0201));
    builder.endRow();
    DataType table =
        DataTypes.ROW(
            DataTypes.FIELD("src_addr", DataTypes.BINARY(16)),
            DataTypes.FIELD("arrival", DataTypes.TIMESTAMP_LTZ(3)));
    byte[] address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, (byte) 192, 0, 2, 1};
    assertEquals(
        List.of(GenericRowData.of(address, TimestampData.fromEpochMillis(-1))),
        rows(schema(table, identity(2), false), builder.build(1, 0, 1, 0)));
  }

  @Test
  void aHeartbeatHasNoRows() throws Exception {
    DeserializationSchema<RowData> schema =
        schema(table(List.of(FlowColumn.BYTES)), identity(1), false);
    assertEquals(List.of(), rows(schema, Heartbeat.of(1, 0, 0, 0, 1_000_000)));
  }

  @Test
  void aDamagedMessageFailsOrIsCounted() throws Exception {
    DataType table = table(List.of(FlowColumn.BYTES));
    List<GenericRowData> expected = new ArrayList<>();
    byte[] message = write(List.of(FlowColumn.BYTES), 10, expected);
    byte[] cut = Arrays.copyOf(message, message.length - 1);

    DeserializationSchema<RowData> strict = schema(table, identity(1), false);
    for (byte[] damaged : new byte[][] {DAMAGED, cut, {}, null}) {
      IOException thrown = assertThrows(IOException.class, () -> rows(strict, damaged));
      assertTrue(
          thrown.getMessage().contains("'flowmon-batch.ignore-parse-errors' = 'true'"),
          thrown.getMessage());
    }
    assertEquals(0, skipped.getCount());

    DeserializationSchema<RowData> lenient = schema(table, identity(1), true);
    for (byte[] damaged : new byte[][] {DAMAGED, cut, {}, null}) {
      assertEquals(List.of(), rows(lenient, damaged));
    }
    assertEquals(4, skipped.getCount());
    assertEquals(expected, rows(lenient, message));
  }

  @Test
  void aColumnThatFlowsDoNotHaveIsRefused() {
    DataType table = DataTypes.ROW(DataTypes.FIELD("colour", DataTypes.STRING()));
    ValidationException thrown =
        assertThrows(ValidationException.class, () -> schema(table, identity(1), false));
    assertTrue(thrown.getMessage().startsWith("flows have no column 'colour'"));
  }
}
